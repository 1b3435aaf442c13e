/** Several values under one key; a key without values is not kept. */
export class MultiMap<V> {
  readonly #sets = new Map<string, Set<V>>();
  readonly #none: ReadonlySet<V> = new Set();

  get(key: string | undefined): ReadonlySet<V> {
    return (key === undefined ? undefined : this.#sets.get(key)) ?? this.#none;
  }

  add(key: string | undefined, value: V): void {
    if (key === undefined) return;
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
  }

  delete(key: string | undefined, value: V): void {
    if (key === undefined) return;
    const set = this.#sets.get(key);
    if (set?.delete(value) && set.size === 0) this.#sets.delete(key);
  }
}
