const block = 512;
const encoder = new TextEncoder();

/** A file to be put into an archive. */
export interface TarFile {
  readonly name: string;
  readonly data: Uint8Array;
  readonly modifiedAtMs: number;
}

/** The bytes of a tar archive. The same files make the same bytes. */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const file of files) {
    const place = splitName(file.name);
    if (place === undefined) {
      const record = paxRecord('path', file.name);
      const name = `PaxHeaders.0/${file.name.slice(-80).replace(/[^ -~]/g, '_')}`;
      parts.push(
        header({ prefix: '', name }, record.length, 0, 'x'),
        record,
        padding(record.length),
      );
    }
    const seconds = Math.floor(file.modifiedAtMs / 1000);
    const shown = place ?? { prefix: '', name: file.name.slice(-100).replace(/[^ -~]/g, '_') };
    parts.push(header(shown, file.data.length, seconds, '0'), file.data, padding(file.data.length));
  }
  parts.push(new Uint8Array(2 * block));
  return Buffer.concat(parts);
}

interface Place {
  readonly prefix: string;
  readonly name: string;
}

/** A name in the two fields of the header; undefined when it does not fit or is not ASCII. */
function splitName(name: string): Place | undefined {
  if (!/^[ -~]*$/.test(name)) return undefined;
  if (name.length <= 100) return { prefix: '', name };
  const slash = name.lastIndexOf('/', 155);
  if (slash <= 0 || name.length - slash - 1 > 100) return undefined;
  return { prefix: name.slice(0, slash), name: name.slice(slash + 1) };
}

function header({ prefix, name }: Place, size: number, seconds: number, kind: string): Uint8Array {
  const bytes = new Uint8Array(block);
  const put = (text: string, at: number): void => bytes.set(encoder.encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put(`${octal(0o644, 7)}\0`, 100);
  put(`${octal(0, 7)}\0`, 108);
  put(`${octal(0, 7)}\0`, 116);
  put(`${octal(size, 11)}\0`, 124);
  put(`${octal(Math.max(0, seconds), 11)}\0`, 136);
  put('        ', 148);
  put(kind, 156);
  put('ustar\x0000', 257);
  put(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return bytes;
}

function padding(size: number): Uint8Array {
  return new Uint8Array((block - (size % block)) % block);
}

/** `LENGTH key=value\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest + String(rest).length;
  if (String(length).length + rest !== length) length = rest + String(length).length;
  return encoder.encode(`${length} ${key}=${value}\n`);
}
