import { createHash } from 'node:crypto';
import { compareUtf8 } from '@waygate/text';

/**
 * The revision of a bucket: a digest of its objects' keys and ETags, sorted by the bytes of the key.
 *
 * ```ts
 * const index = new Map([['a.yaml', 'etag-1'], ['b.yaml', 'etag-2']]);
 * bucketRevision(index) === bucketRevision(new Map([...index].reverse())); // true
 * ```
 */
export function bucketRevision(index: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  const keys = [...index.keys()].sort(compareUtf8);
  for (const key of keys) hash.update(`${key} ${index.get(key)}\n`);
  return `sha256:${hash.digest('hex')}`;
}
