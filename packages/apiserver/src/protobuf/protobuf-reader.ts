import { wireFields as fieldsOf, WireError, type WireValue } from '@waygate/text';
import { badRequest } from '../status/api-error.ts';

/** One field of the body of a request. */
interface WireField {
  readonly number: number;
  /** For varints and fixed numbers. */
  readonly integer: bigint;
  /** For strings, bytes and messages; empty for numbers. */
  readonly bytes: Buffer;
}

/** The fields of a message, in their order; refuses what is cut off or of a retired wire type. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  try {
    for (const { number, wire, value } of fieldsOf(bytes))
      yield { number, ...contentOf(wire, value) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw badRequest(`the body of the request is not valid protobuf: proto: ${error.message}`);
  }
}

const empty = Buffer.alloc(0);

function contentOf(wire: number, value: WireValue): Omit<WireField, 'number'> {
  if (typeof value === 'bigint') return { integer: value, bytes: empty };
  if (wire === 1) return { integer: value.readBigUInt64LE(), bytes: empty };
  if (wire === 5) return { integer: BigInt(value.readUInt32LE()), bytes: empty };
  return { integer: 0n, bytes: value };
}
