import type { CodeClasses } from './code-classes.ts';
import { placesAt, type RegexBudget, Subject } from './matching.ts';
import { Op, type Program } from './program.ts';

/** Threads in the order in which they are wanted, each with what it has captured. */
interface Threads {
  count: number;
  readonly at: Int32Array;
  readonly slots: Int32Array;
}

/**
 * Runs all threads of a program side by side, one character after the other (a Pike machine): the time
 * is at most the length of the text times the steps of the program, whatever both are.
 */
export class Simulation {
  readonly #program: Program;
  readonly #classes: CodeClasses;
  readonly #slotCount: number;
  readonly #budget: RegexBudget;
  readonly #subject: Subject;
  /** The index plus one at which a step was last reached. */
  readonly #seen: Int32Array;
  readonly #slots: Int32Array;
  readonly #stack: number[] = [];

  /** With no slots it only tells whether there is a match. */
  constructor(
    program: Program,
    classes: CodeClasses,
    text: string,
    slotCount: number,
    budget: RegexBudget,
  ) {
    this.#program = program;
    this.#classes = classes;
    this.#slotCount = slotCount;
    this.#budget = budget;
    this.#subject = new Subject(program, classes, text);
    this.#seen = new Int32Array(program.size);
    this.#slots = new Int32Array(slotCount).fill(-1);
  }

  /** The slots of the match that is wanted most; an empty list when none were asked for. */
  run(from: number): Int32Array | undefined {
    const { size, isAnchored } = this.#program;
    const text = this.#subject.text;
    let current = newThreads(size, this.#slotCount);
    let next = newThreads(size, this.#slotCount);
    let best: Int32Array | undefined;
    for (let index = from; ; ) {
      const after = this.#subject.classAt(index);
      if (best === undefined && (!isAnchored || index === 0)) {
        this.#slots.fill(-1);
        if (this.#slotCount > 0) this.#slots[0] = index;
        this.#follow(this.#program.start, index, after, current);
      }
      if (current.count === 0 && (best !== undefined || isAnchored)) return best;
      this.#budget.spend(current.count + 1);
      const width = index < text.length ? this.#subject.widthAt(index) : 1;
      const found = this.#step(current, next, index, width, after);
      if (found !== undefined) best = found;
      if (best !== undefined && this.#slotCount === 0) return best;
      if (index >= text.length) return best;
      [current, next] = [next, current];
      next.count = 0;
      index += width;
    }
  }

  /** Moves every thread over one character; those behind one that matches are wanted less and end. */
  #step(
    current: Threads,
    next: Threads,
    index: number,
    width: number,
    after: number,
  ): Int32Array | undefined {
    const { op, arg, out } = this.#program;
    const { members, count: classCount } = this.#classes;
    const slotCount = this.#slotCount;
    const then = this.#subject.classAt(index + width);
    const seen = this.#seen;
    const mark = index + width + 1;
    for (let thread = 0; thread < current.count; thread += 1) {
      const at = current.at[thread] as number;
      if (slotCount > 0) {
        this.#slots.set(current.slots.subarray(thread * slotCount, (thread + 1) * slotCount));
      }
      if (op[at] === Op.match) {
        if (slotCount > 0) this.#slots[1] = index;
        return this.#slots.slice();
      }
      if (members[(arg[at] as number) * classCount + after] !== 1) continue;
      const to = out[at] as number;
      if (slotCount > 0 || op[to] !== Op.set) this.#follow(to, index + width, then, next);
      else if (seen[to] !== mark) {
        seen[to] = mark;
        next.at[next.count++] = to;
      }
    }
    return undefined;
  }

  /** Adds what is reachable without a character, most wanted first. */
  #follow(from: number, index: number, after: number, into: Threads): void {
    const { op, arg, out } = this.#program;
    const slotCount = this.#slotCount;
    const stack = this.#stack;
    let here = -1;
    stack.push(from);
    while (stack.length > 0) {
      const at = stack.pop() as number;
      if (at < 0) {
        this.#slots[-at - 1] = stack.pop() as number;
        continue;
      }
      if (this.#seen[at] === index + 1) continue;
      this.#seen[at] = index + 1;
      switch (op[at]) {
        case Op.split:
          stack.push(arg[at] as number, out[at] as number);
          break;
        case Op.save: {
          const slot = arg[at] as number;
          if (slot < slotCount) {
            stack.push(this.#slots[slot] as number, -slot - 1);
            this.#slots[slot] = index;
          }
          stack.push(out[at] as number);
          break;
        }
        case Op.place:
          if (here === -1) here = placesAt(this.#classes, this.#subject.before(index), after);
          if ((here & (1 << (arg[at] as number))) !== 0) stack.push(out[at] as number);
          break;
        default:
          into.at[into.count] = at;
          if (slotCount > 0) into.slots.set(this.#slots, into.count * slotCount);
          into.count += 1;
      }
    }
  }
}

function newThreads(size: number, slotCount: number): Threads {
  return { count: 0, at: new Int32Array(size), slots: new Int32Array(size * slotCount) };
}
