/** What leads from an older version to the next: the values that it had where they differ. */
interface Successor<V> {
  readonly version: VersionedMap<V>;
  readonly before: ReadonlyMap<string, V | undefined>;
}

/**
 * A map that can be changed while others still read it as it was. All versions share one table, which
 * is as the newest has it: reading the newest is reading a plain map, and a change costs no more than
 * what changed. An older version looks through the changes since then first; when nobody holds it any
 * more, they are gone with it.
 *
 * @example
 * const one = new VersionedMap([['a', 1]]);
 * const two = one.change([['a', 2]]);
 * one.get('a'); // 1
 * two.get('a'); // 2
 */
export class VersionedMap<V> {
  readonly #table: Map<string, V>;
  #successor: Successor<V> | undefined;

  constructor(entries: Iterable<readonly [string, V]> | Map<string, V> = []) {
    this.#table = entries instanceof Map ? entries : new Map(entries);
  }

  get(key: string): V | undefined {
    let successor = this.#successor;
    while (successor !== undefined) {
      if (successor.before.has(key)) {
        return successor.before.get(key);
      }
      successor = successor.version.#successor;
    }
    return this.#table.get(key);
  }

  /** The next version; undefined takes a key away. Only the newest version can be changed. */
  change(changes: Iterable<readonly [string, V | undefined]>): VersionedMap<V> {
    const version = new VersionedMap<V>(this.#table);
    const before = new Map<string, V | undefined>();
    for (const [key, value] of changes) {
      if (!before.has(key)) {
        before.set(key, this.#table.get(key));
      }
      if (value === undefined) {
        this.#table.delete(key);
      } else {
        this.#table.set(key, value);
      }
    }
    this.#successor = { version, before };
    return version;
  }
}
