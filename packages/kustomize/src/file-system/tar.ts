import { gunzipSync } from 'node:zlib';
import { KustomizeError } from '../kustomize-error.ts';
import { joinPath, parentOf } from './file-system.ts';
import { MemoryFileSystem } from './memory.ts';

/** How large an archive may be, unpacked. */
export interface TarLimits {
  /** Unpacked, all files together. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

const DEFAULT_LIMITS: TarLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 200_000 };

const BLOCK = 512;

/**
 * The files of a tar archive, plain or gzipped; nothing is written to disk.
 *
 * ```ts
 * import { readFile } from 'node:fs/promises';
 *
 * const result = await build(tarFileSystem(await readFile('artifact.tar.gz')), '/');
 * ```
 */
export function tarFileSystem(
  archive: Uint8Array,
  limits: TarLimits = DEFAULT_LIMITS,
): MemoryFileSystem {
  const bytes = unzip(archive, limits);
  const fileSystem = new MemoryFileSystem();
  let longName: string | undefined;
  let longLink: string | undefined;
  let entries = 0;
  for (let offset = 0; offset + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(offset, offset + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    entries += 1;
    if (entries > limits.maxEntries) throw tarError('holds too many entries');
    const size = sizeOf(header);
    const start = offset + BLOCK;
    if (start + size > bytes.length) throw tarError('is cut short');
    const body = bytes.subarray(start, start + size);
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'g') {
      const records = paxRecords(body);
      if (type === 'x') {
        longName = records.get('path') ?? longName;
        longLink = records.get('linkpath') ?? longLink;
      }
      continue;
    }
    if (type === 'L' || type === 'K') {
      const text = textOf(body);
      if (type === 'L') longName = text;
      else longLink = text;
      continue;
    }
    const name = longName ?? nameOf(header);
    const link = longLink ?? textOf(header.subarray(157, 257));
    longName = undefined;
    longLink = undefined;
    addEntry(fileSystem, type, name, link, body);
  }
  return fileSystem;
}

function addEntry(
  fileSystem: MemoryFileSystem,
  type: string,
  name: string,
  link: string,
  body: Uint8Array,
): void {
  if (escapes(name)) throw tarError(`names '${name}', which is outside of it`);
  switch (type) {
    case '0':
    case '\0':
    case '7':
      fileSystem.addFile(name, body);
      return;
    case '5':
      fileSystem.addDirectory(name);
      return;
    case '2':
      fileSystem.addLink(name, link);
      return;
    case '1':
      // A hard link names another entry from the root of the archive.
      if (escapes(link)) throw tarError(`links to '${link}', which is outside of it`);
      fileSystem.addLink(name, relative(name, link));
  }
}

function relative(name: string, link: string): string {
  const depth = parentOf(joinPath('/', name)).split('/').filter(Boolean).length;
  return '../'.repeat(depth) + link.replace(/^\/+/, '');
}

function escapes(name: string): boolean {
  let depth = 0;
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

function unzip(archive: Uint8Array, limits: TarLimits): Uint8Array {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) return archive;
  try {
    return gunzipSync(archive, { maxOutputLength: limits.maxBytes });
  } catch (error) {
    throw new KustomizeError('the archive cannot be unpacked, or is larger than allowed', {
      code: 'WG_KUSTOMIZE_LIMIT',
      cause: error,
    });
  }
}

function tarError(problem: string): KustomizeError {
  return new KustomizeError(`the archive ${problem}`, { code: 'WG_KUSTOMIZE_LIMIT' });
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

function nameOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = textOf(header.subarray(257, 263)).startsWith('ustar');
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function sizeOf(header: Uint8Array): number {
  const field = header.subarray(124, 136);
  // Sizes past 8 GB are binary, with the first bit set: none of ours.
  if ((field[0]! & 0x80) !== 0) throw tarError('holds a file that is too large');
  const text = textOf(field).trim();
  const size = text === '' ? 0 : Number.parseInt(text, 8);
  if (!Number.isSafeInteger(size) || size < 0) throw tarError('is damaged');
  return size;
}

/** Records are `LENGTH KEY=VALUE\n`, the length counting all of it. */
function paxRecords(body: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let offset = 0; offset < body.length; ) {
    const space = body.indexOf(0x20, offset);
    const length = Number.parseInt(Buffer.from(body.subarray(offset, space)).toString('ascii'), 10);
    if (space < 0 || !(length > 0)) break;
    const record = Buffer.from(body.subarray(space + 1, offset + length - 1)).toString('utf8');
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    offset += length;
  }
  return records;
}
