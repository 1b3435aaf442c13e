import type { CodeClasses } from './code-classes.ts';
import { dfaMemory } from './dfa-memory.ts';
import { Before, beforeOf, placesAt, type RegexBudget } from './matching.ts';
import { Op, type Program } from './program.ts';

/** Cells of rows, and of what is kept beside them, that one automaton has before it forgets all. */
const maxCells = 1 << 20;
/** A row with its key costs this much beside its cells and its steps. */
const rowCells = 24;
/** After so many new ways within one text it is asked whether any come again. */
const mostMisses = 1024;

/** No match; {@link LazyDfa.run}. */
export const none = -1;
/** The automaton is no help for this text: run the program itself. */
export const gaveUp = -2;

/** What came before, as far as the program asks, and the steps to go on from, most wanted first: one character each. */
type State = string;

/**
 * The deterministic automaton of a program, of which only the states that texts reach are made, and
 * all are forgotten when they become too many. Each character costs one look into a table.
 *
 * A row says for each class where it leads: twice the index of that row, plus one if there is a match
 * before the character is read; -1 where nobody has been. Row 0 leads nowhere.
 */
export class LazyDfa {
  readonly #program: Program;
  readonly #classes: CodeClasses;
  /** Whether a match may begin only where the run does. */
  readonly #isFixed: boolean;
  readonly #asks: number;
  readonly #usesLastNewline: boolean;
  #table = new Int32Array(0);
  /** By row. All go together when the memory is spent, and are made again as they are reached. */
  #states: State[] = [];
  readonly #rowOf = new Map<string, number>();
  /** Cells of the table that this automaton uses, at most `maxCells`. */
  #cells = 0;
  /** Rises when all states were forgotten: a row from before then means nothing any more. */
  #resets = 0;
  #misses = 0;
  readonly #seen: Int32Array;
  #mark = 0;

  constructor(program: Program, classes: CodeClasses, isFixed: boolean) {
    this.#program = program;
    this.#classes = classes;
    this.#isFixed = isFixed || program.isAnchored;
    this.#seen = new Int32Array(program.size);
    const used = program.placesUsed;
    this.#asks =
      (used.has('start') || used.has('lineStart') ? Before.start : 0) |
      (used.has('lineStart') ? Before.newline : 0) |
      (used.has('boundary') || used.has('notBoundary') ? Before.word : 0);
    this.#usesLastNewline = used.has('endOrNewline');
  }

  /** Forgets everything; returns how many cells that frees. */
  clear(): number {
    const cells = this.#cells;
    this.#cells = 0;
    this.#table = new Int32Array(0);
    this.#states = [];
    this.#rowOf.clear();
    return cells;
  }

  /**
   * The index at which the match ends that begins at `from` (or, if the automaton is not fixed, the
   * earliest at which any ends), {@link none} or {@link gaveUp}.
   */
  run(
    text: string,
    from: number,
    before: number,
    isEarliest: boolean,
    budget: RegexBudget,
  ): number {
    const { ascii, of, end, lastNewline, count } = this.#classes;
    const { length } = text;
    this.#misses = 0;
    let row = this.#rowFor([this.#program.start], before & this.#asks);
    let last = none;
    let index = from;
    while (index <= length) {
      let width = 1;
      let one = end;
      if (index < length) {
        let code = text.charCodeAt(index);
        if (code < 128) one = ascii[code] as number;
        else {
          if (code >= 0xd800 && code <= 0xdbff) {
            code = text.codePointAt(index) as number;
            if (code > 0xffff) width = 2;
          }
          one = of(code);
        }
        if (this.#usesLastNewline && code === 0x0a && index === length - 1) one = lastNewline;
      }
      let to = this.#table[row * count + one] as number;
      if (to === -1) {
        to = this.#lead(row, one, budget);
        this.#misses += 1;
        const isUseless = this.#misses % mostMisses === 0 && index - from < this.#misses * 2;
        if (isUseless) return gaveUp;
      }
      if ((to & 1) === 1) {
        if (isEarliest) return index;
        last = index;
      }
      row = to >> 1;
      if (row === 0) break;
      index += width;
    }
    budget.spend((index - from) >> 4);
    return last;
  }

  /** Finds out where a class leads from a row. */
  #lead(row: number, one: number, budget: RegexBudget): number {
    const { arg, out } = this.#program;
    const { members, count } = this.#classes;
    const state = this.#states[row] as State;
    const here = placesAt(this.#classes, state.charCodeAt(0), one);
    const readers: number[] = [];
    const isMatch = this.#reach(state, here, readers);
    const steps: number[] = [];
    const mark = ++this.#mark;
    for (const at of readers) {
      const to = out[at] as number;
      if (members[(arg[at] as number) * count + one] === 1 && this.#seen[to] !== mark) {
        this.#seen[to] = mark;
        steps.push(to);
      }
    }
    const { start } = this.#program;
    if (!this.#isFixed && !isMatch && one !== this.#classes.end && this.#seen[start] !== mark) {
      steps.push(start);
    }
    budget.spend(readers.length + state.length + 8);
    const before = beforeOf(this.#classes, one) & this.#asks;
    const resets = this.#resets;
    const target = steps.length === 0 ? 0 : this.#rowFor(steps, before);
    const to = target * 2 + (isMatch ? 1 : 0);
    if (this.#resets === resets) this.#table[row * count + one] = to;
    return to;
  }

  /** The readers reachable without a character, most wanted first, up to a match. */
  #reach(state: State, here: number, readers: number[]): boolean {
    const { op, arg, out } = this.#program;
    const mark = ++this.#mark;
    const stack: number[] = [];
    for (let index = state.length - 1; index > 0; index -= 1) stack.push(state.charCodeAt(index));
    while (stack.length > 0) {
      const at = stack.pop() as number;
      if (this.#seen[at] === mark) continue;
      this.#seen[at] = mark;
      switch (op[at]) {
        case Op.match:
          return true;
        case Op.set:
          readers.push(at);
          break;
        case Op.split:
          stack.push(arg[at] as number, out[at] as number);
          break;
        case Op.save:
          stack.push(out[at] as number);
          break;
        default:
          if ((here & (1 << (arg[at] as number))) !== 0) stack.push(out[at] as number);
      }
    }
    return false;
  }

  #rowFor(steps: readonly number[], before: number): number {
    const state: State = String.fromCharCode(before, ...steps);
    const known = this.#rowOf.get(state);
    if (known !== undefined) return known;
    const { count } = this.#classes;
    const cells = count + (steps.length >> 1) + rowCells;
    if (this.#cells > 0 && this.#cells + cells > maxCells) {
      dfaMemory.give(this);
      this.#resets += 1;
    }
    // Row 0 leads nowhere.
    if (this.#states.length === 0) this.#states.push('');
    const row = this.#states.push(state) - 1;
    this.#rowOf.set(state, row);
    if ((row + 1) * count > this.#table.length) this.#grow((row + 1) * count);
    this.#cells += cells;
    dfaMemory.take(this, cells);
    return row;
  }

  #grow(least: number): void {
    const table = new Int32Array(Math.max(least, this.#table.length * 2)).fill(-1);
    table.set(this.#table);
    this.#table = table;
    table.fill(0, 0, this.#classes.count);
  }
}
