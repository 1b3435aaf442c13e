import { toText } from '../libraries/conversions.ts';
import {
  CelFailure,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  type CelResult,
  CelUint,
  type CelValue,
} from '../values/value.ts';
import type { Run, Step } from './run.ts';

/** One `.field` or `[index]` behind a value. */
export interface Qualifier {
  readonly key: Step;
  /** `.?field` or `[?index]`. */
  readonly isOptional: boolean;
  /** The last field in `has()`: only whether it is there counts. */
  readonly isTest: boolean;
}

/** A value with a path behind it. Following the path costs one unit a step; naming the value is paid by who uses it. */
export interface Attribute {
  readonly base: Step;
  readonly qualifiers: readonly Qualifier[];
}

export function resolve({ base, qualifiers }: Attribute, run: Run): CelResult {
  let value = base(run);
  if (qualifiers.length === 0 || value instanceof CelFailure) return value;
  let isOptional = value instanceof CelOptional;
  if (value instanceof CelOptional) {
    if (value.value === undefined) return value;
    value = value.value;
  }
  for (const qualifier of qualifiers) {
    isOptional ||= qualifier.isOptional;
    const key = qualifier.key(run);
    if (key instanceof CelFailure) {
      if (!isOptional) run.spend(1);
      return key;
    }
    const found: CelResult | undefined = qualify(value, key, qualifier.isTest || isOptional);
    if (!isOptional || (found !== undefined && !(found instanceof CelFailure))) run.spend(1);
    if (found instanceof CelFailure) return found;
    if (found === undefined && isOptional) return CelOptional.none;
    if (qualifier.isTest && !isOptional) return found !== undefined;
    value = found as CelValue;
  }
  return isOptional ? new CelOptional(value) : value;
}

/** A field or item; undefined when it is missing and that may be. */
function qualify(value: CelValue, key: CelValue, mayBeMissing: boolean): CelResult | undefined {
  if (value instanceof CelMap) {
    const found = value.find(key);
    return found === undefined && !mayBeMissing ? noSuchKey(key) : found;
  }
  if (value instanceof CelList) {
    const index = indexOf(key);
    if (index instanceof CelFailure) return index;
    if (index >= 0 && index < value.size) return value.at(index);
    return mayBeMissing ? undefined : new CelFailure(`index out of bounds: ${show(key)}`);
  }
  if (value instanceof CelObject && typeof key === 'string') {
    const found = value.field(key);
    if (found !== undefined) return found;
  }
  return mayBeMissing ? undefined : noSuchKey(key);
}

const show = (key: CelValue) => {
  const text = toText(key);
  return text instanceof CelFailure ? '' : String(text);
};

function noSuchKey(key: CelValue): CelFailure {
  return new CelFailure(`no such key: ${show(key)}`);
}

function indexOf(key: CelValue): number | CelFailure {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (typeof key === 'number') {
    return Number.isInteger(key) ? key : new CelFailure(`unsupported index value ${key} in list`);
  }
  return new CelFailure(`unsupported index type 'string' in list`);
}
