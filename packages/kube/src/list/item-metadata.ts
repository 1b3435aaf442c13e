import { textOf } from '../transport/json-text.ts';
import { broken, JsonCursor } from './json-cursor.ts';

/** What can be told of an object from its bytes, without parsing the rest. */
export interface ItemMetadata {
  readonly name: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Where `"managedFields":…` stands, with the comma that goes with it; undefined without. */
  readonly managedFields: ByteRange | undefined;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const commaByte = 0x2c;

/**
 * Finds an object's metadata in its JSON bytes.
 *
 * ```ts
 * scanItemMetadata(Buffer.from('{"metadata":{"name":"a","resourceVersion":"7"},"spec":{}}')).name; // 'a'
 * ```
 *
 * @throws KubeError `WG_KUBE_DECODE` when the bytes are no object with metadata
 */
export function scanItemMetadata(bytes: Buffer): ItemMetadata {
  const cursor = new JsonCursor(bytes);
  enterMetadata(cursor);
  return scanFields(cursor, bytes);
}

/** What tells an object from others of its kind, and its state from other states of it. */
export type ItemKey = Pick<ItemMetadata, 'name' | 'namespace' | 'resourceVersion'>;

/**
 * As `scanItemMetadata`, but stops as soon as the key is known. Labels, owners and managed fields,
 * most of the metadata, come after it as the API writes objects.
 *
 * ```ts
 * const pod = Buffer.from('{"metadata":{"name":"a","namespace":"shop"}}');
 * scanItemKey(pod, true);
 * ```
 *
 * @throws KubeError `WG_KUBE_DECODE` when the bytes are no object with metadata
 */
export function scanItemKey(bytes: Buffer, isNamespaced: boolean): ItemKey {
  const cursor = new JsonCursor(bytes);
  enterMetadata(cursor);
  return scanKeyFields(cursor, isNamespaced);
}

/**
 * Where `"managedFields":…` stands in an object's bytes, with the comma that goes with it. As
 * `scanItemMetadata`, but looks at nothing else; the object may be followed by other bytes.
 *
 * ```ts
 * const bytes = Buffer.from('{"metadata":{"name":"a","managedFields":[{"manager":"kubectl"}]}}');
 * const { start, end } = scanManagedFields(bytes)!;
 * `${bytes.subarray(0, start)}${bytes.subarray(end)}`; // '{"metadata":{"name":"a"}}'
 * ```
 *
 * @throws KubeError `WG_KUBE_DECODE` when the bytes are no object with metadata
 */
export function scanManagedFields(bytes: Buffer, start = 0): ByteRange | undefined {
  const cursor = new JsonCursor(bytes, start);
  enterMetadata(cursor);
  for (;;) {
    const comma = cursor.position;
    if (!cursor.nextKey()) return undefined;
    const isFound = cursor.keyIs('managedFields');
    cursor.skipValue();
    if (isFound) return cutRange(bytes, comma, cursor.position);
  }
}

/** The object's JSON text, without its managedFields if asked: they are often half of it. */
export function itemText(bytes: Buffer, withoutManagedFields = false): string {
  if (!withoutManagedFields || !bytes.includes('"managedFields"')) return textOf(bytes);
  const range = scanManagedFields(bytes);
  if (range === undefined) return textOf(bytes);
  return textOf(bytes, 0, range.start) + textOf(bytes, range.end);
}

function enterMetadata(cursor: JsonCursor): void {
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyIs('metadata')) {
      cursor.enterObject();
      return;
    }
    cursor.skipValue();
  }
  throw broken('an object without metadata');
}

function scanFields(cursor: JsonCursor, bytes: Buffer): ItemMetadata {
  let name = '';
  let namespace = '';
  let resourceVersion = '';
  let uid = '';
  let labels: Record<string, string> | undefined;
  let managedFields: ByteRange | undefined;
  for (;;) {
    const comma = cursor.position;
    if (!cursor.nextKey()) break;
    if (cursor.keyIs('name')) name = cursor.text();
    else if (cursor.keyIs('namespace')) namespace = cursor.text();
    else if (cursor.keyIs('resourceVersion')) resourceVersion = cursor.text();
    else if (cursor.keyIs('uid')) uid = cursor.text();
    else if (cursor.keyIs('labels')) labels = cursor.json() as Record<string, string>;
    else if (cursor.keyIs('managedFields')) {
      cursor.skipValue();
      managedFields = cutRange(bytes, comma, cursor.position);
    } else cursor.skipValue();
  }
  return { name, namespace, resourceVersion, uid, labels: labels ?? undefined, managedFields };
}

function scanKeyFields(cursor: JsonCursor, isNamespaced: boolean): ItemKey {
  let name = '';
  let namespace = '';
  let resourceVersion = '';
  while (cursor.nextKey()) {
    if (cursor.keyIs('name')) name = cursor.text();
    else if (cursor.keyIs('namespace')) namespace = cursor.text();
    else if (cursor.keyIs('resourceVersion')) resourceVersion = cursor.text();
    else cursor.skipValue();
    const isKnown = name !== '' && resourceVersion !== '';
    if (isKnown && (!isNamespaced || namespace !== '')) break;
  }
  return { name, namespace, resourceVersion };
}

/** With the comma before it, or, for a first field, the one after. */
function cutRange(bytes: Buffer, start: number, end: number): ByteRange {
  if (bytes[start] === commaByte) return { start, end };
  let after = end;
  while ((bytes[after] as number) <= 0x20) after++;
  return bytes[after] === commaByte ? { start, end: after + 1 } : { start, end };
}
