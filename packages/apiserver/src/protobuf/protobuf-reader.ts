import { badRequest } from '../status/api-error.ts';

/** One field as it stands on the wire. */
interface WireField {
  readonly number: number;
  /** For varints and fixed numbers. */
  readonly integer: bigint;
  /** For strings, bytes and messages; empty for numbers. */
  readonly bytes: Buffer;
}

/** The fields of a message, in their order; refuses what is cut off or of a retired wire type. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw broken('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw broken('integer overflow');
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw broken('unexpected EOF');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = Math.floor(tag / 8);
    if (number <= 0) throw broken(`illegal tag ${number}`);
    switch (tag % 8) {
      case 0:
        yield { number, integer: varint(), bytes: empty };
        break;
      case 1:
        yield { number, integer: take(8).readBigUInt64LE(), bytes: empty };
        break;
      case 2:
        yield { number, integer: 0n, bytes: take(Number(varint())) };
        break;
      case 5:
        yield { number, integer: BigInt(take(4).readUInt32LE()), bytes: empty };
        break;
      default:
        throw broken(`illegal wireType ${tag % 8}`);
    }
  }
}

const empty = Buffer.alloc(0);

function broken(problem: string) {
  return badRequest(`the body of the request is not valid protobuf: proto: ${problem}`);
}
