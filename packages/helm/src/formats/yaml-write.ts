import {
  compareKeys,
  formatFloat,
  TextError,
  writeYaml,
  type YamlField,
  type YamlView,
} from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { wellFormed } from '../go/bytes.ts';
import { GoError } from '../go/function.ts';
import type { GoValue } from '../go/value.ts';
import { type JsonShape, jsonShape } from './json-shape.ts';

/** A line in a deep tree is mostly margin. */
const bytesOfLine = 128;
/** What it takes to write a value that holds no others, beside its letters. */
const stepsOfLeaf = 6;

/** A value as sigs.k8s.io/yaml writes it, by way of JSON, without the last line break. @throws GoError */
export function toYaml(value: GoValue, budget: Budget): string {
  let text: string;
  try {
    text = writeYaml(value, new GoView(budget), { barelyMerges: true });
  } catch (error) {
    if (error instanceof TextError) throw new GoError(error.message);
    throw error;
  }
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

class GoView implements YamlView<GoValue> {
  readonly #budget: Budget;
  /** The value that was asked for last, as it is asked for what it is and then for what is in it. */
  #value: GoValue = null;
  #shape: JsonShape = jsonShape(null);

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  #shapeOf(value: GoValue): JsonShape {
    if (value !== this.#value || typeof value !== 'object') {
      this.#shape = jsonShape(value);
      this.#value = value;
    }
    return this.#shape;
  }

  kindOf(value: GoValue): 'leaf' | 'map' | 'sequence' {
    const shape = this.#shapeOf(value);
    if (shape.kind === 'items') return shape.items.length === 0 ? 'leaf' : 'sequence';
    return shape.kind === 'fields' && shape.fields.length > 0 ? 'map' : 'leaf';
  }

  itemsOf(value: GoValue): readonly GoValue[] {
    const shape = this.#shapeOf(value);
    this.#budget.step(2);
    return shape.kind === 'items' ? shape.items : [];
  }

  fieldsOf(value: GoValue): readonly YamlField<GoValue>[] {
    const shape = this.#shapeOf(value);
    if (shape.kind !== 'fields') return [];
    this.#budget.step(1 + shape.fields.length);
    return shape.fields
      .map(([key, field]) => ({ key: throughJson(wellFormed(key)), value: field }))
      .sort((a, b) => compareKeys(a.key, b.key));
  }

  leaf(value: GoValue, _: boolean, quote: (text: string) => string): string {
    const shape = this.#shapeOf(value);
    this.#budget.step(stepsOfLeaf);
    this.#budget.make(bytesOfLine);
    if (shape.kind !== 'leaf') return shape.kind === 'items' ? '[]' : '{}';
    if (typeof shape.value === 'string') {
      this.#budget.make(shape.value.length);
      this.#budget.step(shape.value.length >> 2);
      return quote(throughJson(shape.value));
    }
    return typeof shape.value === 'number' ? yamlNumber(shape.value) : String(shape.value);
  }

  marks(): boolean {
    return false;
  }
}

/** A float on its way through JSON: whole ones that 64 bits hold come back as integers. */
function yamlNumber(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 64 || value < -(2 ** 63))
    return formatFloat(value);
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  // JSON has the fewest digits that tell the number, and zeros after them.
  const [digits = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const text = digits.replace('.', '').padEnd(Number(exponent) + 1, '0');
  const exact = BigInt(text);
  const fits = value < 0 ? exact <= 1n << 63n : exact < 1n << 64n;
  return fits ? `${value < 0 ? '-' : ''}${text}` : formatFloat(value);
}

/**
 * A string as it comes back from JSON that is read as YAML: controls beyond ASCII's first are refused, and
 * U+0085 is a line break there, which folds into a space.
 */
function throughJson(text: string): string {
  if (!/[\x7f-\x9f\ufffe\uffff]/.test(text)) return text;
  if (/[\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(text)) {
    throw new GoError('yaml: control characters are not allowed');
  }
  return text.replace(/ *\x85(?: *\x85)* */g, (breaks) => {
    const count = breaks.replaceAll(' ', '').length;
    return count === 1 ? ' ' : '\n'.repeat(count - 1);
  });
}
