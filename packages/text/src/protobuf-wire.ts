/**
 * A number as protobuf writes it, seven bits to a byte; a negative one as 64 bits of two's complement.
 *
 * ```ts
 * [...varint(300)]; // [172, 2]
 * ```
 */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** What a field holds on the wire: a varint, or the bytes of anything else. */
export type WireValue = bigint | Buffer;

/**
 * Bytes that are no message of protobuf, in the words of Go's reader.
 *
 * ```ts
 * const isNoMessage = (error: unknown) => error instanceof WireError;
 * ```
 */
export class WireError extends Error {}

/** One field as it stands on the wire. */
export interface WireField {
  readonly number: number;
  /** 0 a varint, 1 eight bytes, 2 so many as they say, 5 four bytes. */
  readonly wire: number;
  readonly value: WireValue;
}

/**
 * The fields of a message, in their order.
 *
 * ```ts
 * [...wireFields(Buffer.from([8, 172, 2]))]; // [{ number: 1, wire: 0, value: 300n }]
 * ```
 *
 * @throws WireError for what is cut off or of a retired type
 */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  const reader = new WireReader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const number = Number(tag >> 3n);
    if (number === 0) throw new WireError('illegal tag 0');
    const wire = Number(tag & 7n);
    yield { number, wire, value: reader.value(wire) };
  }
}

/**
 * The values of one type that stand one after the other, as a packed field has them.
 *
 * ```ts
 * [...wireValues(Buffer.from([1, 172, 2]), 0)]; // [1n, 300n]
 * ```
 *
 * @throws WireError as `wireFields`
 */
export function* wireValues(bytes: Buffer, wire: number): Generator<WireValue> {
  const reader = new WireReader(bytes);
  while (!reader.isAtEnd) yield reader.value(wire);
}

class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new WireError('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('integer overflow');
  }

  value(wire: number): WireValue {
    switch (wire) {
      case 0:
        return this.varint();
      case 1:
        return this.#take(8);
      case 2:
        return this.#take(Number(this.varint()));
      case 5:
        return this.#take(4);
      default:
        throw new WireError(`illegal wireType ${wire}`);
    }
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new WireError('unexpected EOF');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
