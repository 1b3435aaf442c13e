/** What an entry of a tar archive is; devices, pipes and what else there may be are `other`. */
export type TarKind = 'file' | 'directory' | 'link' | 'hardLink' | 'other';

/** An entry of a tar archive. */
export interface TarEntry {
  readonly kind: TarKind;
  readonly name: string;
  /** What a link leads to: from its own directory, or of a hard one from the root of the archive. */
  readonly link: string;
  /** A part of the archive's bytes, not a copy. */
  readonly data: Uint8Array;
  readonly modifiedAtMs: number;
}

const block = 512;
const text = new TextDecoder();
const kinds: Readonly<Record<string, TarKind>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hardLink',
  '2': 'link',
  '5': 'directory',
};

/**
 * The entries of a tar archive in their order, with the long names of POSIX (pax) and of GNU. What is
 * neither file nor directory comes with no content, as Go's reader has it.
 *
 * ```ts
 * import { readFile } from 'node:fs/promises';
 *
 * for (const { kind, name } of readTar(await readFile('chart.tar'))) console.log(kind, name);
 * ```
 *
 * @throws Error with Go's words for a broken header or an archive that was cut
 */
export function* readTar(bytes: Uint8Array): Iterable<TarEntry> {
  let at = 0;
  let longName: string | undefined;
  let longLink: string | undefined;
  let pax = new Map<string, string>();
  while (at + block <= bytes.length) {
    const header = bytes.subarray(at, at + block);
    at += block;
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const type = String.fromCharCode(header[156]!);
    const hasContent = !'123456'.includes(type);
    const size = hasContent ? sizeOf(header, pax) : 0;
    if (at + size > bytes.length) throw new Error('unexpected EOF');
    const data = bytes.subarray(at, at + size);
    at += Math.ceil(size / block) * block;
    if (type === 'x') pax = paxRecords(data);
    else if (type === 'L') longName = cString(data);
    else if (type === 'K') longLink = cString(data);
    else if (type !== 'g') {
      const name = pax.get('path') ?? longName ?? headerName(header);
      const link = pax.get('linkpath') ?? longLink ?? cString(header.subarray(157, 257));
      const modifiedAtMs = octal(header, 136, 12) * 1000;
      longName = undefined;
      longLink = undefined;
      pax = new Map();
      // Archives of before 1988 mark a directory by the end of its name only.
      const kind = name.endsWith('/') ? 'directory' : (kinds[type] ?? 'other');
      yield { kind, name, link, data, modifiedAtMs };
    }
  }
  if (at < bytes.length) throw new Error('unexpected EOF');
}

function checkSum(header: Uint8Array): void {
  let unsigned = 0;
  for (let at = 0; at < block; at++) unsigned += at >= 148 && at < 156 ? 32 : header[at]!;
  if (unsigned !== octal(header, 148, 8)) throw new Error('archive/tar: invalid tar header');
}

function sizeOf(header: Uint8Array, pax: ReadonlyMap<string, string>): number {
  const told = pax.get('size');
  const size = told === undefined ? octal(header, 124, 12) : Number(told);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('archive/tar: invalid tar header');
  return size;
}

/** Octal digits, or a big number in binary. */
function octal(header: Uint8Array, from: number, length: number): number {
  if ((header[from]! & 0x80) !== 0) {
    let value = BigInt(header[from]! & 0x7f);
    for (let at = from + 1; at < from + length; at++) value = (value << 8n) | BigInt(header[at]!);
    return Number(value);
  }
  const digits = text.decode(header.subarray(from, from + length)).replace(/[\0 ]+/g, '');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function headerName(header: Uint8Array): string {
  const name = cString(header.subarray(0, 100));
  const isUstar = text.decode(header.subarray(257, 262)) === 'ustar';
  const prefix = isUstar ? cString(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return text.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** `LENGTH KEY=VALUE\n`, as often as there are records. */
function paxRecords(data: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(32, at);
    const length = Number(text.decode(data.subarray(at, Math.max(space, at))));
    if (space < 0 || !Number.isSafeInteger(length) || length < 5 || at + length > data.length) {
      throw new Error('archive/tar: invalid tar header');
    }
    const record = text.decode(data.subarray(space + 1, at + length - 1));
    const equals = record.indexOf('=');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}
