import { type LuaBudget, LuaFailure } from './lua-value.ts';

/** Where a pattern matched, and what its parentheses took: a text, or a position for `()`. */
interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Empty for a pattern without parentheses. */
  readonly captures: readonly (string | number)[];
}

interface Capture {
  start: number;
  /** Of an open capture `open`; of `()` `position`. */
  length: number | 'open' | 'position';
}

const maximumCaptures = 32;
/** How deep a match may go into itself; Lua has a limit of the same sort. */
const depthLimit = 200;

/** Finds a pattern of Lua in a text, from a position on. Every look at a character is a step. */
export function matchPattern(
  text: string,
  pattern: string,
  from: number,
  budget: LuaBudget,
): PatternMatch | undefined {
  const isAnchored = pattern.startsWith('^');
  const matcher = new PatternMatcher(text, pattern, budget);
  for (let start = from; start <= text.length; start += 1) {
    const end = matcher.match(start, isAnchored ? 1 : 0);
    if (end !== undefined) return { start, end, captures: matcher.captured() };
    if (isAnchored) return undefined;
  }
  return undefined;
}

/** What is wrong with a pattern, whatever it is matched with. */
export function patternProblem(pattern: string): string | undefined {
  const open: number[] = [];
  const closed: boolean[] = [];
  let at = pattern.startsWith('^') ? 1 : 0;
  try {
    while (at < pattern.length) {
      const character = pattern[at];
      if (character === '(') {
        open.push(closed.push(false) - 1);
        if (closed.length > maximumCaptures) throw malformed('too many captures');
        at += 1;
      } else if (character === ')') {
        const index = open.pop();
        if (index === undefined) throw malformed("a ')' opens nowhere");
        closed[index] = true;
        at += 1;
      } else if (character === '%' && pattern[at + 1] === 'b') {
        if (pattern.length < at + 4) throw malformed("'%b' needs two characters");
        at += 4;
      } else if (character === '%' && pattern[at + 1] === 'f') {
        if (pattern[at + 2] !== '[') throw malformed("'%f' needs a set");
        at = classEnd(pattern, at + 2);
      } else if (character === '%' && /\d/.test(pattern[at + 1] ?? '')) {
        if (closed[Number(pattern[at + 1]) - 1] !== true) throw malformed('no such capture');
        at += 2;
      } else {
        at = classEnd(pattern, at);
      }
    }
    if (open.length > 0) throw malformed("a '(' is not closed");
    return undefined;
  } catch (error) {
    if (error instanceof LuaFailure) return error.message;
    throw error;
  }
}

function malformed(what: string): LuaFailure {
  return new LuaFailure(`a pattern is malformed: ${what}`);
}

class PatternMatcher {
  readonly #text: string;
  readonly #pattern: string;
  readonly #budget: LuaBudget;
  #captures: Capture[] = [];
  #depth = 0;

  constructor(text: string, pattern: string, budget: LuaBudget) {
    this.#text = text;
    this.#pattern = pattern;
    this.#budget = budget;
  }

  /** The end of a match of the whole pattern at `start`. */
  match(start: number, patternStart: number): number | undefined {
    this.#captures = [];
    this.#depth = 0;
    return this.#match(start, patternStart);
  }

