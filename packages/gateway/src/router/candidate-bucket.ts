import type { Affixed } from './affix-table.ts';
import { fitsKey, type TextKey } from './text-key.ts';

export type Compare<T> = (one: T, two: T) => number;

/**
 * The candidates that ask for the same path, first to be tried first. Most have one: it stands in the
 * bucket itself, as each further object between a request and its route is a miss of the processor's
 * cache when there are many.
 */
export class CandidateBucket<T> implements Affixed {
  readonly key: TextKey | null;
  readonly text: string;
  sibling: this | undefined;
  /** The next bucket of a host that has few. */
  next: CandidateBucket<T> | undefined;
  #first: T | undefined;
  #others: T[] | undefined;

  constructor(key: TextKey | null) {
    this.key = key;
    this.text = key?.text ?? '';
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  at(index: number): T | undefined {
    return index === 0 ? this.#first : this.#others?.[index - 1];
  }

  fits(path: string): boolean {
    return fitsKey(this.key, path);
  }

  /** Puts a candidate in its place; one that is there already stays. */
  insert(candidate: T, compare: Compare<T>): void {
    const first = this.#first;
    if (first === undefined) {
      this.#first = candidate;
      return;
    }
    if (first === candidate) {
      return;
    }
    if (compare(candidate, first) < 0) {
      this.#first = candidate;
      this.#others = [first, ...(this.#others ?? [])];
      return;
    }
    this.#others ??= [];
    const at = lowerBound(this.#others, candidate, compare);
    if (this.#others[at] !== candidate) {
      this.#others.splice(at, 0, candidate);
    }
  }

  remove(candidate: T, compare: Compare<T>): void {
    if (this.#first === candidate) {
      this.#first = this.#others?.shift();
    } else if (this.#others !== undefined) {
      const at = lowerBound(this.#others, candidate, compare);
      if (this.#others[at] === candidate) {
        this.#others.splice(at, 1);
      }
    }
    if (this.#others?.length === 0) {
      this.#others = undefined;
    }
  }
}

/** Where a candidate is in a sorted list, or would be. What comes in order goes to the end at once. */
export function lowerBound<T>(list: readonly T[], candidate: T, compare: Compare<T>): number {
  const last = list.at(-1);
  if (last === undefined || compare(last, candidate) < 0) {
    return list.length;
  }
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as T, candidate) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
