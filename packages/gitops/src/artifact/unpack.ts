import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { GitOpsError } from '../gitops-error.ts';
import type { FileEntry } from './file-entry.ts';
import { FileTree } from './file-tree.ts';
import { TarEnd } from './tar-end.ts';

export interface UnpackLimits {
  /** All files together. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

export const defaultUnpackLimits: UnpackLimits = {
  maxBytes: 512 * 1024 * 1024,
  maxEntries: 100_000,
};

/**
 * Unpacks a gzipped tar archive into memory. Links and devices are left out; a name that leads out
 * of the archive is refused, and so is an archive that is larger than it may be, or was cut.
 *
 * ```ts
 * import { gzipSync } from 'node:zlib';
 *
 * const parts: Uint8Array[] = [];
 * const web = { path: 'web.yaml', isExecutable: false, content: Buffer.from('kind: Service\n') };
 * for await (const part of tarArchive([web])) parts.push(part);
 * const tree = await unpack(gzipSync(Buffer.concat(parts)));
 * tree.readText('/web.yaml'); // 'kind: Service\n'
 * ```
 */
export async function unpack(
  archive: Uint8Array,
  limits: UnpackLimits = defaultUnpackLimits,
): Promise<FileTree> {
  const tree = FileTree.of([]);
  for await (const entry of unpackEntries(archive, limits)) {
    if (entry.kind === 'directory') tree.addDirectory(entry.path);
    else tree.write(entry.path, entry.content);
  }
  return tree;
}

type ArchiveEntry =
  | { readonly kind: 'directory'; readonly path: string }
  | ({ readonly kind: 'file' } & FileEntry);

/** The files and directories of a gzipped tar archive, one after the other, under the same rules. */
export async function* unpackEntries(
  archive: Uint8Array,
  limits: UnpackLimits = defaultUnpackLimits,
): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const gunzip = createGunzip();
  const refuse = (message: string) => new GitOpsError('WG_GITOPS_ARCHIVE', message);
  gunzip.once('error', (cause) => {
    tar.destroy(new GitOpsError('WG_GITOPS_ARCHIVE', 'the archive is not gzip', { cause }));
  });
  // What the parser of the archive says about it comes out of the loop below.
  tar.on('error', () => undefined);
  const end = new TarEnd();
  gunzip.on('data', (chunk: Buffer) => end.feed(chunk));
  Readable.from([archive]).pipe(gunzip).pipe(tar);
  let bytes = 0;
  let entries = 0;
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mode = 0 } = entry.header;
      entries += 1;
      bytes += type === 'file' ? size : 0;
      if (entries > limits.maxEntries) {
        throw refuse(`the archive has more than ${limits.maxEntries} entries`);
      }
      if (bytes > limits.maxBytes) {
        throw refuse(`the archive unpacks to more than ${limits.maxBytes} bytes`);
      }
      if (isOutside(name)) throw refuse(`the archive names '${name}', which is outside of it`);
      if (type === 'directory') yield { kind: 'directory', path: name };
      if (type !== 'file') {
        entry.resume();
        continue;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      const isExecutable = (mode & 0o100) !== 0;
      yield { kind: 'file', path: name, isExecutable, content: Buffer.concat(chunks) };
    }
    if (!end.isWhole) throw refuse('the archive ends before its end: something of it is missing');
  } catch (error) {
    if (error instanceof GitOpsError) throw error;
    throw new GitOpsError('WG_GITOPS_ARCHIVE', `the archive cannot be read: ${String(error)}`, {
      cause: error,
    });
  } finally {
    gunzip.destroy();
    tar.destroy();
  }
}

function isOutside(name: string): boolean {
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0')) return true;
  return name.split('/').includes('..');
}
