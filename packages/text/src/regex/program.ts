import type { CodeSet } from './code-set.ts';
import { RegexError } from './regex-error.ts';
import { isNullable, type ParsedRegex, type Place, type RegexNode } from './syntax-tree.ts';

/** What a step does. A step's `out` is the one after it; `arg` depends on what it does. */
export const Op = {
  /** Reads one code point of the set `arg`. */
  set: 0,
  /** Goes on at `out`, which is wanted more, and at `arg`. */
  split: 1,
  /** Goes on if the place is the one of the number `arg`. */
  place: 2,
  /** Remembers the place in the slot `arg`. */
  save: 3,
  match: 4,
} as const;

/** The numbers of places, as steps name them. */
export const places: readonly Place[] = [
  'start',
  'end',
  'endOrNewline',
  'lineStart',
  'lineEnd',
  'boundary',
  'notBoundary',
];

/** An expression as steps. */
export interface Program {
  readonly size: number;
  readonly start: number;
  readonly op: Uint8Array;
  readonly arg: Int32Array;
  readonly out: Int32Array;
  readonly sets: readonly CodeSet[];
  /** Two for the whole match and for each group. */
  readonly slotCount: number;
  readonly wordSet: CodeSet;
  readonly placesUsed: ReadonlySet<Place>;
  /** Every match begins at the start of the text. */
  readonly isAnchored: boolean;
}

/** The cells that following groups may take: steps times slots. */
const maxCells = 4_000_000;

export function compileProgram(parsed: ParsedRegex, maxSize: number, pattern: string): Program {
  return new ProgramWriter(parsed, maxSize, pattern).write();
}

class ProgramWriter {
  readonly #parsed: ParsedRegex;
  readonly #maxSize: number;
  readonly #pattern: string;
  readonly #op: number[] = [];
  readonly #arg: number[] = [];
  readonly #out: number[] = [];
  readonly #sets: CodeSet[] = [];
  readonly #setIndex = new Map<string, number>();
  readonly #placesUsed = new Set<Place>();
  /** Parts written: repeating what is empty adds no steps, but takes time too. */
  #written = 0;

  constructor(parsed: ParsedRegex, maxSize: number, pattern: string) {
    this.#parsed = parsed;
    this.#maxSize = maxSize;
    this.#pattern = pattern;
  }

  write(): Program {
    const { node, groupCount, wordSet } = this.#parsed;
    const start = this.#emit(node, this.#step(Op.match, 0, 0));
    const size = this.#op.length;
    const slotCount = 2 + 2 * groupCount;
    if (size * slotCount > maxCells) throw this.#tooLarge();
    return {
      size,
      start,
      op: Uint8Array.from(this.#op),
      arg: Int32Array.from(this.#arg),
      out: Int32Array.from(this.#out),
      sets: this.#sets,
      slotCount,
      wordSet,
      placesUsed: this.#placesUsed,
      isAnchored: beginsAtStart(node),
    };
  }

  #tooLarge(): RegexError {
    return new RegexError(`expression too large (more than ${this.#maxSize} steps)`, this.#pattern);
  }

  #step(op: number, arg: number, out: number): number {
    if (this.#op.length >= this.#maxSize) throw this.#tooLarge();
    this.#op.push(op);
    this.#arg.push(arg);
    return this.#out.push(out) - 1;
  }

  /** Writes a part that goes on at `next`; returns where it begins. */
  #emit(node: RegexNode, next: number): number {
    this.#written += 1;
    if (this.#written > 4 * this.#maxSize + 1000) throw this.#tooLarge();
    switch (node.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.#step(Op.set, this.#setNumber(node.set), next);
      case 'place':
        this.#placesUsed.add(node.place);
        return this.#step(Op.place, places.indexOf(node.place), next);
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.#emit(part, after), next);
      case 'choice': {
        const entries = node.options.map((option) => this.#emit(option, next));
        const last = entries.pop() as number;
        return entries.reduceRight((other, entry) => this.#step(Op.split, other, entry), last);
      }
      case 'group': {
        const end = this.#step(Op.save, node.index * 2 + 1, next);
        return this.#step(Op.save, node.index * 2, this.#emit(node.part, end));
      }
      case 'repeat':
        return this.#emitRepeat(node, next);
    }
  }

  #setNumber(set: CodeSet): number {
    const key = set.join();
    let index = this.#setIndex.get(key);
    if (index === undefined) {
      index = this.#sets.push(set) - 1;
      this.#setIndex.set(key, index);
    }
    return index;
  }

  #split(isLazy: boolean, more: number, on: number): number {
    return isLazy ? this.#step(Op.split, more, on) : this.#step(Op.split, on, more);
  }

  #emitRepeat(node: Extract<RegexNode, { kind: 'repeat' }>, next: number): number {
    const { part, min, max, isLazy } = node;
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      // What may be empty goes round at least once, so that its empty match is kept as Perl does.
      const isOnce = min > 0 || isNullable(part);
      const loop = this.#split(isLazy, 0, next);
      const body = this.#emit(part, loop);
      if (isLazy) this.#arg[loop] = body;
      else this.#out[loop] = body;
      entry = isOnce ? body : loop;
      if (isOnce && min === 0) entry = this.#split(isLazy, body, next);
    } else {
      for (let count = min; count < max; count += 1) {
        entry = this.#split(isLazy, this.#emit(part, entry), next);
      }
    }
    const copies = max === Number.POSITIVE_INFINITY ? min - 1 : min;
    for (let count = 0; count < copies; count += 1) entry = this.#emit(part, entry);
    return entry;
  }
}

function beginsAtStart(node: RegexNode): boolean {
  switch (node.kind) {
    case 'place':
      return node.place === 'start';
    case 'group':
      return beginsAtStart(node.part);
    case 'sequence': {
      const first = node.parts.find((part) => part.kind !== 'empty');
      return first !== undefined && beginsAtStart(first);
    }
    case 'choice':
      return node.options.every(beginsAtStart);
    case 'repeat':
      return node.min > 0 && beginsAtStart(node.part);
    default:
      return false;
  }
}
