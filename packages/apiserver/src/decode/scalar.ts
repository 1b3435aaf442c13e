import { Quantity } from '@waygate/schema';
import type { ScalarNode } from '../typed-schema/type-node.ts';
import { parseTime } from './time-text.ts';

type ScalarResult =
  | { readonly kind: 'value'; readonly value: unknown }
  /** The JSON type is wrong, or, if that is said, a value of it. */
  | { readonly kind: 'mismatch'; readonly what?: string }
  /** The JSON type is right and the content is not. */
  | { readonly kind: 'failure'; readonly message: string };

const mismatch: ScalarResult = { kind: 'mismatch' };

/** Checks a scalar and brings it into the form in which the API prints it. */
export function conformScalar(value: unknown, node: ScalarNode): ScalarResult {
  switch (node.scalar) {
    case 'string':
      return typeof value === 'string' ? kept(value) : mismatch;
    case 'boolean':
      return typeof value === 'boolean' ? kept(value) : mismatch;
    case 'number':
      return typeof value === 'number' ? kept(value) : mismatch;
    case 'integer':
      return integer(value, node.goType);
    case 'int-or-string':
      if (typeof value === 'string') return kept(value);
      return ownInteger(integer(value, 'int32'));
    case 'quantity':
      return quantity(value);
    case 'time':
      return time(value, false);
    case 'micro-time':
      return time(value, true);
    case 'bytes':
      return bytes(value);
  }
}

function kept(value: unknown): ScalarResult {
  return { kind: 'value', value };
}

function integer(value: unknown, goType: string): ScalarResult {
  if (typeof value !== 'number') return mismatch;
  const limit = goType === 'int32' ? 2 ** 31 : 2 ** 63;
  if (!Number.isInteger(value) || value >= limit || value < -limit) {
    return { kind: 'mismatch', what: `number ${value}` };
  }
  return kept(value);
}

/** Of a type that reads itself, so that it does not know of which field it is. */
function ownInteger(result: ScalarResult): ScalarResult {
  if (result.kind !== 'mismatch' || result.what === undefined) return result;
  const message = `json: cannot unmarshal ${result.what} into Go value of type int32`;
  return { kind: 'failure', message };
}

function quantity(value: unknown): ScalarResult {
  if (typeof value !== 'string' && typeof value !== 'number') return mismatch;
  if (!Quantity.isQuantity(String(value))) {
    return {
      kind: 'failure',
      message:
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    };
  }
  return kept(Quantity.parse(value).toString());
}

function time(value: unknown, hasMicros: boolean): ScalarResult {
  if (typeof value !== 'string') return mismatch;
  const result = parseTime(value, hasMicros);
  return result.kind === 'time' ? kept(result.text) : { kind: 'failure', message: result.message };
}

function bytes(value: unknown): ScalarResult {
  if (typeof value !== 'string') return mismatch;
  const clean = value.replaceAll('\n', '').replaceAll('\r', '');
  const bad = firstBadBase64(clean);
  if (bad !== undefined) {
    return { kind: 'failure', message: `illegal base64 data at input byte ${bad}` };
  }
  return kept(clean);
}

/** The position that Go's decoder names when text is not padded standard base64. */
function firstBadBase64(text: string): number | undefined {
  const body = text.replace(/={1,2}$/, '');
  const match = /[^A-Za-z0-9+/]/.exec(body);
  if (match !== null) return match.index;
  if (text.length % 4 !== 0)
    return text.length === body.length ? text.length - (text.length % 4) : body.length;
  return undefined;
}
