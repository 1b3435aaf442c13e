import { GitOpsError } from '../gitops-error.ts';
import type { FileEntry } from './file-entry.ts';

const block = 512;

/**
 * A tar archive that depends on nothing but paths, modes and contents: no times, no owners. Files
 * must come in the order of a walk; their directories are written before them.
 *
 * ```ts
 * const files = [{ path: 'app/web.yaml', isExecutable: false, content: Buffer.from('kind: Service\n') }];
 * const bytes: Uint8Array[] = [];
 * for await (const part of tarArchive(files)) bytes.push(part);
 * Buffer.concat(bytes).length % 512; // 0
 * ```
 */
export async function* tarArchive(
  files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
): AsyncGenerator<Uint8Array> {
  const directories = new Set<string>();
  yield header('.', 0, 0o750, '5');
  for await (const file of files) yield* partsOf(file, directories);
  yield new Uint8Array(2 * block);
}

/** The same archive of files that are in memory, in one piece: a thousand small parts would each wait for their turn. */
export function tarBytes(files: Iterable<FileEntry>): Buffer {
  const directories = new Set<string>();
  const parts = [header('.', 0, 0o750, '5')];
  for (const file of files) parts.push(...partsOf(file, directories));
  return Buffer.concat([...parts, new Uint8Array(2 * block)]);
}

/** A file, and before it the directories above it that are not among those that were written. */
function* partsOf(file: FileEntry, directories: Set<string>): Generator<Uint8Array> {
  for (const directory of parentsOf(file.path)) {
    if (directories.has(directory)) continue;
    directories.add(directory);
    yield* entry(directory, 0, 0o750, '5');
  }
  yield* entry(file.path, file.content.length, file.isExecutable ? 0o700 : 0o600, '0');
  yield file.content;
  const rest = file.content.length % block;
  if (rest > 0) yield new Uint8Array(block - rest);
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    parents.push(path.slice(0, slash));
  }
  return parents;
}

/** A path that is too long for the header goes into a record of its own before it. */
function* entry(path: string, size: number, mode: number, type: string): Generator<Uint8Array> {
  if (Buffer.byteLength(path) <= 100) {
    yield header(path, size, mode, type);
    return;
  }
  const record = paxRecord('path', path);
  yield header('PaxHeaders.0/file', record.length, 0o600, 'x');
  yield record;
  if (record.length % block > 0) yield new Uint8Array(block - (record.length % block));
  yield header(path.slice(-80).replace(/[^\x20-\x7e]/g, '_'), size, mode, type);
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length + rest !== length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(path: string, size: number, mode: number, type: string): Uint8Array {
  if (size > 0o77777777777) {
    throw new GitOpsError('WG_GITOPS_ARCHIVE', `${path} is too large for an archive`);
  }
  const bytes = Buffer.from(emptyHeader(mode, type));
  const end = bytes.write(path, 0, 100);
  octal(bytes, size, 124, 12);
  let sum = 0;
  for (let index = 0; index < end; index++) sum += bytes[index] as number;
  // All that is not the path and stands at the same place in every header.
  for (let index = 100; index < 265; index++) sum += bytes[index] as number;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return bytes;
}

const emptyHeaders = new Map<string, Buffer>();

/** A header without a path and a size. */
function emptyHeader(mode: number, type: string): Buffer {
  const key = `${mode} ${type}`;
  const known = emptyHeaders.get(key);
  if (known !== undefined) return known;
  const bytes = Buffer.alloc(block);
  octal(bytes, mode, 100, 8);
  octal(bytes, 0, 108, 8);
  octal(bytes, 0, 116, 8);
  octal(bytes, 0, 136, 12);
  bytes.write('        ', 148);
  bytes.write(type, 156);
  bytes.write('ustar\u000000', 257, 'latin1');
  emptyHeaders.set(key, bytes);
  return bytes;
}

function octal(bytes: Buffer, value: number, offset: number, length: number): void {
  bytes.write(`${value.toString(8).padStart(length - 1, '0')}\u0000`, offset);
}
