/** About how many entries a part has: what the change of one entry copies. */
const partSize = 64;

/**
 * An immutable map: a change makes another, and who still reads this one sees what it always did. The
 * entries are spread over small parts, and a change copies the parts that it touches and shares the
 * others, so that its cost hardly grows with the map: the benchmark "change of one route in the router"
 * is what asks for that. A plain copy of a map of 100,000 takes milliseconds.
 *
 * @example
 * const one = CopyOnWriteMap.of([['a', 1]]);
 * const two = one.change([['a', 2]]);
 * one.get('a'); // 1
 * two.get('a'); // 2
 */
export class CopyOnWriteMap<V> {
  /** As many as a power of two. A key is in the part that its hash says. */
  readonly #parts: readonly ReadonlyMap<string, V>[];
  readonly size: number;

  private constructor(parts: readonly ReadonlyMap<string, V>[], size: number) {
    this.#parts = parts;
    this.size = size;
  }

  static of<V>(entries: Iterable<readonly [string, V]> = []): CopyOnWriteMap<V> {
    const all = new Map(entries);
    const parts = Array.from({ length: partCount(all.size) }, () => new Map<string, V>());
    for (const [key, value] of all) parts[placeOf(key, parts.length)]?.set(key, value);
    return new CopyOnWriteMap(parts, all.size);
  }

  get(key: string): V | undefined {
    const parts = this.#parts;
    return parts[placeOf(key, parts.length)]?.get(key);
  }

  /** The map after changes, made one after the other; undefined takes a key away. */
  change(changes: Iterable<readonly [string, V | undefined]>): CopyOnWriteMap<V> {
    const copies = new Map<number, Map<string, V>>();
    let { size } = this;
    for (const [key, value] of changes) {
      const place = placeOf(key, this.#parts.length);
      const part = copies.get(place) ?? new Map(this.#parts[place]);
      copies.set(place, part);
      size -= part.size;
      if (value === undefined) {
        part.delete(key);
      } else {
        part.set(key, value);
      }
      size += part.size;
    }
    if (copies.size === 0) return this;
    const parts = this.#parts.slice();
    for (const [place, part] of copies) parts[place] = part;
    const wanted = partCount(size);
    const isWorn = wanted > parts.length * 2 || wanted * 8 < parts.length;
    return isWorn
      ? CopyOnWriteMap.of(parts.flatMap((part) => [...part]))
      : new CopyOnWriteMap(parts, size);
  }
}

/** How many parts a map of a size is best spread over. */
function partCount(size: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(size / partSize)));
}

function placeOf(key: string, partsLength: number): number {
  if (partsLength === 1) return 0;
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash & (partsLength - 1);
}
