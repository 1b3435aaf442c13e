import { createHash } from 'node:crypto';
import type { KubeObject } from '@waygate/schema';
import { encodeJson, isObject } from '@waygate/text';

/**
 * A digest of JSON data, whatever the order of its keys.
 *
 * ```ts
 * digestOf({ a: 1, b: 2 }) === digestOf({ b: 2, a: 1 }); // true
 * ```
 */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(encodeJson(sorted(value)))
    .digest('base64');
}

/** A digest of what people and appliers write of an object: not of its status, not of its versions. */
export function contentDigest(object: KubeObject): string {
  const { metadata, status: _status, ...rest } = object as KubeObject & { status?: unknown };
  const { labels, annotations, deletionTimestamp, uid } = metadata;
  return digestOf({ rest, labels, annotations, uid, isDeleting: deletionTimestamp !== undefined });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key]);
  return copy;
}
