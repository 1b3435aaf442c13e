import { Regex, RegexBudget, RegexError } from '@waygate/text';
import { type LuaBudget, LuaExhausted, LuaFailure } from '../../lua/lua-value.ts';

/** Where a pattern was found; the first capture is all of it. */
export interface FoundPattern {
  readonly start: number;
  readonly end: number;
  readonly captures: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string | undefined>>;
}

const compiled = new Map<string, Regex>();
/** Programs make patterns as they run: only some are kept. */
const maximumPatterns = 200;
const maximumSize = 5_000;

/** Finds a pattern in PCRE's dialect, in time linear in the text, within what a request may cost. */
export function findPattern(
  text: string,
  pattern: string,
  options: string,
  from: number,
  budget: LuaBudget,
): FoundPattern | undefined {
  const flags = [...new Set(options)].filter((flag) => 'imsx'.includes(flag)).join('');
  const regex = regexOf(flags === '' ? pattern : `(?${flags})${pattern}`, budget);
  budget.spend(text.length);
  const allowed = new RegexBudget(budget.stepsLeft);
  try {
    const found = regex.exec(text, from, allowed);
    budget.spend(budget.stepsLeft - Math.max(allowed.left, 0));
    if (found === undefined) return undefined;
    const captures = [text.slice(found.start, found.end), ...found.groups];
    const named = [...regex.groupNames].map(([name, index]) => [name, captures[index]] as const);
    return { start: found.start, end: found.end, captures, named: Object.fromEntries(named) };
  } catch (error) {
    if (error instanceof RegexError) {
      throw new LuaExhausted('the patterns of a request take too many steps');
    }
    throw error;
  }
}

function regexOf(pattern: string, budget: LuaBudget): Regex {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  budget.spend(pattern.length * 20);
  try {
    const regex = new Regex(pattern, { dialect: 'pcre', maxSize: maximumSize });
    budget.spend(regex.size);
    if (compiled.size >= maximumPatterns) compiled.clear();
    compiled.set(pattern, regex);
    return regex;
  } catch (error) {
    if (error instanceof RegexError) {
      throw new LuaFailure(`the pattern is refused: ${error.message}`);
    }
    throw error;
  }
}
