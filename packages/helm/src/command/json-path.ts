import { compareUtf8 } from '@waygate/text';
import { toJson } from '../formats/json-write.ts';
import { Budget } from '../go/budget.ts';
import { sprint } from '../go/format.ts';
import { GoError } from '../go/function.ts';
import { GoInt, GoMap, type GoValue, itemsOf } from '../go/value.ts';
import {
  type PathFilter,
  type PathNode,
  parseJsonPath,
  type SliceBounds,
  type TemplatePart,
} from './json-path-parser.ts';

/**
 * Prints what a template of JSONPath finds, as kubectl's does: names, indexes, slices, unions, filters, `..` and
 * `{range}`. Where something is not there Helm prints nothing at all, and so does this.
 *
 * ```ts
 * declare const values: GoMap;
 * printJsonPath('{.image.tag}', values); // 1.2.3
 * ```
 *
 * @throws CommandError when it cannot be read
 */
export function printJsonPath(template: string, values: GoMap): string {
  const parts = parseJsonPath(template);
  try {
    return new PathPrinter(parts).print(0, values, false).text;
  } catch (error) {
    if (error instanceof GoError) return '';
    throw error;
  }
}

/** What a block printed, and the part after it; none when nothing ended it. */
interface Printed {
  readonly text: string;
  readonly next: number | undefined;
}

class PathPrinter {
  readonly #parts: readonly TemplatePart[];
  readonly #budget = new Budget();

  constructor(parts: readonly TemplatePart[]) {
    this.#parts = parts;
  }

  /** Prints from a part on, up to the `{end}` of the range that it is in. */
  print(from: number, value: GoValue, isInRange: boolean): Printed {
    let text = '';
    let at = from;
    while (at < this.#parts.length) {
      const part = this.#parts[at++]!;
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      const [first, ...rest] = part;
      const word = first?.sort === 'word' ? first.name : undefined;
      if (word === 'end' && isInRange) return { text, next: at };
      if (word === 'range') {
        const items = this.#walk([value], rest);
        // Without items the block is looked through all the same, for its end.
        let next: number | undefined;
        for (const item of items) {
          const block = this.print(at, item, true);
          text += block.text;
          next = block.next;
        }
        if (items.length === 0) next = this.print(at, null, true).next;
        at = next ?? at;
        continue;
      }
      text += this.#walk([value], part)
        .map((each) => this.#shown(each))
        .join(' ');
    }
    return { text, next: undefined };
  }

  #shown(value: GoValue): string {
    const isPlain = value !== null && !(value instanceof GoMap) && itemsOf(value) === undefined;
    return isPlain ? sprint([value], this.#budget) : toJson(value, this.#budget);
  }

  #walk(values: readonly GoValue[], path: readonly PathNode[]): readonly GoValue[] {
    let found = values;
    for (const node of path) found = this.#step(found, node);
    return found;
  }

  #step(values: readonly GoValue[], node: PathNode): readonly GoValue[] {
    this.#budget.step(1 + values.length);
    switch (node.sort) {
      case 'constant':
        return values.map(() => node.value);
      case 'word':
        throw new GoError(`unrecognized identifier ${node.name}`);
      case 'field': {
        const found = values.flatMap((value) => valueAt(value, node.name));
        if (found.length === 0) throw new GoError(`${node.name} is not found`);
        return found;
      }
      case 'wildcard':
        return values.flatMap(childrenOf);
      case 'recursive':
        return values.flatMap((value) => this.#descend(value, 0));
      case 'slice':
        return values.flatMap((value) => cut(value, node.bounds));
      case 'union':
        return node.paths.flatMap((path) => this.#walk(values, path));
      case 'filter':
        return values.flatMap((value) => this.#filter(value, node));
    }
  }

  /** A value and all that is in it; what holds nothing is none of them, but for texts. */
  #descend(value: GoValue, depth: number): readonly GoValue[] {
    this.#budget.step();
    this.#budget.nest(depth);
    if (typeof value === 'string') return value === '' ? [] : [value];
    const children = childrenOf(value);
    if (children.length === 0) return [];
    return [value, ...children.flatMap((child) => this.#descend(child, depth + 1))];
  }

  #filter(value: GoValue, { left, operator, right }: PathFilter): readonly GoValue[] {
    const items = itemsOf(value);
    if (items === undefined) throw new GoError('is not array or slice and cannot be filtered');
    return items.filter((item) => {
      const [one, ...more] = this.#walk([item], left);
      if (operator === undefined) return one !== undefined;
      const [other, ...others] = this.#walk([item], right ?? []);
      if (more.length + others.length > 0) {
        throw new GoError('can only compare one element at a time');
      }
      return one !== undefined && other !== undefined && holds(one, operator, other);
    });
  }
}

function valueAt(value: GoValue, key: string): readonly GoValue[] {
  const found = value instanceof GoMap ? value.get(key) : undefined;
  return found === undefined ? [] : [found];
}

function childrenOf(value: GoValue): readonly GoValue[] {
  if (value instanceof GoMap) return value.sortedKeys().map((key) => value.get(key)!);
  return itemsOf(value) ?? [];
}

function cut(value: GoValue, bounds: SliceBounds): readonly GoValue[] {
  if (value === null) return [];
  const items = itemsOf(value);
  if (items === undefined) throw new GoError('is not array or slice');
  const fromEnd = (index: number) => (index < 0 ? index + items.length : index);
  const start = fromEnd(bounds.start);
  const end = bounds.isOne ? start + 1 : fromEnd(bounds.end ?? items.length);
  if (start === end) return [];
  if (start < 0 || start >= items.length || end < 0 || end > items.length || start > end) {
    throw new GoError(`array index out of bounds: index ${start}, length ${items.length}`);
  }
  if (bounds.step <= 0) throw new GoError('step must be > 0');
  return items.slice(start, end).filter((_, at) => at % bounds.step === 0);
}

/** Compares two of one kind. @throws GoError for others */
function holds(one: GoValue, operator: string, other: GoValue): boolean {
  const order = orderOf(one, other);
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
  }
  if (typeof one === 'boolean') throw new GoError('invalid type for comparison');
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      throw new GoError(`unrecognized filter operator ${operator}`);
  }
}

function orderOf(one: GoValue, other: GoValue): number {
  if (one instanceof GoInt && other instanceof GoInt) return Number(one.value - other.value);
  if (typeof one === 'string' && typeof other === 'string') return compareUtf8(one, other);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  throw new GoError('incompatible types for comparison');
}
