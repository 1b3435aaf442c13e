/** A value of BER: what it is, and what is in it. */
export interface BerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** Where the next value begins. */
  readonly end: number;
}

/** Writes a value: its tag, its length and its content. */
export function berValue(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), berLength(body.length), body]);
}

function berLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** A small whole number, not negative. */
export function berInteger(value: number, tag = 0x02): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest % 256);
  }
  if ((bytes[0] ?? 0) > 0x7f) bytes.unshift(0);
  return berValue(tag, Buffer.from(bytes));
}

/** Reads the value at a place; undefined if it is not all there yet. */
export function readBer(bytes: Buffer, at: number): BerValue | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return undefined;
  let length = first;
  let start = at + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new Error('a length of BER is not understood');
    if (bytes.length < start + count) return undefined;
    length = bytes.readUIntBE(start, count);
    start += count;
  }
  const end = start + length;
  return bytes.length < end ? undefined : { tag, content: bytes.subarray(start, end), end };
}
