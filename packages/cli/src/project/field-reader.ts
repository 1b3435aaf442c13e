import { isObject, type YamlNode } from '@waygate/text';

export interface ProjectProblem {
  /** `waygate.yaml:3`. */
  readonly place: string;
  /** Begins with the field that it is about. */
  readonly message: string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Reads fields of a YAML file as what they must be; what they are not is a problem with line and field. */
export class FieldReader {
  readonly problems: ProjectProblem[] = [];
  readonly #file: string;
  readonly #root: YamlNode | undefined;

  constructor(file: string, root: YamlNode | undefined) {
    this.#file = file;
    this.#root = root;
  }

  fields(value: unknown, at: string, known?: readonly string[]): Fields {
    if (!isObject(value)) {
      this.problem(at, 'must be an object');
      return {};
    }
    for (const name of Object.keys(value))
      if (known !== undefined && !known.includes(name))
        this.problem(
          at === '' ? name : `${at}.${name}`,
          `is not known here; there are ${known.join(', ')}`,
        );
    return value as Fields;
  }

  strings(value: unknown, at: string): Record<string, string> {
    if (value === undefined) return {};
    const found: Record<string, string> = {};
    for (const [name, each] of Object.entries(this.fields(value, at))) {
      if (typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
        found[name] = String(each);
      else this.problem(`${at}.${name}`, 'must be text');
    }
    return found;
  }

  text(value: unknown, at: string): string {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
    this.problem(at, 'must be text that is not empty');
    return '';
  }

  port(value: unknown, at: string): number {
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536)
      return value;
    this.problem(at, 'must be a port, 1 to 65535');
    return 1;
  }

  /** A list is a program and its arguments; one text is for the shell. */
  command(value: unknown, at: string): string[] {
    if (typeof value === 'string' && value.trim() !== '') return ['sh', '-c', value];
    const words = Array.isArray(value)
      ? value.map((word: unknown, index) => this.text(word, `${at}[${index}]`))
      : [];
    if (words.length === 0)
      this.problem(at, 'must be a list: a program and its arguments, or one text for the shell');
    return words;
  }

  choice<T extends string>(value: unknown, at: string, choices: readonly T[], otherwise: T): T {
    if (value === undefined) return otherwise;
    if (choices.includes(value as T)) return value as T;
    this.problem(at, `must be one of ${choices.join(', ')}`);
    return otherwise;
  }

  problem(field: string, message: string): void {
    this.problems.push({
      place: this.place(field),
      message: field === '' ? message : `${field} ${message}`,
    });
  }

  /** Where a field is: the file and its line, or that of what it should be in. */
  place(field: string): string {
    return `${this.#file}:${this.#lineOf(field)}`;
  }

  #lineOf(field: string): number {
    let node = this.#root;
    let line = node?.line ?? 0;
    for (const { key, index } of stepsOf(field)) {
      if (node === undefined) break;
      const at: number = index ?? keyIndex(node, key);
      const found: YamlNode | undefined =
        index === undefined ? node.content[at + 1] : node.content[at];
      if (found === undefined || at < 0) break;
      line = (index === undefined ? node.content[at]! : found).line;
      node = found;
    }
    return line + 1;
  }
}

interface Step {
  readonly key: string;
  readonly index: number | undefined;
}

/** `services.web.env[2]` in steps; the name of a Service may hold a slash, and no dot. */
function stepsOf(field: string): Step[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key = '']) => ({
    key,
    index: index === undefined ? undefined : Number(index),
  }));
}

function keyIndex(node: YamlNode, key: string): number {
  if (node.kind !== 'map') return -1;
  for (let at = 0; at < node.content.length; at += 2)
    if (node.content[at]!.value === key) return at;
  return -1;
}
