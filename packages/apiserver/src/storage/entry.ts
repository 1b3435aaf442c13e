import type { DynamicObject } from '@waygate/schema';
import { decodeJson, encodeJson } from '@waygate/text';
import { type Labels, labelSets } from './label-sets.ts';

/**
 * One version of one stored object. Immutable: a write makes a new entry, so history,
 * snapshots and responses in flight share them without copying.
 *
 * `tail` is the object's JSON from `"metadata"` to the last brace. Kind and version stand
 * before it on the wire in some places and are left out in others, so a list is the join
 * of tails and a watch event is one concatenation.
 */
export class Entry {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: number;
  readonly tail: Buffer;
  /** The version of its kind in which it was written, of kinds that may be stored in several. */
  readonly storedVersion: string | undefined;
  #parsed: DynamicObject | undefined;
  #labels: Labels | undefined;

  constructor(
    namespace: string,
    name: string,
    resourceVersion: number,
    tail: Buffer,
    storedVersion?: string,
  ) {
    this.namespace = namespace;
    this.name = name;
    this.resourceVersion = resourceVersion;
    this.tail = tail;
    this.storedVersion = storedVersion;
  }

  /** Makes an entry of an object; its resourceVersion is set to the given one. */
  static of(object: DynamicObject, resourceVersion: number, storedVersion?: string): Entry {
    const { name = '', namespace = '' } = object.metadata;
    const tail = encodeTail(object, resourceVersion);
    const entry = new Entry(namespace, name, resourceVersion, tail, storedVersion);
    entry.#labels = labelSets.of(object.metadata.labels);
    return entry;
  }

  /** Of an entry that an earlier process wrote they are read when a selector first asks. */
  get labels(): Labels {
    this.#labels ??= labelSets.of(this.copy().metadata.labels);
    return this.#labels;
  }

  get key(): string {
    return this.namespace === '' ? this.name : `${this.namespace}/${this.name}`;
  }

  /**
   * The object without kind and apiVersion, shared with other readers: read only.
   * The parse is kept for the next reader and dropped by {@link ParsedCache}.
   */
  get object(): Readonly<DynamicObject> {
    if (this.#parsed !== undefined) return this.#parsed;
    const parsed = this.copy();
    this.#parsed = parsed;
    // It may be too large to be kept at all.
    parsedEntries.hold(this);
    return parsed;
  }

  /** A copy of the object that the caller owns. */
  copy(): DynamicObject {
    return decodeJson(`{${this.tail.toString('utf8')}`) as DynamicObject;
  }

  /**
   * Who it is: its metadata but for `managedFields`. They stand last in it, and are often longer than all else: of a
   * large object that nobody has read yet only what is before them is parsed.
   */
  get head(): Readonly<DynamicObject['metadata']> {
    if (this.#parsed === undefined) {
      // No text inside of a string can be this: its quotes have a backslash before them.
      const end = this.tail.indexOf(',"managedFields":[');
      if (end > 0) {
        try {
          // Where the cut is deeper than in the metadata, those are whole.
          return JSON.parse(`{${this.tail.toString('utf8', 0, end)}}}`).metadata;
        } catch {
          // It was deeper by more than one: the metadata have no such field.
        }
      }
    }
    const { managedFields: _managedFields, ...head } = this.object.metadata;
    return head;
  }

  forgetParsed(): void {
    this.#parsed = undefined;
  }
}

/** Of the bytes that parsed forms were made of; the forms take a few times as much. */
const parsedLimitBytes = 16 * 1024 * 1024;
const parsedLimit = 8192;

/** Keeps memory bounded: only so many entries, of so many bytes, hold their parsed form at a time. */
class ParsedEntries {
  /** In the order in which they were parsed. */
  readonly #held = new Set<Entry>();
  #bytes = 0;

  hold(entry: Entry): void {
    this.#held.add(entry);
    this.#bytes += entry.tail.length;
    for (const oldest of this.#held) {
      if (this.#bytes <= parsedLimitBytes && this.#held.size <= parsedLimit) break;
      this.#held.delete(oldest);
      this.#bytes -= oldest.tail.length;
      oldest.forgetParsed();
    }
  }
}

const parsedEntries = new ParsedEntries();

function encodeTail(object: DynamicObject, resourceVersion: number): Buffer {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  const text = encodeJson({
    metadata: orderMetadata({ ...metadata, resourceVersion: String(resourceVersion) }),
    ...rest,
  });
  return Buffer.from(text.slice(1), 'utf8');
}

const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** The fields in the order in which the API prints them. */
function orderMetadata(metadata: DynamicObject['metadata']): DynamicObject['metadata'] {
  const source = metadata as Record<string, unknown>;
  const ordered: Record<string, unknown> = {};
  for (const field of metadataOrder) {
    if (source[field] !== undefined) ordered[field] = source[field];
  }
  return ordered as DynamicObject['metadata'];
}
