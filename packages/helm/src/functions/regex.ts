import { goRegex, type Regex, RegexBudget, RegexError, type RegexMatch } from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { type FunctionTable, fn, int, str } from '../go/define.ts';
import { type CallContext, GoError, type GoFunction, type Reflected } from '../go/function.ts';
import { canBackquote, quoteString } from '../go/quote.ts';
import { stringSlice } from '../go/type.ts';
import { GoSlice } from '../go/value.ts';

/** What one match takes while all of them are kept. */
const bytesOfMatch = 256;
/** What it takes to make one, beside the steps of finding it. */
const stepsOfMatch = 48;

/** Steps of a pattern in one of the rendering. */
const perStep = 0.6;
/** Steps of the rendering for each of a program that was compiled; most of them are cached, which nobody relies on. */
const stepsOfCompiling = 3;
/** Steps that one call may take: some tenths of a second at worst. */
const maxSteps = 32_000_000;

/** A compiled pattern and the steps that it may take, which are counted in the rendering's own. */
class Search {
  readonly regex: Regex;
  readonly #budget: Budget;
  readonly #steps: RegexBudget;

  constructor(regex: Regex, budget: Budget) {
    this.regex = regex;
    this.#budget = budget;
    // No more than what is left, and a few to go beyond it: who said too much is then the rendering.
    this.#steps = new RegexBudget(Math.min(maxSteps, Math.ceil(budget.stepsLeft * perStep) + 2));
  }

  test(text: string): boolean {
    return this.#counted(() => this.regex.test(text, this.#steps));
  }

  all(text: string, limit: number): RegexMatch[] {
    // One more than there is room for is enough to know.
    const { room, stepsLeft } = this.#budget;
    const affordable = Math.floor(Math.min(room / bytesOfMatch, stepsLeft / stepsOfMatch)) + 1;
    const most = limit < 0 ? affordable : Math.min(limit, affordable);
    const found = this.#counted(() => this.regex.findAll(text, most, this.#steps));
    this.#budget.step(found.length * stepsOfMatch);
    this.#budget.make(found.length * bytesOfMatch);
    return found;
  }

  #counted<T>(run: () => T): T {
    const before = this.#steps.left;
    try {
      return run();
    } catch (error) {
      if (error instanceof RegexError) throw new GoError(error.message);
      throw error;
    } finally {
      this.#budget.step(Math.ceil((before - this.#steps.left) / perStep));
    }
  }
}

type Body = (
  search: Search,
  args: readonly string[],
  count: number,
  context: CallContext,
) => Reflected;

/** A function of a pattern: the plain one panics over a bad one, the `must` one gives the error. */
function pair(name: string, params: 'text' | 'texts' | 'count', body: Body, onBad?: Reflected) {
  const make = (isMust: boolean): GoFunction => {
    const run = (context: CallContext, pattern: string, args: readonly string[], count: number) => {
      context.budget.step(pattern.length);
      let regex: Regex;
      try {
        regex = goRegex(pattern);
      } catch (error) {
        if (!(error instanceof RegexError)) throw error;
        if (!isMust && onBad !== undefined) return onBad;
        const quoted = canBackquote(pattern) ? `\`${pattern}\`` : quoteString(pattern);
        throw new GoError(
          isMust ? goMessage(error) : `regexp: Compile(${quoted}): ${goMessage(error)}`,
        );
      }
      context.budget.step(regex.size * stepsOfCompiling);
      return body(new Search(regex, context.budget), args, count, context);
    };
    if (params === 'text')
      return fn([str, str], (context, pattern, text) => run(context, pattern, [text], 0));
    if (params === 'texts') {
      return fn([str, str, str], (context, pattern, text, next) =>
        run(context, pattern, [text, next], 0),
      );
    }
    return fn([str, str, int], (context, pattern, text, count) =>
      run(context, pattern, [text], count),
    );
  };
  return { [name]: make(false), [`mustR${name.slice(1)}`]: make(true) };
}

function goMessage(error: RegexError): string {
  return error.message;
}

/** Sprig's regular expressions, which are Go's: they run in linear time. */
export const regexFunctions: FunctionTable = {
  ...pair('regexMatch', 'text', (search, [text = '']) => search.test(text), false),
  ...pair('regexFind', 'text', (search, [text = '']) => {
    const [first] = search.all(text, 1);
    return first === undefined ? '' : text.slice(first.start, first.end);
  }),
  ...pair('regexFindAll', 'count', (search, [text = ''], count) => {
    const found = search.all(text, count).map(({ start, end }) => text.slice(start, end));
    return new GoSlice(stringSlice, found, found.length === 0);
  }),
  ...pair('regexSplit', 'count', (search, [text = ''], count) => split(search, text, count)),
  ...pair('regexReplaceAll', 'texts', (search, [text = '', next = ''], _, { budget }) =>
    replace(search, text, budget, (match) => expand(next, match, text, search.regex)),
  ),
  ...pair('regexReplaceAllLiteral', 'texts', (search, [text = '', next = ''], _, { budget }) =>
    replace(search, text, budget, () => next),
  ),
  regexQuoteMeta: fn([str], (_, text) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
};

function split(search: Search, text: string, count: number): GoSlice {
  if (count === 0) return new GoSlice(stringSlice, [], true);
  if (search.regex.pattern !== '' && text === '') return new GoSlice(stringSlice, ['']);
  const parts: string[] = [];
  let begin = 0;
  let end = 0;
  for (const match of search.all(text, count)) {
    if (count > 0 && parts.length === count - 1) break;
    end = match.start;
    if (match.end !== 0) parts.push(text.slice(begin, end));
    begin = match.end;
  }
  if (end !== text.length) parts.push(text.slice(begin));
  return new GoSlice(stringSlice, parts);
}

function replace(
  search: Search,
  text: string,
  budget: Budget,
  next: (match: RegexMatch) => string,
): string {
  let out = '';
  let from = 0;
  for (const match of search.all(text, -1)) {
    const put = next(match);
    budget.make(put.length);
    out += text.slice(from, match.start) + put;
    from = match.end;
  }
  return out + text.slice(from);
}

const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/** Puts what groups captured in place of `$1`, `${1}` and `${name}`; `$$` is a dollar. */
function expand(template: string, match: RegexMatch, text: string, regex: Regex): string {
  return template.replace(reference, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return whole === '$$' ? '$' : whole;
    const index = /^\d+$/.test(name) ? Number(name) : regex.groupNames.get(name);
    if (index === 0) return text.slice(match.start, match.end);
    return index === undefined ? '' : (match.groups[index - 1] ?? '');
  });
}
