/** Writes ASN.1 in its distinguished encoding, as certificates and keys are written. */

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

/** A value of any tag. */
export function derTagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

/**
 * Values one after the other, as one.
 *
 * ```ts
 * derSequence(derInteger(1n)).toString('hex'); // '3003020101'
 * ```
 */
export function derSequence(...contents: readonly Uint8Array[]): Buffer {
  return derTagged(0x30, ...contents);
}

/**
 * A whole number that is not negative.
 *
 * ```ts
 * derInteger(128n).toString('hex'); // '02020080'
 * ```
 */
export function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return derTagged(0x02, bytes[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/**
 * A name in the tree of all names, such as that of a common name.
 *
 * ```ts
 * derObjectId('2.5.4.3').toString('hex'); // '0603550403'
 * ```
 */
export function derObjectId(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return derTagged(0x06, Buffer.from(bytes));
}

export function derOctets(content: Uint8Array): Buffer {
  return derTagged(0x04, content);
}

export function derBits(content: Uint8Array, unused = 0): Buffer {
  return derTagged(0x03, Buffer.of(unused), content);
}

export function derBoolean(value: boolean): Buffer {
  return derTagged(0x01, Buffer.of(value ? 0xff : 0));
}

/** Up to 2049 in two digits of the year, as certificates have it. */
export function derTime(time: Date): Buffer {
  const text = `${time.toISOString().replace(/[-T:]/g, '').slice(0, 14)}Z`;
  const year = time.getUTCFullYear();
  if (year >= 1950 && year < 2050) return derTagged(0x17, Buffer.from(text.slice(2)));
  return derTagged(0x18, Buffer.from(text));
}

/**
 * One value of a DER text: its tag, its content, and where it ends.
 *
 * ```ts
 * readDer(derInteger(5n))?.end; // 3
 * ```
 */
export function readDer(
  bytes: Uint8Array,
  at = 0,
): { tag: number; content: Uint8Array; end: number } | undefined {
  const tag = bytes[at];
  let length = bytes[at + 1];
  if (tag === undefined || length === undefined) return undefined;
  let start = at + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count > 4) return undefined;
    length = 0;
    for (let more = 0; more < count; more++) length = length * 256 + (bytes[start++] ?? 0);
  }
  const end = start + length;
  return end > bytes.length ? undefined : { tag, content: bytes.subarray(start, end), end };
}

/**
 * The parts of a sequence.
 *
 * ```ts
 * const pair = readDer(derSequence(derInteger(1n), derInteger(2n)))!;
 * readDerParts(pair.content).length; // 2
 * ```
 */
export function readDerParts(
  content: Uint8Array,
): { tag: number; content: Uint8Array; whole: Uint8Array }[] {
  const parts = [];
  for (let at = 0; at < content.length; ) {
    const part = readDer(content, at);
    if (part === undefined) break;
    parts.push({ tag: part.tag, content: part.content, whole: content.subarray(at, part.end) });
    at = part.end;
  }
  return parts;
}

/**
 * PEM: base64 in lines of 64 between its marks.
 *
 * ```ts
 * pemText('CERTIFICATE', derInteger(1n)).split('\n')[0]; // '-----BEGIN CERTIFICATE-----'
 * ```
 */
export function pemText(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.map((line) => `${line}\n`).join('')}-----END ${label}-----\n`;
}

/**
 * The first block of a PEM text.
 *
 * ```ts
 * readPem(pemText('CERTIFICATE', derInteger(1n)))?.label; // 'CERTIFICATE'
 * ```
 */
export function readPem(text: string): { label: string; der: Buffer } | undefined {
  const match = /-----BEGIN ([^-\n]+)-----\r?\n([\s\S]*?)-----END \1-----/.exec(text);
  if (match === null) return undefined;
  const body = match[2]!.replace(/^[^\n:]+:[^\n]*\n/gm, '').replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body)) return undefined;
  return { label: match[1]!, der: Buffer.from(body, 'base64') };
}
