import { compareUtf8 } from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { formatGoFloat } from '../go/float-text.ts';
import { GoError, GoPanic } from '../go/function.ts';
import { durationType, GoTime } from '../go/time.ts';
import {
  GoComplex,
  type GoField,
  GoInt,
  GoMap,
  GoObject,
  type GoValue,
  isNil,
  itemsOf,
  typeOf,
} from '../go/value.ts';
import { localDate, localDateTime, localTime } from './toml-time.ts';

const fullLayout = '2006-01-02T15:04:05.999999999Z07:00';
const localLayouts = new Map([
  [localDateTime, '2006-01-02T15:04:05.999999999'],
  [localDate, '2006-01-02'],
  [localTime, '15:04:05.999999999'],
]);

/** A value as BurntSushi's toml writes it: plain keys first, then tables, all sorted. @throws GoError */
export function toToml(value: GoValue, budget: Budget): string {
  if (value === null) throw new GoPanic('reflect: call of reflect.Value.Type on zero Value');
  return new TomlWriter(budget).document(value);
}

class TomlWriter {
  readonly #budget: Budget;
  #out = '';

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  document(value: GoValue): string {
    this.#encode([], value);
    return this.#out;
  }

  #newline(): void {
    if (this.#out !== '') this.#out += '\n';
  }

  /** The name of a table repeats those of all tables around it, so that text outgrows the values it is made of. */
  #write(text: string): void {
    this.#budget.step(text.length >> 2);
    this.#budget.make(text.length);
    this.#out += text;
  }

  #encode(key: readonly string[], value: GoValue): void {
    // Each step down copies the key.
    this.#budget.step(1 + key.length);
    this.#budget.nest(key.length);
    if (isNil(value) && (value === null || value instanceof GoMap || key.length > 0)) return;
    switch (kindOf(value, this.#budget)) {
      case 'table':
        if (key.length === 1) this.#newline();
        if (key.length > 0) {
          this.#write(`${margin(key)}[${printTomlKey(key)}]`);
          this.#newline();
        }
        this.#fields(key, value);
        return;
      case 'tables':
        this.#arrayOfTables(key, itemsOf(value)!);
        return;
      default:
        if (value instanceof GoComplex) {
          throw new GoError(`unsupported type for key '${printTomlKey(key)}': complex128`);
        }
        this.#keyValue(key, value);
    }
  }

  #keyValue(key: readonly string[], value: GoValue): void {
    if (key.length === 0) {
      this.#write(this.#element(value));
      return;
    }
    this.#write(`${margin(key)}${maybeQuoted(key.at(-1)!)} = ${this.#element(value)}`);
    this.#newline();
  }

  #arrayOfTables(key: readonly string[], items: readonly GoValue[]): void {
    if (key.length === 0) throw new GoError('toml: top-level values must be Go maps or structs');
    for (const item of items) {
      if (isNil(item)) continue;
      this.#newline();
      this.#write(`${margin(key)}[[${printTomlKey(key)}]]`);
      this.#newline();
      this.#fields(key, item);
    }
  }

  #fields(key: readonly string[], value: GoValue): void {
    const { direct, tables } = sortedFields(value, this.#budget);
    for (const [name, field] of [...direct, ...tables]) this.#encode([...key, name], field);
  }

  #element(value: GoValue, depth = 0): string {
    this.#budget.step();
    this.#budget.nest(depth);
    switch (typeof value) {
      case 'string':
        this.#budget.make(value.length);
        return quoted(value);
      case 'number':
        return tomlFloat(value);
      case 'boolean':
        return String(value);
    }
    if (value instanceof GoInt) {
      return value.type === durationType ? quoted(durationType.text!(value)) : String(value.value);
    }
    if (value instanceof GoTime) return value.format(localLayouts.get(value.zone) ?? fullLayout);
    if (value instanceof GoObject && value.json !== undefined) return quoted(String(value.json()));
    const items = itemsOf(value);
    if (items !== undefined)
      return `[${items.map((item) => this.#element(item, depth + 1)).join(', ')}]`;
    if (value === null) throw new GoPanic('reflect: call of reflect.Value.Interface on zero Value');
    if (value instanceof GoComplex) throw new GoError('unexpected type: complex128');
    return this.#inline(value, depth);
  }

  #inline(value: GoValue, depth: number): string {
    const { direct, tables } = sortedFields(value, this.#budget);
    const parts: string[] = [];
    [...direct, ...tables].forEach(([name, field], at, all) => {
      if (isNil(field)) return;
      const isLast = at === all.length - 1;
      parts.push(`${maybeQuoted(name)} = ${this.#element(field, depth + 1)}${isLast ? '' : ', '}`);
    });
    return `{${parts.join('')}}`;
  }
}

type Fields = readonly (readonly [string, GoValue])[];

function sortedFields(value: GoValue, budget: Budget): { direct: Fields; tables: Fields } {
  const all: Fields =
    value instanceof GoMap
      ? [...value.entries].sort(([a], [b]) => compareUtf8(a, b))
      : [...structFields((value as GoObject).fields)];
  const isTable = ([, field]: readonly [string, GoValue]): boolean =>
    kindOf(field, budget) !== 'value';
  return { direct: all.filter((each) => !isTable(each)), tables: all.filter(isTable) };
}

function* structFields(fields: readonly GoField[]): Iterable<readonly [string, GoValue]> {
  for (const { name, value, isEmbedded } of fields) {
    if (isEmbedded && value instanceof GoObject) yield* structFields(value.fields);
    else if (/^[A-Z]/.test(name)) yield [name, value];
  }
}

/** A list is one of tables only when every item is one; a nil in it cannot be written at all. */
function kindOf(value: GoValue, budget: Budget, depth = 0): 'value' | 'table' | 'tables' {
  budget.step();
  budget.nest(depth);
  if (isNil(value)) return 'value';
  if (value instanceof GoMap) return 'table';
  if (value instanceof GoObject) {
    return value instanceof GoTime || value.json !== undefined ? 'value' : 'table';
  }
  const items = itemsOf(value);
  if (items === undefined) {
    if (typeOf(value)?.kind === 'complex128') throw new GoError('unsupported type: complex128');
    return 'value';
  }
  if (items.length === 0) return 'value';
  let areTables = true;
  for (const item of items) {
    if (isNil(item)) throw new GoError('toml: cannot encode array with nil element');
    if (kindOf(item, budget, depth + 1) !== 'table') areTables = false;
  }
  return areTables ? 'tables' : 'value';
}

function margin(key: readonly string[]): string {
  return '  '.repeat(Math.max(key.length - 1, 0));
}

/** A key as it stands in a text: parts that are not plain in quotes. */
export function printTomlKey(key: readonly string[]): string {
  return key.map(maybeQuoted).join('.');
}

function maybeQuoted(part: string): string {
  if (part === '') return '""';
  return /^[A-Za-z0-9_-]+$/.test(part) ? part : quoted(part);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  const inner = text.replace(/["\\\0-\x1f\x7f]/g, (each) => {
    return escapes[each] ?? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${inner}"`;
}

function tomlFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = formatGoFloat(value, 'g', -1);
  return /[e.]/.test(text) ? text : `${text}.0`;
}
