import { checkFormat, formatText } from './lua-format.ts';
import { matchPattern, patternProblem } from './lua-pattern.ts';
import {
  expectNumber,
  expectText,
  isTrue,
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaValue,
  toText,
  typeOf,
} from './lua-value.ts';

interface StringFunction {
  readonly run: LuaFunction;
  /** What is wrong with arguments that are known beforehand; others are undefined. */
  readonly check?: (args: readonly LuaValue[]) => string | undefined;
}

const checkPattern = ([, pattern]: readonly LuaValue[]) =>
  typeof pattern === 'string' ? patternProblem(pattern) : undefined;

/** The functions of `string`, which are the methods of texts too. */
export const stringFunctions: ReadonlyMap<string, StringFunction> = new Map<string, StringFunction>(
  [
    ['sub', { run: sub }],
    ['upper', { run: changed('upper', (text) => text.replace(/[a-z]+/g, (a) => a.toUpperCase())) }],
    ['lower', { run: changed('lower', (text) => text.replace(/[A-Z]+/g, (a) => a.toLowerCase())) }],
    ['reverse', { run: changed('reverse', (text) => [...text].reverse().join('')) }],
    ['len', { run: ([text]) => [expectText(text, 'len').length] }],
    ['rep', { run: rep }],
    ['byte', { run: byte }],
    ['char', { run: char }],
    ['find', { run: find, check: (args) => (isTrue(args[3]) ? undefined : checkPattern(args)) }],
    ['match', { run: match, check: checkPattern }],
    ['gmatch', { run: gmatch, check: checkPattern }],
    ['gsub', { run: gsub, check: checkPattern }],
    [
      'format',
      {
        run: formatText,
        check: ([format]) => (typeof format === 'string' ? checkFormat(format) : undefined),
      },
    ],
  ],
);

/** A function that makes another text of the same length. */
function changed(name: string, change: (text: string) => string): LuaFunction {
  return ([value], budget) => {
    const text = expectText(value, name);
    budget.take(text.length);
    return [change(text)];
  };
}

/** A position that may count from the end, as one from 0. */
function startOf(value: LuaValue, length: number, what: string): number {
  const position = value === undefined ? 1 : Math.trunc(expectNumber(value, what));
  if (position > 0) return position - 1;
  return position === 0 ? 0 : Math.max(length + position, 0);
}

function endOf(value: LuaValue, length: number, what: string): number {
  const position = value === undefined ? -1 : Math.trunc(expectNumber(value, what));
  return position < 0 ? length + position + 1 : Math.min(position, length);
}

function sub(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const text = expectText(args[0], 'sub');
  const start = startOf(args[1], text.length, 'sub');
  const end = endOf(args[2], text.length, 'sub');
  const part = end > start ? text.slice(start, end) : '';
  budget.take(part.length);
  return [part];
}

function rep(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const text = expectText(args[0], 'rep');
  const count = Math.max(Math.trunc(expectNumber(args[1], 'rep')), 0);
  const between = args[2] === undefined ? '' : expectText(args[2], 'rep');
  budget.take((text.length + between.length) * count);
  if (count === 0) return [''];
  return [`${text}${between}`.repeat(count - 1) + text];
}

function byte(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const text = expectText(args[0], 'byte');
  const first = args[1] === undefined ? 1 : args[1];
  const start = startOf(first, text.length, 'byte');
  const end = endOf(args[2] ?? first, text.length, 'byte');
  const part = text.slice(start, Math.max(end, start));
  budget.spend(part.length);
  return [...part].map((character) => character.charCodeAt(0));
}

function char(args: readonly LuaValue[]): LuaValue[] {
  const codes = args.map((code) => expectNumber(code, 'char'));
  if (codes.some((code) => !Number.isInteger(code) || code < 0 || code > 255)) {
    throw new LuaFailure('char expects numbers from 0 to 255');
  }
  return [codes.map((code) => String.fromCharCode(code)).join('')];
}

