import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';

/**
 * The object as it is sent: without what only the server writes, and a Secret's text as data, so
 * that the server has one field to compare and never both.
 *
 * ```ts
 * normalizeObject({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { b: 'x' } }).data; // { b: 'eA==' }
 * ```
 */
export function normalizeObject(object: DynamicObject): DynamicObject {
  const { status: _status, ...copy } = object as DynamicObject & { status?: unknown };
  const {
    creationTimestamp: _time,
    managedFields: _fields,
    uid: _uid,
    ...metadata
  } = copy.metadata;
  delete metadata.resourceVersion;
  delete metadata.generation;
  const sent = { ...copy, metadata } as DynamicObject;
  return sent.kind === 'Secret' && sent.apiVersion === 'v1' ? withFoldedText(sent) : sent;
}

/** A Secret whose text is data. */
export function withFoldedText(secret: DynamicObject): DynamicObject {
  const { stringData, ...rest } = secret;
  if (!isObject(stringData)) return secret;
  const data: Record<string, unknown> = isObject(rest.data) ? { ...rest.data } : {};
  for (const [key, value] of Object.entries(stringData)) {
    data[key] = Buffer.from(String(value)).toString('base64');
  }
  return { ...rest, data } as DynamicObject;
}
