import { backtrack, canBacktrack } from './backtrack.ts';
import { type CodeClasses, codeClassesOf } from './code-classes.ts';
import { gaveUp, LazyDfa, none } from './lazy-dfa.ts';
import { Before, RegexBudget, Subject } from './matching.ts';
import { type NativeRegex, nativeOf } from './native.ts';
import { parseRegex } from './parse-regex.ts';
import type { RegexDialect } from './pattern-reader.ts';
import { compileProgram, type Program } from './program.ts';
import { Simulation } from './simulate.ts';
import type { ParsedRegex, RegexNode } from './syntax-tree.ts';

/** How a pattern is read, and how large it may become. */
export interface RegexOptions {
  /** Go's unless told otherwise. */
  readonly dialect?: RegexDialect | undefined;
  /** Steps of the compiled pattern; repeats multiply them. */
  readonly maxSize?: number | undefined;
  /** Every match begins at the start of the text, as if all of the pattern stood behind a `^`. */
  readonly isAnchored?: boolean | undefined;
}

/** Where a pattern was found. Indices are those of JavaScript strings. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** What each group captured, from the first; undefined for one that took no part. */
  readonly groups: readonly (string | undefined)[];
}

const noGroups: readonly undefined[] = [];

const defaultSize = 20_000;

/** Steps that one match may take if nobody says otherwise: some tenths of a second at worst. */
const defaultSteps = 32_000_000;

interface Engines {
  readonly classes: CodeClasses;
  readonly native: NativeRegex | undefined;
  readonly search: LazyDfa;
  readonly fixed: LazyDfa;
}

/**
 * A regular expression that comes from outside. Whatever it is, it runs in time linear in the text and
 * in bounded memory; what cannot be run so is refused when it is compiled.
 *
 * Of several matches the leftmost is found, and of those the one that Perl would find. Texts
 * are read by code points.
 *
 * @example
 * const route = new Regex('^/users/(?<id>[0-9]+)$', { dialect: 'rust' });
 * route.exec('/users/42')?.groups; // ['42']
 */
export class Regex {
  readonly pattern: string;
  readonly groupCount: number;
  /** Named groups with their numbers, from 1. */
  readonly groupNames: ReadonlyMap<string, number>;
  /** A `|` outside of all groups: what follows the pattern would belong to its last part only. */
  readonly isChoice: boolean;
  readonly #parsed: ParsedRegex;
  readonly #program: Program;
  #engines: Engines | undefined;

  /** @throws RegexError for what cannot be parsed, is too large, or cannot be run in linear time */
  constructor(pattern: string, options: RegexOptions = {}) {
    this.pattern = pattern;
    const parsed = parseRegex(pattern, options.dialect ?? 'go');
    const { node } = parsed;
    this.#parsed = options.isAnchored === true ? { ...parsed, node: anchored(node) } : parsed;
    this.#program = compileProgram(this.#parsed, options.maxSize ?? defaultSize, pattern);
    this.groupCount = parsed.groupCount;
    this.groupNames = parsed.names;
    this.isChoice = node.kind === 'choice';
  }

  /** Steps of the program: a match costs at most this, times the length of the text. */
  get size(): number {
    return this.#program.size;
  }

  /** Whether the pattern is found anywhere in a text. */
  test(text: string, budget = new RegexBudget(defaultSteps)): boolean {
    const engines = this.#ready();
    if (engines.native !== undefined) return engines.native.expression.test(text);
    return this.#isFound(engines, text, 0, budget);
  }

  /** The first match at or after an index. */
  exec(text: string, from = 0, budget = new RegexBudget(defaultSteps)): RegexMatch | undefined {
    if (from > 0 && this.#program.isAnchored) return undefined;
    const engines = this.#ready();
    const { native } = engines;
    if (native !== undefined && from === 0 && (native.hasGroups || this.groupCount === 0)) {
      const match = native.expression.exec(text);
      return match === null
        ? undefined
        : {
            start: match.index,
            end: match.index + match[0].length,
            groups: this.groupCount === 0 ? noGroups : (match.slice(1) as (string | undefined)[]),
          };
    }
    if (this.#program.isAnchored && this.groupCount === 0) {
      const end = engines.fixed.run(text, 0, Before.start, false, budget);
      if (end === none) return undefined;
      if (end !== gaveUp) return { start: 0, end, groups: [] };
    } else if (!this.#isFound(engines, text, from, budget)) return undefined;
    const slots = canBacktrack(this.#program, text)
      ? backtrack(this.#program, engines.classes, text, from, budget)
      : new Simulation(this.#program, engines.classes, text, this.#program.slotCount, budget).run(
          from,
        );
    return slots === undefined ? undefined : toMatch(text, slots);
  }

  /** All matches that do not overlap, as Go finds them: nothing right after a match is not another one. */
  findAll(
    text: string,
    limit = Number.POSITIVE_INFINITY,
    budget = new RegexBudget(defaultSteps),
  ): RegexMatch[] {
    const found: RegexMatch[] = [];
    let from = 0;
    let lastEnd = -1;
    while (from <= text.length && found.length < limit) {
      const match = this.exec(text, from, budget);
      if (match === undefined) break;
      budget.spend(((match.end - from) >> 4) + 4);
      const isEmpty = match.start === match.end;
      if (!isEmpty || match.start !== lastEnd) found.push(match);
      lastEnd = match.end;
      from = isEmpty ? match.end + characterWidth(text, match.end) : match.end;
    }
    return found;
  }

  #isFound(engines: Engines, text: string, from: number, budget: RegexBudget): boolean {
    const before =
      from === 0 ? Before.start : new Subject(this.#program, engines.classes, text).before(from);
    const end = engines.search.run(text, from, before, true, budget);
    if (end !== gaveUp) return end !== none;
    const simulation = new Simulation(this.#program, engines.classes, text, 0, budget);
    return simulation.run(from) !== undefined;
  }

  /** Most patterns of a configuration never see a text: what running takes is made for the first. */
  #ready(): Engines {
    if (this.#engines === undefined) {
      const classes = codeClassesOf(this.#program);
      this.#engines = {
        classes,
        native: nativeOf(this.#parsed.node, this.#program, classes),
        search: new LazyDfa(this.#program, classes, false),
        fixed: new LazyDfa(this.#program, classes, true),
      };
    }
    return this.#engines;
  }
}

function anchored(node: RegexNode): RegexNode {
  return { kind: 'sequence', parts: [{ kind: 'place', place: 'start' }, node] };
}

function toMatch(text: string, slots: Int32Array): RegexMatch {
  const groups: (string | undefined)[] = [];
  for (let slot = 2; slot < slots.length; slot += 2) {
    const start = slots[slot] as number;
    const end = slots[slot + 1] as number;
    groups.push(start < 0 || end < 0 ? undefined : text.slice(start, end));
  }
  return { start: slots[0] as number, end: slots[1] as number, groups };
}

function characterWidth(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
