import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Artifact } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { ArtifactStorage } from './artifact-storage.ts';

/** The largest archive that is taken, as of those who fetch artifacts to use them. */
const largestBytes = 256 * 1024 * 1024;

/**
 * Puts an artifact that another replica made into a storage, as it is. It appears whole, with the bytes
 * that its digest promises, or not at all.
 */
export async function copyArtifact(
  storage: ArtifactStorage,
  artifact: Artifact,
  bytes: Readable,
): Promise<void> {
  const full = storage.onDisk(artifact.path);
  const directory = dirname(full);
  const [algorithm = '', wanted = ''] = artifact.digest.split(':');
  if (!['sha256', 'sha384', 'sha512'].includes(algorithm)) throw mismatch(artifact);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = join(directory, `${randomUUID()}.tmp`);
  const hash = createHash(algorithm);
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      hash.update(chunk);
      size += chunk.length;
      if (size <= largestBytes) callback(null, chunk);
      else callback(new GitOpsError('WG_GITOPS_ARCHIVE', 'the archive is too large'));
    },
  });
  try {
    await pipeline(bytes, count, createWriteStream(temporary, { mode: 0o600, flush: true }));
    if (hash.digest('hex') !== wanted) throw mismatch(artifact);
    await rename(temporary, full);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await storage.verify(artifact);
  storage.tellStored(artifact.path);
  await storage.link(artifact);
}

function mismatch({ path, digest }: Artifact): GitOpsError {
  return new GitOpsError('WG_GITOPS_DIGEST', `${path} has not the digest '${digest}'`);
}
