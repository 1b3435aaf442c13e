import { CopyOnWriteMap } from './copy-on-write-map.ts';

type Lengths = ReadonlyMap<number, number>;

/** An immutable map that knows how long its keys are: what starts or ends with one is found by that. */
export class MeasuredMap<V> {
  readonly #values: CopyOnWriteMap<V>;
  /** How many keys there are of each length. */
  readonly #counts: Lengths;
  /** The lengths that keys have, longest first. */
  readonly lengths: readonly number[];

  constructor(values: CopyOnWriteMap<V> = CopyOnWriteMap.of(), counts: Lengths = new Map()) {
    this.#values = values;
    this.#counts = counts;
    this.lengths = [...counts.keys()].sort((one, two) => two - one);
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** The map after changes of different keys; undefined takes a key away. */
  change(changes: Iterable<readonly [string, V | undefined]>): MeasuredMap<V> {
    const list = [...changes];
    if (list.length === 0) return this;
    const counts = new Map(this.#counts);
    for (const [key, value] of list) {
      const by = Number(value !== undefined) - Number(this.get(key) !== undefined);
      const count = (counts.get(key.length) ?? 0) + by;
      if (count === 0) {
        counts.delete(key.length);
      } else {
        counts.set(key.length, count);
      }
    }
    return new MeasuredMap(this.#values.change(list), counts);
  }
}

/** Counts of texts after some went and others came. */
export function recount(
  counts: MeasuredMap<number>,
  removed: Iterable<string>,
  added: Iterable<string>,
): MeasuredMap<number> {
  const changed = new Map<string, number>();
  const add = (text: string, by: 1 | -1) =>
    changed.set(text, (changed.get(text) ?? counts.get(text) ?? 0) + by);
  for (const text of removed) add(text, -1);
  for (const text of added) add(text, 1);
  return counts.change(
    [...changed].map(([text, count]) => [text, count === 0 ? undefined : count]),
  );
}
