import { compareText } from '../../objects/reference.ts';

/** More new names than this are sorted together with the old ones. */
const mostSplices = 32;

/** A set of names in order. One more or one less costs a shift, not a sort. */
export class SortedNames {
  readonly #names = new Set<string>();
  /** In order, but for what `#added` and `#removed` hold. */
  #sorted: string[] = [];
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    if (!this.#removed.delete(name)) this.#added.add(name);
  }

  delete(name: string): void {
    if (!this.#names.delete(name)) return;
    if (!this.#added.delete(name)) this.#removed.add(name);
  }

  /** Valid until the next change. */
  values(): readonly string[] {
    if (this.#added.size + this.#removed.size > mostSplices) {
      this.#sorted = [...this.#names].sort(compareText);
    } else {
      for (const name of this.#removed) this.#sorted.splice(this.#position(name), 1);
      for (const name of this.#added) this.#sorted.splice(this.#position(name), 0, name);
    }
    this.#added.clear();
    this.#removed.clear();
    return this.#sorted;
  }

  #position(name: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareText(this.#sorted[middle]!, name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
