import type { Budget } from '../go/budget.ts';
import { decodeBytes } from '../go/bytes.ts';
import { sprint } from '../go/format.ts';
import { bytesOf } from '../go/format-value.ts';
import { uint8Type } from '../go/type.ts';
import { GoSlice, type GoValue, itemsOf, typeOf } from '../go/value.ts';

/** What it takes to print one item, beside what printing counts itself. */
const stepsOfText = 6;

/** Sprig's strval: the text of a string, of bytes, of what has a text of its own, else as `%v` prints it. */
export function textOf(value: GoValue, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (value instanceof GoSlice && value.type.elem === uint8Type) return decodeBytes(bytesOf(value));
  const text = typeOf(value)?.text;
  return text === undefined ? sprint([value], budget) : text(value);
}

/** Sprig's strslice: the texts of the items that are not nil; of what is no list, a list of one. */
export function textsOf(value: GoValue, budget: Budget): string[] {
  const items = itemsOf(value);
  if (items === undefined) return value === null ? [] : [textOf(value, budget)];
  budget.step(items.length * stepsOfText);
  return items.filter((item) => item !== null).map((item) => textOf(item, budget));
}
