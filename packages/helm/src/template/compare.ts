import { compareUtf8 } from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { sprint, sprintf } from '../go/format.ts';
import { type Boxed, GoError, type Reflected } from '../go/function.ts';
import {
  GoComplex,
  GoInt,
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  isNil,
  typeOf,
  unboxed,
} from '../go/value.ts';

type Basic = 'bool' | 'complex' | 'int' | 'float' | 'string' | 'uint' | undefined;

function basicKind(value: GoValue | undefined): Basic {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float';
    case 'string':
      return 'string';
  }
  if (value instanceof GoInt) return value.type.kind.startsWith('u') ? 'uint' : 'int';
  return value instanceof GoComplex ? 'complex' : undefined;
}

/** `eq`: whether the first equals any of the others. Kinds are compared before values. */
export function isEqual(first: Reflected, others: readonly Reflected[], budget: Budget): boolean {
  const one = unboxed(first);
  if (others.length === 0) throw new GoError('missing argument for comparison');
  return others.some((other) => isEqualPair(one, unboxed(other), budget));
}

function isEqualPair(
  one: Exclude<Reflected, Boxed>,
  other: Exclude<Reflected, Boxed>,
  budget: Budget,
): boolean {
  const kind = basicKind(one);
  const otherKind = basicKind(other);
  if (one instanceof GoInt && other instanceof GoInt) return one.value === other.value;
  if (kind !== otherKind) {
    if (one === undefined || other === undefined) return false;
    throw incompatible(one, other);
  }
  if (one instanceof GoComplex && other instanceof GoComplex) {
    return one.real === other.real && one.imaginary === other.imaginary;
  }
  if (kind !== undefined) return one === other;
  if (one === undefined || other === undefined) return isNil(one ?? null) === isNil(other ?? null);
  const type = typeOf(one);
  const otherType = typeOf(other);
  if (type.kind !== otherType.kind) {
    throw new GoError(
      `non-comparable types ${sprintf('%s', [one], budget)}: ${type.name}, ${otherType.name}: ${sprint([other], budget)}`,
    );
  }
  if (isNil(one) || isNil(other)) return isNil(one) === isNil(other);
  if (
    other instanceof GoMap ||
    other instanceof GoSlice ||
    Array.isArray(other) ||
    isUncomparable(other)
  ) {
    throw new GoError(`non-comparable type ${sprintf('%s', [other], budget)}: ${otherType.name}`);
  }
  if (type.kind === 'ptr') return one === other;
  return (
    type === otherType &&
    one instanceof GoObject &&
    other instanceof GoObject &&
    equalFields(one, other)
  );
}

/** A struct that holds maps or slices. */
function isUncomparable(value: GoValue): boolean {
  return (
    value instanceof GoObject &&
    value.type.kind === 'struct' &&
    value.fields.some(
      ({ value: each }) =>
        each instanceof GoMap ||
        each instanceof GoSlice ||
        Array.isArray(each) ||
        isUncomparable(each),
    )
  );
}

function equalFields(one: GoObject, other: GoObject): boolean {
  return one.fields.every(({ value }, at) => {
    const second = other.fields[at]?.value;
    if (value instanceof GoInt && second instanceof GoInt) return value.value === second.value;
    return value === second;
  });
}

function incompatible(one: Exclude<GoValue, null>, other: Exclude<GoValue, null>): GoError {
  return new GoError(
    `incompatible types for comparison: ${typeOf(one).name} and ${typeOf(other).name}`,
  );
}

/** `lt`: whether the first is less than the second. */
export function isLess(first: Reflected, second: Reflected): boolean {
  const one = unboxed(first);
  const other = unboxed(second);
  const kind = basicKind(one);
  const otherKind = basicKind(other);
  if (kind === undefined || otherKind === undefined)
    throw new GoError('invalid type for comparison');
  if (one instanceof GoInt && other instanceof GoInt) return one.value < other.value;
  if (kind !== otherKind) throw incompatible(one!, other!);
  if (typeof one === 'number') return one < (other as number);
  if (typeof one === 'string') return compareUtf8(one, other as string) < 0;
  throw new GoError('invalid type for comparison');
}
