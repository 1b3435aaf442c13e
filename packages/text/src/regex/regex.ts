import { isWord, parseRegex, type Regex, RegexError } from './regex-syntax.ts';

/** Tells whether a text matches. */
export type RegexMatcher = (text: string) => boolean;

export type Step =
  | { op: 'set'; has: (code: number) => boolean }
  | { op: 'split'; to: number[] }
  | { op: 'start' | 'end' | 'lineStart' | 'lineEnd' }
  | { op: 'boundary'; isNegated: boolean }
  | { op: 'match' };

/** A compiled expression may have this many steps; repetitions multiply them. */
const MAX_STEPS = 20_000;

const cache = new Map<string, RegexMatcher>();

/**
 * Compiles a regular expression that comes from outside. It runs in time linear in the text
 * whatever the expression is, as Go's does, so that a hostile `(a+)+$` cannot hold a build or a controller.
 * It looks for a match anywhere; give `^` and `$` to anchor.
 */
export function compileRegex(pattern: string): RegexMatcher {
  const cached = cache.get(pattern);
  if (cached !== undefined) return cached;
  const matcher = newMatcher(pattern);
  if (cache.size > 1000) cache.clear();
  cache.set(pattern, matcher);
  return matcher;
}

const LITERAL = /^\^[A-Za-z0-9_/@:-]*\$$/;

/** Matches the whole text; nothing given matches all. A plain name needs no expression. */
export function compileAnchoredRegex(pattern: string): RegexMatcher {
  if (pattern === '') return () => true;
  if (/^[A-Za-z0-9_/-]*$/.test(pattern)) return (text) => text === pattern;
  return compileRegex(`^(?:${pattern})$`);
}

function newMatcher(pattern: string): RegexMatcher {
  if (LITERAL.test(pattern)) {
    const literal = pattern.slice(1, -1);
    return (text) => text === literal;
  }
  const steps = compileSteps(pattern);
  return (text) => run(steps, text);
}

/** The steps of an expression, for those who run them in ways of their own. */
export function compileSteps(pattern: string): readonly Step[] {
  const steps: Step[] = [];
  emit(parseRegex(pattern), steps, pattern);
  steps.push({ op: 'match' });
  return steps;
}

function emit(regex: Regex, steps: Step[], pattern: string): void {
  if (steps.length > MAX_STEPS) throw new RegexError('expression too large', pattern);
  switch (regex.kind) {
    case 'empty':
      return;
    case 'set':
      steps.push({ op: 'set', has: regex.has });
      return;
    case 'start':
    case 'end':
    case 'lineStart':
    case 'lineEnd':
      steps.push({ op: regex.kind });
      return;
    case 'boundary':
      steps.push({ op: 'boundary', isNegated: regex.isNegated });
      return;
    case 'sequence':
      for (const part of regex.parts) emit(part, steps, pattern);
      return;
    case 'choice':
      emitChoice(regex.options, steps, pattern);
      return;
    case 'repeat':
      emitRepeat(regex, steps, pattern);
  }
}

function emitChoice(options: readonly Regex[], steps: Step[], pattern: string): void {
  const split = { op: 'split' as const, to: [] as number[] };
  steps.push(split);
  const ends: { op: 'split'; to: number[] }[] = [];
  for (const option of options) {
    split.to.push(steps.length);
    emit(option, steps, pattern);
    const end = { op: 'split' as const, to: [] as number[] };
    steps.push(end);
    ends.push(end);
  }
  for (const end of ends) end.to.push(steps.length);
}

/** What is wanted more comes first in a split: one more time round, or on, when it is lazy. */
function emitRepeat(
  { part, min, max, isLazy }: Extract<Regex, { kind: 'repeat' }>,
  steps: Step[],
  pattern: string,
): void {
  for (let count = 0; count < min; count += 1) emit(part, steps, pattern);
  if (max === Number.POSITIVE_INFINITY) {
    const at = steps.length;
    const split = { op: 'split' as const, to: [at + 1] };
    steps.push(split);
    emit(part, steps, pattern);
    steps.push({ op: 'split', to: [at] });
    split.to.push(steps.length);
    if (isLazy) split.to.reverse();
    return;
  }
  const splits: { op: 'split'; to: number[] }[] = [];
  for (let count = min; count < max; count += 1) {
    const split = { op: 'split' as const, to: [steps.length + 1] };
    steps.push(split);
    splits.push(split);
    emit(part, steps, pattern);
  }
  for (const split of splits) {
    split.to.push(steps.length);
    if (isLazy) split.to.reverse();
  }
}

function run(steps: readonly Step[], text: string): boolean {
  let current: number[] = [];
  const seen = new Int32Array(steps.length).fill(-1);
  for (let index = 0; index <= text.length; index += 1) {
    if (follow(steps, 0, text, index, current, seen)) return true;
    if (index === text.length) break;
    const code = text.charCodeAt(index);
    const next: number[] = [];
    for (const at of current) {
      const step = steps[at]!;
      if (step.op === 'set' && step.has(code)) {
        if (follow(steps, at + 1, text, index + 1, next, seen)) return true;
      }
    }
    current = next;
  }
  return false;
}

/** Adds the steps that are reachable without a character; true when the end is among them. */
function follow(
  steps: readonly Step[],
  from: number,
  text: string,
  index: number,
  into: number[],
  seen: Int32Array,
): boolean {
  const stack = [from];
  while (stack.length > 0) {
    const at = stack.pop()!;
    if (seen[at] === index) continue;
    seen[at] = index;
    const step = steps[at]!;
    switch (step.op) {
      case 'match':
        return true;
      case 'set':
        into.push(at);
        break;
      case 'split':
        stack.push(...step.to);
        break;
      default:
        if (isAt(step, text, index)) stack.push(at + 1);
    }
  }
  return false;
}

/** Whether a place in the text is the one that an anchor asks for. */
export function isAt(
  step: Exclude<Step, { op: 'set' | 'split' | 'match' }>,
  text: string,
  index: number,
): boolean {
  switch (step.op) {
    case 'start':
      return index === 0;
    case 'end':
      return index === text.length;
    case 'lineStart':
      return index === 0 || text.charCodeAt(index - 1) === 0x0a;
    case 'lineEnd':
      return index === text.length || text.charCodeAt(index) === 0x0a;
    case 'boundary': {
      const isBoundary = isWord(text.charCodeAt(index - 1)) !== isWord(text.charCodeAt(index));
      return isBoundary !== step.isNegated;
    }
  }
}
