import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { GitOpsError } from '../gitops-error.ts';
import { FileTree } from './file-tree.ts';

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
 * of the archive is refused, and so is one that is larger than it may be.
 */
export async function unpack(
  archive: Uint8Array,
  limits: UnpackLimits = defaultUnpackLimits,
): Promise<FileTree> {
  const tree = FileTree.of([]);
  const tar = extract();
  const gunzip = createGunzip();
  let bytes = 0;
  let entries = 0;
  const refuse = (message: string) => new GitOpsError('WG_GITOPS_ARCHIVE', message);
  const failing = new Promise<never>((_resolve, reject) => {
    gunzip.once('error', (cause) => {
      reject(new GitOpsError('WG_GITOPS_ARCHIVE', 'the archive is not gzip', { cause }));
      tar.destroy();
    });
  });
  const reading = (async () => {
    for await (const entry of tar) {
      const { name, type, size = 0 } = entry.header;
      entries += 1;
      bytes += type === 'file' ? size : 0;
      if (entries > limits.maxEntries) {
        throw refuse(`the archive has more than ${limits.maxEntries} entries`);
      }
      if (bytes > limits.maxBytes) {
        throw refuse(`the archive unpacks to more than ${limits.maxBytes} bytes`);
      }
      if (isOutside(name)) throw refuse(`the archive names '${name}', which is outside of it`);
      if (type === 'directory') tree.addDirectory(name);
      if (type !== 'file') {
        entry.resume();
        continue;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      tree.write(name, Buffer.concat(chunks));
    }
  })();
  Readable.from([archive]).pipe(gunzip).pipe(tar);
  try {
    await Promise.race([reading, failing]);
    return tree;
  } catch (error) {
    if (error instanceof GitOpsError) throw error;
    throw new GitOpsError('WG_GITOPS_ARCHIVE', `the archive cannot be read: ${String(error)}`, {
      cause: error,
    });
  } finally {
    failing.catch(() => undefined);
    reading.catch(() => undefined);
    gunzip.destroy();
    tar.destroy();
  }
}

function isOutside(name: string): boolean {
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0')) return true;
  return name.split('/').includes('..');
}
