import { randomInt } from 'node:crypto';
import type { ScratchList } from './scratch-list.ts';

/** Something that is found by a text which others start or end with. */
export interface Affixed {
  readonly text: string;
  /** The next one whose text has the same hash. Owned by the table. */
  sibling: this | undefined;
}

/** Unknown to whoever writes routes, so that nobody can make texts that all have the same hash. */
const seed = randomInt(0x7fffffff);
const hashBits = 0x3fffffff;

/**
 * Values by the texts that another text starts with, or ends with. A look-up walks the other text once
 * and keeps a running hash: it makes no pieces of it, and asks only at the lengths that texts here have.
 */
export class AffixTable<V extends Affixed> {
  readonly #isSuffix: boolean;
  readonly #byHash = new Map<number, V>();
  /** How many texts there are of each length. */
  readonly #counts: number[] = [0];
  #size = 0;

  constructor(side: 'prefix' | 'suffix') {
    this.#isSuffix = side === 'suffix';
  }

  get size(): number {
    return this.#size;
  }

  get(text: string): V | undefined {
    let value = this.#byHash.get(this.#hashOf(text));
    while (value !== undefined && value.text !== text) {
      value = value.sibling;
    }
    return value;
  }

  /** Adds a value whose text is not there yet. */
  add(value: V): void {
    const hash = this.#hashOf(value.text);
    value.sibling = this.#byHash.get(hash);
    this.#byHash.set(hash, value);
    const { length } = value.text;
    while (this.#counts.length <= length) {
      this.#counts.push(0);
    }
    this.#counts[length] = (this.#counts[length] ?? 0) + 1;
    this.#size += 1;
  }

  remove(value: V): void {
    const hash = this.#hashOf(value.text);
    const first = this.#byHash.get(hash);
    if (first === value) {
      if (value.sibling === undefined) {
        this.#byHash.delete(hash);
      } else {
        this.#byHash.set(hash, value.sibling);
      }
    } else {
      let before = first;
      while (before !== undefined && before.sibling !== value) {
        before = before.sibling;
      }
      if (before === undefined) {
        return;
      }
      before.sibling = value.sibling;
    }
    this.#counts[value.text.length] = (this.#counts[value.text.length] ?? 1) - 1;
    while (this.#counts.length > 1 && this.#counts.at(-1) === 0) {
      this.#counts.pop();
    }
    this.#size -= 1;
  }

  /** Appends all values whose text the other text starts, or ends, with. */
  collect(text: string, into: ScratchList<V>): void {
    if (this.#size === 0) {
      return;
    }
    const counts = this.#counts;
    const end = Math.min(text.length, counts.length - 1);
    const last = text.length - 1;
    let hash = seed;
    if (counts[0] !== 0) {
      this.#probe(hash, 0, text, into);
    }
    for (let at = 0; at < end; at += 1) {
      hash = mix(hash, text.charCodeAt(this.#isSuffix ? last - at : at));
      if (counts[at + 1] !== 0) {
        this.#probe(hash, at + 1, text, into);
      }
    }
  }

  #probe(hash: number, length: number, text: string, into: ScratchList<V>): void {
    let value = this.#byHash.get(hash & hashBits);
    while (value !== undefined) {
      if (
        value.text.length === length &&
        (this.#isSuffix ? text.endsWith(value.text) : text.startsWith(value.text))
      ) {
        into.push(value);
        return;
      }
      value = value.sibling;
    }
  }

  #hashOf(text: string): number {
    let hash = seed;
    const last = text.length - 1;
    for (let at = 0; at <= last; at += 1) {
      hash = mix(hash, text.charCodeAt(this.#isSuffix ? last - at : at));
    }
    return hash & hashBits;
  }
}

/** One step of FNV-1a, with the upper bits brought down since the lower ones choose the place. */
function mix(hash: number, code: number): number {
  const next = Math.imul(hash ^ code, 0x01000193);
  return next ^ (next >>> 15);
}
