import { randomUUID } from 'node:crypto';
import type { KubeObject, ObjectReference } from '@waygate/schema';
import { RuntimeError } from '../runtime-error.ts';

/** Whether an event is good news or bad. */
export type EventType = 'Normal' | 'Warning';

/** The longest `note` that the API takes, in bytes. A core Event's message has no limit of its own. */
const longestNote = 1024;
const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A type that the API does not take is refused here, where its caller can be told. */
export function checkedEventType(type: EventType): EventType {
  if (type === 'Normal' || type === 'Warning') return type;
  throw new RuntimeError(
    'WG_RUNTIME_CONFIG',
    `an event is of type Normal or Warning, not ${JSON.stringify(type)}`,
  );
}

/**
 * Refers to an object. It must say what it is: a list's items do not, unless the reader filled it in.
 *
 * ```ts
 * referenceTo({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop' } }).kind; // 'Pod'
 * ```
 */
export function referenceTo(object: KubeObject | ObjectReference): ObjectReference {
  if (!('metadata' in object)) return object;
  const { apiVersion, kind, metadata } = object;
  if (!kind || !apiVersion)
    throw new RuntimeError(
      'WG_RUNTIME_CONFIG',
      `an event cannot refer to ${metadata.namespace ?? ''}/${metadata.name ?? ''}: the object has no apiVersion and kind`,
    );
  return {
    apiVersion,
    kind,
    ...(metadata.name === undefined ? {} : { name: metadata.name }),
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    ...(metadata.resourceVersion === undefined
      ? {}
      : { resourceVersion: metadata.resourceVersion }),
  };
}

/** Events on what has no namespace live in `default`. */
export function eventNamespace(reference: ObjectReference): string {
  return reference.namespace || 'default';
}

let lastNanos = 0n;

/**
 * `<object>.<nanoseconds in hex>`, as client-go names events. The clock has no nanoseconds here, so
 * two events of one instant are told apart by counting on. A name that no Event may have, such as
 * that of an object with `:` in it, gives way to a random one.
 */
export function eventName(objectName: string, epochMs: number): string {
  const nanos = BigInt(Math.floor(epochMs * 1000)) * 1000n;
  const isSameInstant = nanos <= lastNanos && lastNanos - nanos < 1_000_000n;
  lastNanos = isSameInstant ? lastNanos + 1n : nanos;
  const name = `${objectName}.${lastNanos.toString(16)}`;
  return name.length <= 253 && namePattern.test(name) ? name : randomUUID();
}

/** RFC 3339 in whole seconds, as a metav1.Time is written. */
export function toSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** Cuts a note to what the API takes, between characters. */
export function fitNote(note: string): string {
  if (note.length * 3 <= longestNote) return note;
  const bytes = Buffer.from(note, 'utf8');
  if (bytes.length <= longestNote) return note;
  let end = longestNote;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}
