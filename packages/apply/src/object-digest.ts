import { createHash } from 'node:crypto';
import type { KubeObject } from '@waygate/schema';
import { encodeJson, withSortedKeys } from '@waygate/text';

/**
 * A digest of JSON data, whatever the order of its keys.
 *
 * ```ts
 * digestOf({ a: 1, b: 2 }) === digestOf({ b: 2, a: 1 }); // true
 * ```
 */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(encodeJson(withSortedKeys(value)))
    .digest('base64');
}

/**
 * A digest of what people and appliers write of an object: not of its status, not of its versions.
 *
 * ```ts
 * const web = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
 * contentDigest({ ...web, status: { ready: true } } as KubeObject) === contentDigest(web); // true
 * ```
 */
export function contentDigest(object: KubeObject): string {
  const { metadata, status: _status, ...rest } = object as KubeObject & { status?: unknown };
  const { labels, annotations, deletionTimestamp, uid } = metadata;
  return digestOf({ rest, labels, annotations, uid, isDeleting: deletionTimestamp !== undefined });
}
