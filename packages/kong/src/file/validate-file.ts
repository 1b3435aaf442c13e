import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type FieldType, type FileFormat, fileFormat, type ObjectFormat } from './file-format.ts';

/** The type of a value in the words of JSON Schema. */
function givenType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeProblem(path: string, expected: string, value: JsonValue): string {
  return `${path}: Invalid type. Expected: ${expected}, given: ${givenType(value)}`;
}

function within(path: string, name: string | number): string {
  return path === '(root)' ? String(name) : `${path}.${name}`;
}

/** Collects what is wrong with the shape of a file. */
class FileChecker {
  readonly problems: string[] = [];
  readonly #format: FileFormat;

  constructor(format: FileFormat) {
    this.#format = format;
  }

  checkObject(kind: string, value: JsonValue, path: string): void {
    const { fields, required, anyOf } = this.#format[kind] as ObjectFormat;
    if (!isObject(value)) {
      this.problems.push(typeProblem(path, 'object', value));
      return;
    }
    if (anyOf !== undefined && !anyOf.some((name) => Object.hasOwn(value, name))) {
      this.problems.push(`${path}: Must validate at least one schema (anyOf)`);
      this.problems.push(`${path}: ${anyOf[0]} is required`);
    }
    for (const name of required ?? []) {
      if (!Object.hasOwn(value, name)) this.problems.push(`${path}: ${name} is required`);
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(fields, name)) continue;
      this.problems.push(`${path}: Additional property ${name} is not allowed`);
    }
    for (const name of Object.keys(value).sort()) {
      const type = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const inner = value[name];
      if (type !== undefined && inner !== undefined)
        this.#checkType(type, inner, within(path, name));
    }
  }

  #checkType(type: FieldType, value: JsonValue, path: string): void {
    if (typeof type === 'object') {
      if ('object' in type) this.checkObject(type.object, value, path);
      else
        this.#checkList(value, path, (element, place) =>
          this.checkObject(type.list, element, place),
        );
      return;
    }
    switch (type) {
      case 'any':
        return;
      case 'strings':
        this.#checkList(value, path, (element, place) => this.#checkType('string', element, place));
        return;
      case 'integers':
        this.#checkList(value, path, (element, place) =>
          this.#checkType('integer', element, place),
        );
        return;
      case 'headers':
        this.#checkMap(value, path, 'strings');
        return;
      case 'objects':
        this.#checkMap(value, path, 'object');
        return;
      case 'reference':
        if (typeof value === 'string' || isObject(value) || value === null) return;
        this.problems.push(typeProblem(path, 'string', value));
        return;
      case 'number':
        if (typeof value !== 'number') this.problems.push(typeProblem(path, 'number', value));
        return;
      default:
        if (givenType(value) !== type) this.problems.push(typeProblem(path, type, value));
    }
  }

  #checkMap(value: JsonValue, path: string, type: FieldType): void {
    if (!isObject(value)) {
      this.problems.push(typeProblem(path, 'object', value));
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      this.#checkType(type, inner ?? null, within(path, key));
    }
  }

  #checkList(
    value: JsonValue,
    path: string,
    check: (element: JsonValue, path: string) => void,
  ): void {
    if (!Array.isArray(value)) {
      this.problems.push(typeProblem(path, 'array', value));
      return;
    }
    value.forEach((element: JsonValue, index) => {
      check(element, within(path, index));
    });
  }
}

/** What is wrong with the shape of one file's content, each with the path of its field. */
export function validateFileContent(content: JsonObject): readonly string[] {
  const checker = new FileChecker(fileFormat(content._format_version));
  checker.checkObject('file', content, '(root)');
  return checker.problems;
}
