import { createHash } from 'node:crypto';

/**
 * A name-based UUID (RFC 9562, version 5).
 *
 * ```ts
 * uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'example.service');
 * // '730d612d-914b-5fe8-8ead-e6aa654318ef'
 * ```
 */
export function uuidV5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
