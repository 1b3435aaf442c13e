/** A set of texts that remembers how often each was added, and how long they are. */
export class CountedTexts {
  readonly #counts = new Map<string, number>();
  readonly #lengthCounts = new Map<number, number>();
  #lengths: readonly number[] | undefined;

  has(text: string): boolean {
    return this.#counts.has(text);
  }

  /** The lengths that texts have, longest first. */
  get lengths(): readonly number[] {
    this.#lengths ??= [...this.#lengthCounts.keys()].sort((one, two) => two - one);
    return this.#lengths;
  }

  add(text: string): void {
    const count = this.#counts.get(text) ?? 0;
    this.#counts.set(text, count + 1);
    if (count > 0) {
      return;
    }
    const sameLength = this.#lengthCounts.get(text.length) ?? 0;
    this.#lengthCounts.set(text.length, sameLength + 1);
    if (sameLength === 0) {
      this.#lengths = undefined;
    }
  }

  remove(text: string): void {
    const count = this.#counts.get(text) ?? 0;
    if (count > 1) {
      this.#counts.set(text, count - 1);
      return;
    }
    if (!this.#counts.delete(text)) {
      return;
    }
    const sameLength = this.#lengthCounts.get(text.length) ?? 0;
    if (sameLength > 1) {
      this.#lengthCounts.set(text.length, sameLength - 1);
    } else {
      this.#lengthCounts.delete(text.length);
      this.#lengths = undefined;
    }
  }
}
