import { MeasuredMap } from './measured-map.ts';
import { fitsKey, nameOfKey, type TextKey } from './text-key.ts';

/** Entries are walked while there are no more than this. */
const few = 8;

interface Entry<V> {
  readonly key: TextKey | null;
  readonly value: V;
}

/** Many entries, by the kind of their keys. */
interface Tables<V> {
  readonly any: V | undefined;
  readonly equal: MeasuredMap<V>;
  readonly prefix: MeasuredMap<V>;
  readonly suffix: MeasuredMap<V>;
}

/** A change of what a key leads to; undefined takes it away. */
export type KeyChange<V> = readonly [TextKey | null, V | undefined];

/**
 * An immutable map that is asked with a text and finds the values of all keys that fit it, in time that
 * does not grow with their number: at one go for those that it must equal, and once for each length that
 * there is for those that it must start or end with.
 */
export class TextKeyMap<V> {
  /** As a list while they are few, as most hosts have few paths; a walk is quick and takes no room. */
  readonly #entries: readonly Entry<V>[] | Tables<V>;

  private constructor(entries: readonly Entry<V>[] | Tables<V>) {
    this.#entries = entries;
  }

  static empty<V>(): TextKeyMap<V> {
    return new TextKeyMap<V>([]);
  }

  get isEmpty(): boolean {
    return isFew(this.#entries) && this.#entries.length === 0;
  }

  get(key: TextKey | null): V | undefined {
    const entries = this.#entries;
    if (isFew(entries)) {
      const name = nameOfKey(key);
      return entries.find((entry) => nameOfKey(entry.key) === name)?.value;
    }
    return key === null ? entries.any : entries[key.kind].get(key.text);
  }

  /** Puts the values of all keys that fit a text to those that were found, each once. */
  find(text: string, found: V[]): void {
    const entries = this.#entries;
    if (isFew(entries)) {
      for (const { key, value } of entries) {
        if (fitsKey(key, text)) put(found, value);
      }
      return;
    }
    put(found, entries.any);
    put(found, entries.equal.get(text));
    for (const length of entries.prefix.lengths) {
      if (length <= text.length) put(found, entries.prefix.get(text.slice(0, length)));
    }
    for (const length of entries.suffix.lengths) {
      if (length <= text.length) put(found, entries.suffix.get(text.slice(text.length - length)));
    }
  }

  /** The map after changes of different keys. */
  change(changes: readonly KeyChange<V>[]): TextKeyMap<V> {
    const entries = this.#entries;
    if (!isFew(entries)) return new TextKeyMap(changeTables(entries, changes));
    const changed = new Set(changes.map(([key]) => nameOfKey(key)));
    const kept = entries.filter(({ key }) => !changed.has(nameOfKey(key)));
    const added = changes.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
    const all = [...kept, ...added];
    return new TextKeyMap(all.length <= few ? all : tablesOf(all));
  }
}

function isFew<V>(entries: readonly Entry<V>[] | Tables<V>): entries is readonly Entry<V>[] {
  return Array.isArray(entries);
}

function put<V>(found: V[], value: V | undefined): void {
  if (value !== undefined && !found.includes(value)) found.push(value);
}

function tablesOf<V>(entries: readonly Entry<V>[]): Tables<V> {
  const none = new MeasuredMap<V>();
  const empty = { any: undefined, equal: none, prefix: none, suffix: none };
  return changeTables(
    empty,
    entries.map(({ key, value }) => [key, value]),
  );
}

function changeTables<V>(tables: Tables<V>, changes: readonly KeyChange<V>[]): Tables<V> {
  const of = (kind: TextKey['kind']) =>
    tables[kind].change(
      changes.flatMap(([key, value]) => (key?.kind === kind ? [[key.text, value] as const] : [])),
    );
  const any = changes.find(([key]) => key === null);
  return {
    any: any === undefined ? tables.any : any[1],
    equal: of('equal'),
    prefix: of('prefix'),
    suffix: of('suffix'),
  };
}
