const block = 512;

/** What the header of a file or directory says. */
export interface TarHeader {
  readonly name: string;
  /** The bytes that follow; at most 8 GiB, which is what the header can say. */
  readonly size: number;
  readonly mode: number;
  readonly isDirectory?: boolean;
  /** The epoch, if not given: the same files then make the same archive. */
  readonly modifiedAtMs?: number;
}

/** What ends an archive. */
export const tarEnd: Uint8Array = new Uint8Array(2 * block);

/**
 * The header of an entry, in the words of Go's writer: POSIX' `ustar`, with a pax record before it where
 * the name is too long for that or not ASCII. The content follows, and `tarPadding` of its size.
 *
 * ```ts
 * const data = Buffer.from('kind: Service\n');
 * const header = tarHeader({ name: 'app/web.yaml', size: data.length, mode: 0o644 });
 * const archive = Buffer.concat([header, data, tarPadding(data.length), tarEnd]);
 * [...readTar(archive)].map(({ name }) => name); // ['app/web.yaml']
 * ```
 */
export function tarHeader(entry: TarHeader): Buffer {
  const { name, size, mode } = entry;
  const seconds = Math.max(0, Math.floor((entry.modifiedAtMs ?? 0) / 1000));
  const type = entry.isDirectory === true ? '5' : '0';
  const place = placeOf(name);
  if (place !== undefined) return header(place, { size, mode, seconds, type });
  const shown = name.replace(/[^ -~]/g, '_');
  const record = paxRecord('path', name);
  return Buffer.concat([
    header(
      { prefix: '', name: `PaxHeaders.0/${shown.slice(-80)}` },
      { size: record.length, mode: 0o644, seconds: 0, type: 'x' },
    ),
    record,
    tarPadding(record.length),
    header({ prefix: '', name: shown.slice(-100) }, { size, mode, seconds, type }),
  ]);
}

/**
 * What fills the last block of a content.
 *
 * ```ts
 * tarPadding(500).length; // 12
 * ```
 */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((block - (size % block)) % block);
}

interface Place {
  readonly prefix: string;
  readonly name: string;
}

/** A name in the two fields of the header; undefined when it does not fit or is not ASCII. */
function placeOf(name: string): Place | undefined {
  if (!/^[ -~]*$/.test(name)) return undefined;
  if (name.length <= 100) return { prefix: '', name };
  const slash = name.lastIndexOf('/', 155);
  if (slash <= 0 || name.length - slash - 1 > 100) return undefined;
  return { prefix: name.slice(0, slash), name: name.slice(slash + 1) };
}

function header(
  { prefix, name }: Place,
  { size, mode, seconds, type }: { size: number; mode: number; seconds: number; type: string },
): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, offset: number, length: number) =>
    bytes.write(value.toString(8).padStart(length - 1, '0'), offset, 'latin1');
  bytes.write(name, 0, 'latin1');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  // The sum is of a header with blanks in its own place.
  bytes.write('        ', 148, 'latin1');
  bytes.write(type, 156, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  bytes.write(prefix, 345, 'latin1');
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** `LENGTH key=value\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length + rest !== length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
