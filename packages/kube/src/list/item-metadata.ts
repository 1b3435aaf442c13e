import { KubeError } from '../error.ts';
import { textOf } from './json-text.ts';

/** What can be told of an object from its bytes, without parsing the rest. */
export interface ItemMetadata {
  readonly name: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Where `"managedFields":…` stands, with the comma that goes with it; undefined without. */
  readonly managedFields: { readonly start: number; readonly end: number } | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

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
  const cursor = new Cursor(bytes);
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyIs('metadata')) return scanFields(cursor, bytes);
    cursor.skipValue();
  }
  throw broken('an object without metadata');
}

/** What tells an object from others of its kind, and its state from other states of it. */
export type ItemKey = Pick<ItemMetadata, 'name' | 'namespace' | 'resourceVersion'>;

/**
 * As `scanItemMetadata`, but stops as soon as the key is known. Labels, owners and managed fields,
 * most of the metadata, come after it as the API writes objects.
 *
 * @throws KubeError `WG_KUBE_DECODE` when the bytes are no object with metadata
 */
export function scanItemKey(bytes: Buffer, isNamespaced: boolean): ItemKey {
  const cursor = new Cursor(bytes);
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyIs('metadata')) return scanKeyFields(cursor, isNamespaced);
    cursor.skipValue();
  }
  throw broken('an object without metadata');
}

/** The object's JSON text, without its managedFields if asked: they are often half of it. */
export function itemText(bytes: Buffer, withoutManagedFields = false): string {
  if (!withoutManagedFields || !bytes.includes('"managedFields"')) return textOf(bytes);
  const range = scanItemMetadata(bytes).managedFields;
  if (range === undefined) return textOf(bytes);
  return textOf(bytes, 0, range.start) + textOf(bytes, range.end);
}

function broken(problem: string): KubeError {
  return new KubeError('WG_KUBE_DECODE', problem);
}

function scanFields(cursor: Cursor, bytes: Buffer): ItemMetadata {
  let name = '';
  let namespace = '';
  let resourceVersion = '';
  let uid = '';
  let labels: Record<string, string> | undefined;
  let managedFields: { start: number; end: number } | undefined;
  cursor.enterObject();
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

function scanKeyFields(cursor: Cursor, isNamespaced: boolean): ItemKey {
  let name = '';
  let namespace = '';
  let resourceVersion = '';
  cursor.enterObject();
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
function cutRange(bytes: Buffer, start: number, end: number): { start: number; end: number } {
  if (bytes[start] === COMMA) return { start, end };
  let after = end;
  while ((bytes[after] as number) <= 0x20) after++;
  return bytes[after] === COMMA ? { start, end: after + 1 } : { start, end };
}

/** A reader of JSON bytes that skips what nobody asks for. */
class Cursor {
  readonly #bytes: Buffer;
  position = 0;
  #keyStart = 0;
  #keyEnd = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  enterObject(): void {
    this.#skipSpace();
    if (this.#bytes[this.position] !== OPEN) throw broken('not a JSON object');
    this.position++;
  }

  /** Moves to the value of the next field; false, and past the brace, at the object's end. */
  nextKey(): boolean {
    const bytes = this.#bytes;
    this.#skipSpace();
    if (bytes[this.position] === COMMA) {
      this.position++;
      this.#skipSpace();
    }
    const byte = bytes[this.position];
    if (byte === CLOSE) {
      this.position++;
      return false;
    }
    if (byte !== QUOTE) throw broken('an object that is cut or broken');
    this.#keyStart = this.position + 1;
    this.#skipString();
    this.#keyEnd = this.position - 1;
    this.#skipSpace();
    if (bytes[this.position++] !== 0x3a) throw broken('an object that is cut or broken');
    this.#skipSpace();
    return true;
  }

  keyIs(name: string): boolean {
    const length = this.#keyEnd - this.#keyStart;
    if (length !== name.length) return false;
    for (let at = 0; at < length; at++) {
      if (this.#bytes[this.#keyStart + at] !== name.charCodeAt(at)) return false;
    }
    return true;
  }

  /** The value, which is a string; null counts as empty. */
  text(): string {
    const start = this.position;
    this.skipValue();
    if (this.#bytes[start] !== QUOTE) return '';
    for (let at = start + 1; at < this.position - 1; at++) {
      const byte = this.#bytes[at] as number;
      if (byte === BACKSLASH || byte > 0x7e) return String(this.#parse(start));
    }
    return this.#bytes.toString('latin1', start + 1, this.position - 1);
  }

  json(): unknown {
    const start = this.position;
    this.skipValue();
    return this.#parse(start);
  }

  skipValue(): void {
    const bytes = this.#bytes;
    const first = bytes[this.position] as number;
    if (first === QUOTE) {
      this.#skipString();
      return;
    }
    // Kept in locals: this loop runs over most of the bytes.
    const { length } = bytes;
    let at = this.position;
    let depth = 0;
    while (at < length) {
      const byte = bytes[at++] as number;
      if (byte === QUOTE) {
        for (;;) {
          if (at >= length) throw broken('an object that is cut or broken');
          const inner = bytes[at++];
          if (inner === QUOTE) break;
          if (inner === BACKSLASH) at++;
        }
      } else if ((byte | 0x20) === OPEN) depth++;
      else if ((byte | 0x20) === CLOSE) {
        if (depth <= 1) {
          this.position = depth === 0 ? at - 1 : at;
          return;
        }
        depth--;
      } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) {
        this.position = at - 1;
        return;
      }
    }
    throw broken('an object that is cut or broken');
  }

  #parse(start: number): unknown {
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, this.position));
    } catch (error) {
      throw new KubeError('WG_KUBE_DECODE', 'metadata that is not JSON', { cause: error });
    }
  }

  #skipString(): void {
    const bytes = this.#bytes;
    let at = this.position + 1;
    for (;;) {
      if (at >= bytes.length) throw broken('an object that is cut or broken');
      const byte = bytes[at++];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) at++;
    }
    this.position = at;
  }

  #skipSpace(): void {
    while (this.position < this.#bytes.length && (this.#bytes[this.position] as number) <= 0x20) {
      this.position++;
    }
  }
}
