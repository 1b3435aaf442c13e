import { createHash } from 'node:crypto';

/** The revision of a bucket: a digest of its objects' keys and ETags, sorted by the bytes of the key. */
export function bucketRevision(index: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  const keys = [...index.keys()].sort((left, right) =>
    Buffer.compare(Buffer.from(left), Buffer.from(right)),
  );
  for (const key of keys) hash.update(`${key} ${index.get(key)}\n`);
  return `sha256:${hash.digest('hex')}`;
}
