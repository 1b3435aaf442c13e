import { gunzipSync } from 'node:zlib';
import { readTar, type TarEntry } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import { MemoryFileSystem } from './memory.ts';

/** How large an archive may be, unpacked. */
export interface TarLimits {
  /** Unpacked, all files together. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

const defaultLimits: TarLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 200_000 };

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
  limits: TarLimits = defaultLimits,
): MemoryFileSystem {
  const fileSystem = new MemoryFileSystem();
  let entries = 0;
  for (const entry of entriesOf(unzip(archive, limits))) {
    entries += 1;
    if (entries > limits.maxEntries) throw tarError('holds too many entries');
    addEntry(fileSystem, entry);
  }
  return fileSystem;
}

function* entriesOf(bytes: Uint8Array): Iterable<TarEntry> {
  try {
    yield* readTar(bytes);
  } catch (error) {
    throw tarError(`cannot be read: ${(error as Error).message}`, error);
  }
}

function addEntry(fileSystem: MemoryFileSystem, { kind, name, link, data }: TarEntry): void {
  if (escapes(name)) throw tarError(`names '${name}', which is outside of it`);
  if (kind === 'file') fileSystem.addFile(name, data);
  if (kind === 'directory') fileSystem.addDirectory(name);
  if (kind === 'link') fileSystem.addLink(name, link);
  if (kind !== 'hardLink') return;
  if (escapes(link)) throw tarError(`links to '${link}', which is outside of it`);
  // Its path is one from the root of the archive.
  fileSystem.addLink(name, `/${link}`);
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
    throw tarError('cannot be unpacked, or is larger than allowed', error);
  }
}

function tarError(problem: string, cause?: unknown): KustomizeError {
  return new KustomizeError(`the archive ${problem}`, { code: 'WG_KUSTOMIZE_LIMIT', cause });
}