  captured(): (string | number)[] {
    const captures = this.#captures.map(({ start: from, length }) => {
      if (length === 'position') return from + 1;
      if (length === 'open') throw malformed("a '(' is not closed");
      return this.#text.slice(from, from + length);
    });
    for (const capture of captures) this.#budget.take(String(capture).length);
    return captures;
  }

  #match(start: number, patternStart: number): number | undefined {
    if (this.#depth === depthLimit) throw new LuaFailure('a pattern is too complex');
    this.#depth += 1;
    const end = this.#matchHere(start, patternStart);
    this.#depth -= 1;
    return end;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one step of the matcher with a case for each sign; parts of it would share all of its state.
  #matchHere(start: number, patternStart: number): number | undefined {
    const pattern = this.#pattern;
    const text = this.#text;
    let at = start;
    let item = patternStart;
    while (item < pattern.length) {
      this.#budget.spend(1);
      const character = pattern[item];
      const after = pattern[item + 1] ?? '';
      if (character === '(') {
        return after === ')'
          ? this.#open(at, item + 2, 'position')
          : this.#open(at, item + 1, 'open');
      }
      if (character === ')') return this.#close(at, item + 1);
      if (character === '$' && item + 1 === pattern.length) {
        return at === text.length ? at : undefined;
      }
      if (character === '%' && after === 'b') {
        const end = this.#balanced(at, item + 2);
        if (end === undefined) return undefined;
        [at, item] = [end, item + 4];
        continue;
      }
      if (character === '%' && after === 'f') {
        if (pattern[item + 2] !== '[') throw malformed("'%f' needs a set");
        const end = classEnd(pattern, item + 2);
        this.#budget.spend(2 * (end - item));
        const before = at === 0 ? 0 : text.charCodeAt(at - 1);
        const here = at < text.length ? text.charCodeAt(at) : 0;
        const isFrontier =
          !isInClass(pattern, item + 2, end, before) && isInClass(pattern, item + 2, end, here);
        if (!isFrontier) return undefined;
        item = end;
        continue;
      }
      if (character === '%' && after >= '0' && after <= '9') {
        const captured = this.#back(Number(after) - 1);
        this.#budget.spend(captured.length);
        if (!text.startsWith(captured, at)) return undefined;
        [at, item] = [at + captured.length, item + 2];
        continue;
      }
      const end = classEnd(pattern, item);
      switch (pattern[end]) {
        case '?': {
          const rest = this.#fits(at, item, end) ? this.#match(at + 1, end + 1) : undefined;
          if (rest !== undefined) return rest;
          item = end + 1;
          break;
        }
        case '+':
          return this.#fits(at, item, end) ? this.#most(at, item, end, 1) : undefined;
        case '*':
          return this.#most(at, item, end, 0);
        case '-':
          return this.#least(at, item, end);
        default:
          if (!this.#fits(at, item, end)) return undefined;
          [at, item] = [at + 1, end];
      }
    }
    return at;
  }

  #fits(at: number, item: number, end: number): boolean {
    // A set costs as much as it is long.
    this.#budget.spend(end - item);
    return at < this.#text.length && isInClass(this.#pattern, item, end, this.#text.charCodeAt(at));
  }

  #most(start: number, item: number, end: number, least: number): number | undefined {
    let count = 0;
    while (this.#fits(start + count, item, end)) count += 1;
    for (; count >= least; count -= 1) {
      const rest = this.#match(start + count, end + 1);
      if (rest !== undefined) return rest;
    }
    return undefined;
  }

  #least(start: number, item: number, end: number): number | undefined {
    for (let at = start; ; at += 1) {
      const rest = this.#match(at, end + 1);
      if (rest !== undefined) return rest;
      if (!this.#fits(at, item, end)) return undefined;
    }
  }

  #open(at: number, item: number, length: 'open' | 'position'): number | undefined {
    if (this.#captures.length === maximumCaptures) throw malformed('too many captures');
    this.#captures.push({ start: at, length });
    const count = this.#captures.length;
    const end = this.#match(at, item);
    if (end === undefined) this.#captures.length = count - 1;
    return end;
  }

  #close(at: number, item: number): number | undefined {
    const capture = this.#captures.findLast(({ length }) => length === 'open');
    if (capture === undefined) throw malformed("a ')' opens nowhere");
    capture.length = at - capture.start;
    const end = this.#match(at, item);
    if (end === undefined) capture.length = 'open';
    return end;
  }

  #back(index: number): string {
    const capture = this.#captures[index];
    if (capture === undefined || typeof capture.length !== 'number') {
      throw malformed('no such capture');
    }
    return this.#text.slice(capture.start, capture.start + capture.length);
  }

  #balanced(start: number, item: number): number | undefined {
    if (item + 1 >= this.#pattern.length) throw malformed("'%b' needs two characters");
    const [open, close] = [this.#pattern[item], this.#pattern[item + 1]];
    if (this.#text[start] !== open) return undefined;
    let depth = 1;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      this.#budget.spend(1);
      if (this.#text[at] === close) {
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (this.#text[at] === open) {
        depth += 1;
      }
    }
    return undefined;
  }
}

/** Behind one class of a pattern: a character, `.`, `%x` or `[…]`. */
function classEnd(pattern: string, start: number): number {
  if (pattern[start] === '%') {
    if (start + 1 >= pattern.length) throw malformed("it ends with '%'");
    return start + 2;
  }
  if (pattern[start] !== '[') return start + 1;
  let at = pattern[start + 1] === '^' ? start + 2 : start + 1;
  do {
    if (at >= pattern.length) throw malformed("a '[' is not closed");
    at += pattern[at] === '%' ? 2 : 1;
  } while (pattern[at] !== ']');
  return at + 1;
}

function isInClass(pattern: string, start: number, end: number, code: number): boolean {
  switch (pattern[start]) {
    case '.':
      return true;
    case '%':
      return isOfKind(pattern[start + 1] ?? '', code);
    case '[':
      return isInSet(pattern, start, end - 1, code);
    default:
      return pattern.charCodeAt(start) === code;
  }
}

function isInSet(pattern: string, start: number, last: number, code: number): boolean {
  const isNegated = pattern[start + 1] === '^';
  let at = isNegated ? start + 2 : start + 1;
  while (at < last) {
    if (pattern[at] === '%') {
      if (isOfKind(pattern[at + 1] ?? '', code)) return !isNegated;
      at += 2;
    } else if (pattern[at + 1] === '-' && at + 2 < last) {
      if (pattern.charCodeAt(at) <= code && code <= pattern.charCodeAt(at + 2)) return !isNegated;
      at += 3;
    } else {
      if (pattern.charCodeAt(at) === code) return !isNegated;
      at += 1;
    }
  }
  return isNegated;
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: `%c` is the class of control characters.
const kinds: Readonly<Record<string, RegExp>> = {
  a: /[A-Za-z]/,
  c: /[\x00-\x1f\x7f]/,
  d: /[0-9]/,
  l: /[a-z]/,
  p: /[!-/:-@[-`{-~]/,
  s: /[ \t-\r]/,
  u: /[A-Z]/,
  w: /[A-Za-z0-9]/,
  x: /[A-Fa-f0-9]/,
  z: /\x00/,
};
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

function isOfKind(letter: string, code: number): boolean {
  const lower = letter.toLowerCase();
  const kind = Object.hasOwn(kinds, lower) ? kinds[lower] : undefined;
  if (kind === undefined) return letter.charCodeAt(0) === code;
  return kind.test(String.fromCharCode(code)) === (letter === lower);
}
