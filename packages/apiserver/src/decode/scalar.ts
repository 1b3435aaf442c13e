import { Quantity } from '@waygate/schema';
import type { ScalarNode } from '../typed-schema/type-node.ts';
import { jsonTypeName } from './go-text.ts';
import { parseTime } from './time-text.ts';

/** The JSON type is wrong, or, if that is said, a value of it, or of a part that should be of another type. */
export interface ScalarMismatch {
  readonly kind: 'mismatch';
  readonly what?: string;
  readonly goType?: string;
}

type ScalarResult =
  | { readonly kind: 'value'; readonly value: unknown }
  | ScalarMismatch
  /** The JSON type is right and the content is not; `restoring` is what is said after a strategic merge. */
  | { readonly kind: 'failure'; readonly message: string; readonly restoring?: string };

const mismatch: ScalarResult = { kind: 'mismatch' };

/** Checks a scalar and brings it into the form in which the API prints it. */
export function conformScalar(value: unknown, node: ScalarNode): ScalarResult {
  switch (node.scalar) {
    case 'string':
      return typeof value === 'string' ? kept(value) : mismatch;
    case 'boolean':
      return typeof value === 'boolean' ? kept(value) : mismatch;
    case 'number':
      if (typeof value === 'bigint') return kept(Number(value));
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

const ranges: Readonly<Record<string, readonly [least: number, limit: number]>> = {
  uint8: [0, 2 ** 8],
  int32: [-(2 ** 31), 2 ** 31],
};

function integer(value: unknown, goType: string): ScalarResult {
  if (typeof value !== 'number' && typeof value !== 'bigint') return mismatch;
  const [least, limit] = ranges[goType] ?? [-(2 ** 63), 2 ** 63];
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  if (!isWhole || value >= limit || value < least) {
    return { kind: 'mismatch', what: `number ${value}` };
  }
  return kept(value);
}

/** Of a type that reads itself and has the number in a field of its own. */
function ownInteger(result: ScalarResult): ScalarResult {
  return result.kind === 'mismatch' ? { ...result, goType: 'int32' } : result;
}

function quantity(value: unknown): ScalarResult {
  // It reads itself, and takes what is no text for one.
  const isRead = ['string', 'number', 'bigint'].includes(typeof value);
  if (!isRead || !Quantity.isQuantity(String(value))) {
    return {
      kind: 'failure',
      message:
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    };
  }
  return kept(Quantity.parse(typeof value === 'number' ? value : String(value)).toString());
}

function time(value: unknown, hasMicros: boolean): ScalarResult {
  if (typeof value !== 'string') return mismatch;
  const result = parseTime(value, hasMicros);
  return result.kind === 'time' ? kept(result.text) : { kind: 'failure', message: result.message };
}

function bytes(value: unknown): ScalarResult {
  if (Array.isArray(value)) return numbers(value);
  if (typeof value !== 'string') return mismatch;
  const clean = value.replaceAll('\n', '').replaceAll('\r', '');
  const bad = firstBadBase64(clean);
  if (bad !== undefined) {
    const message = `illegal base64 data at input byte ${bad}`;
    return { kind: 'failure', message, restoring: `error decoding from json: ${message}` };
  }
  return kept(clean);
}

/** Go takes a list of numbers for bytes, too. */
function numbers(list: readonly unknown[]): ScalarResult {
  const wrong = list.find((item) => integer(item, 'uint8').kind !== 'value');
  if (wrong === undefined) return kept(Buffer.from(list as number[]).toString('base64'));
  const what = ['number', 'bigint'].includes(typeof wrong)
    ? `number ${wrong}`
    : jsonTypeName(wrong);
  return { kind: 'mismatch', what, goType: 'uint8' };
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