function find(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const text = expectText(args[0], 'find');
  const pattern = expectText(args[1], 'find');
  const start = startOf(args[2], text.length, 'find');
  if (start > text.length) return [undefined];
  if (isTrue(args[3])) {
    budget.spend(text.length);
    const at = text.indexOf(pattern, start);
    return at === -1 ? [undefined] : [at + 1, at + pattern.length];
  }
  const found = matchPattern(text, pattern, start, budget);
  if (found === undefined) return [undefined];
  return [found.start + 1, found.end, ...found.captures];
}

function match(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const text = expectText(args[0], 'match');
  const pattern = expectText(args[1], 'match');
  const start = startOf(args[2], text.length, 'match');
  if (start > text.length) return [undefined];
  const found = matchPattern(text, pattern, start, budget);
  if (found === undefined) return [undefined];
  budget.take(found.end - found.start);
  return capturesOrWhole(found.captures, text.slice(found.start, found.end));
}

function gmatch(args: readonly LuaValue[]): LuaValue[] {
  const text = expectText(args[0], 'gmatch');
  const pattern = expectText(args[1], 'gmatch');
  let at = 0;
  return [
    (_args, budget) => {
      const found = at > text.length ? undefined : matchPattern(text, pattern, at, budget);
      if (found === undefined) {
        at = text.length + 1;
        return [undefined];
      }
      at = found.end === found.start ? found.end + 1 : found.end;
      const whole = text.slice(found.start, found.end);
      budget.take(whole.length);
      return capturesOrWhole(found.captures, whole);
    },
  ];
}

type Captures = readonly (string | number)[];

/** Without parentheses the whole match counts as the first capture. */
function capturesOrWhole(captures: Captures, whole: string): LuaValue[] {
  return captures.length === 0 ? [whole] : [...captures];
}

function gsub(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const text = expectText(args[0], 'gsub');
  const pattern = expectText(args[1], 'gsub');
  const limit = args[3] === undefined ? Number.POSITIVE_INFINITY : expectNumber(args[3], 'gsub');
  const replace = replacer(args[2], budget);
  const pieces: string[] = [];
  let at = 0;
  let count = 0;
  while (count < limit) {
    const found = matchPattern(text, pattern, at, budget);
    if (found === undefined) break;
    count += 1;
    pieces.push(text.slice(at, found.start));
    pieces.push(replace(text.slice(found.start, found.end), found.captures));
    at = found.end;
    if (found.end === found.start) {
      // Nothing matched here: the next look is behind the next character, which stays.
      pieces.push(text.slice(at, at + 1));
      at += 1;
    }
    if (at > text.length || pattern.startsWith('^')) break;
  }
  pieces.push(text.slice(at));
  budget.take(pieces.reduce((sum, piece) => sum + piece.length, 0));
  return [pieces.join(''), count];
}

type Replace = (whole: string, captures: Captures) => string;

function replacer(replacement: LuaValue, budget: LuaBudget): Replace {
  if (typeof replacement === 'string' || typeof replacement === 'number') {
    const text = toText(replacement);
    return (whole, captures) => {
      const filled = text.replace(/%([\s\S]?)/g, (_, mark: string) => {
        if (mark === '%') return '%';
        if (mark === '0') return whole;
        const values = capturesOrWhole(captures, whole);
        const capture = /[1-9]/.test(mark) ? values[Number(mark) - 1] : undefined;
        if (capture === undefined) throw new LuaFailure(`gsub cannot put '%${mark}' in`);
        return String(capture);
      });
      budget.spend(text.length);
      budget.take(filled.length);
      return filled;
    };
  }
  let replacementOf: (captures: readonly LuaValue[]) => LuaValue;
  if (typeof replacement === 'function') {
    replacementOf = (captures) => budget.nest(() => replacement(captures, budget)[0]);
  } else if (typeof replacement === 'object') {
    replacementOf = (captures) => replacement.get(captures[0]);
  } else {
    throw new LuaFailure(`gsub cannot replace by ${typeOf(replacement)}`);
  }
  return (whole, captures) => {
    const value = replacementOf(capturesOrWhole(captures, whole));
    return isTrue(value) ? expectText(value, 'gsub') : whole;
  };
}
