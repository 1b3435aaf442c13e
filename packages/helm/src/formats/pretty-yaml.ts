import {
  compareKeys,
  formatFloat,
  TextError,
  writeYaml,
  type YamlField,
  type YamlView,
} from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { encodeBytes, hasRawBytes, wellFormed } from '../go/bytes.ts';
import { GoError } from '../go/function.ts';
import { GoTime } from '../go/time.ts';
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
import { isEmptyJson } from './json-shape.ts';

/** A line in a deep tree is mostly margin. */
const bytesOfLine = 128;

/**
 * A value as go-yaml v3 writes it, without a detour by JSON: lists are indented, long lines stay, the fields
 * of structs are called by their names in lower case, unless they say otherwise. @throws GoError
 */
export function toPrettyYaml(value: GoValue, budget: Budget): string {
  try {
    const layout = { indentsLists: true, keepsLines: true };
    return writeYaml(value, new PrettyView(budget), layout).replace(/\n$/, '');
  } catch (error) {
    if (error instanceof TextError) throw new GoError(error.message);
    throw error;
  }
}

class PrettyView implements YamlView<GoValue> {
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  kindOf(value: GoValue): 'leaf' | 'map' | 'sequence' {
    if (value instanceof GoMap) return value.size === 0 ? 'leaf' : 'map';
    if (value instanceof GoObject) return isText(value) ? 'leaf' : 'map';
    const items = itemsOf(value);
    return items === undefined || items.length === 0 ? 'leaf' : 'sequence';
  }

  itemsOf(value: GoValue): readonly GoValue[] {
    this.#budget.step();
    return itemsOf(value) ?? [];
  }

  fieldsOf(value: GoValue): readonly YamlField<GoValue>[] {
    this.#budget.step();
    if (value instanceof GoObject) return [...structFields(value.fields)];
    if (!(value instanceof GoMap)) return [];
    this.#budget.step(value.size);
    return [...value.entries]
      .map(([key, field]) => ({ key: wellFormed(key), value: field }))
      .sort((a, b) => compareKeys(a.key, b.key));
  }

  leaf(value: GoValue, _: boolean, quote: (text: string) => string): string {
    this.#budget.step();
    this.#budget.make(bytesOfLine);
    if (typeof value === 'string') {
      this.#budget.make(value.length);
      this.#budget.step(value.length >> 2);
      return hasRawBytes(value) ? binary(value) : quote(value);
    }
    if (typeof value === 'number') return formatFloat(value);
    if (value instanceof GoTime) return value.format('2006-01-02T15:04:05.999999999Z07:00');
    if (value instanceof GoObject) return quote(String(value.json?.()));
    if (value instanceof GoInt) {
      const { text } = typeOf(value);
      return text !== undefined && value.type.name === 'time.Duration'
        ? quote(text(value))
        : String(value.value);
    }
    if (value instanceof GoMap) return '{}';
    if (value instanceof GoComplex) throw new GoError('cannot marshal type: complex128');
    if (itemsOf(value) !== undefined) return '[]';
    return isNil(value) ? 'null' : String(value);
  }

  marks(): boolean {
    return false;
  }
}

/** Structs that are written as a text. */
function isText(value: GoObject): boolean {
  return value instanceof GoTime || value.json !== undefined || value.fields.length === 0;
}

function* structFields(fields: readonly GoField[]): Iterable<YamlField<GoValue>> {
  for (const { name, value, yaml, omitsEmpty } of fields) {
    if (yaml !== undefined) {
      if (!(omitsEmpty && isEmptyJson(value))) yield { key: yaml, value };
    } else if (/^[A-Z]/.test(name)) yield { key: name.toLowerCase(), value };
  }
}

/** A string of bytes that are not UTF-8. */
function binary(text: string): string {
  return `!!binary ${encodeBytes(text).toString('base64')}`;
}
