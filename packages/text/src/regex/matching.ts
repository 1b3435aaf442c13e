import type { CodeClasses } from './code-classes.ts';
import { type Program, places } from './program.ts';
import { RegexError } from './regex-error.ts';

/** One for all: a trace for each would cost more than what the budget saves. */
const spent = new RegexError('too much work for this text', 'budget spent');

/**
 * What one match may cost, in steps. Several matches may share one.
 *
 * ```ts
 * const budget = new RegexBudget(10_000); // for all patterns that meet one text
 * new Regex('(a|b)*c', { dialect: 'rust' }).test('ababab', budget);
 * ```
 */
export class RegexBudget {
  /** Steps that are left. */
  left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  /** @throws RegexError when nothing is left */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw spent;
  }
}

/** What came before a place: the start of the text, a newline, a letter of a word. */
export const Before = { start: 1, newline: 2, word: 4 } as const;

const bit = Object.fromEntries(places.map((place, index) => [place, 1 << index])) as Record<
  (typeof places)[number],
  number
>;

/** The places, as bits by their number, that a spot is, by what comes before it and the class after. */
export function placesAt(classes: CodeClasses, before: number, after: number): number {
  const isStart = (before & Before.start) !== 0;
  const isEnd = after === classes.end;
  let found = isStart ? bit.start | bit.lineStart : 0;
  if ((before & Before.newline) !== 0) found |= bit.lineStart;
  if (isEnd) found |= bit.end | bit.endOrNewline | bit.lineEnd;
  else if (after === classes.lastNewline) found |= bit.endOrNewline;
  if (classes.isNewline[after] === 1) found |= bit.lineEnd;
  const isWordBefore = (before & Before.word) !== 0;
  return found | (isWordBefore === (classes.isWord[after] === 1) ? bit.notBoundary : bit.boundary);
}

/** What a class is to the place after it. */
export function beforeOf(classes: CodeClasses, one: number): number {
  return (
    (classes.isNewline[one] === 1 ? Before.newline : 0) |
    (classes.isWord[one] === 1 ? Before.word : 0)
  );
}

/** A text with the classes of its characters. */
export class Subject {
  readonly text: string;
  readonly #classes: CodeClasses;
  readonly #hasLastNewline: boolean;

  constructor(program: Program, classes: CodeClasses, text: string) {
    this.text = text;
    this.#classes = classes;
    this.#hasLastNewline = program.placesUsed.has('endOrNewline') && text.endsWith('\n');
  }

  /** The class at an index; that of the end behind the last character. */
  classAt(index: number): number {
    const { text } = this;
    if (index >= text.length) return this.#classes.end;
    const code = text.charCodeAt(index);
    if (this.#hasLastNewline && index === text.length - 1) return this.#classes.lastNewline;
    if (code < 128) return this.#classes.ascii[code] as number;
    return this.#classes.of(text.codePointAt(index) as number);
  }

  /** Code units of the character at an index. */
  widthAt(index: number): number {
    const code = this.text.charCodeAt(index);
    return code >= 0xd800 && code <= 0xdbff && (this.text.codePointAt(index) as number) > 0xffff
      ? 2
      : 1;
  }

  before(index: number): number {
    if (index === 0) return Before.start;
    const code = this.text.charCodeAt(index - 1);
    const isPair = code >= 0xdc00 && code <= 0xdfff && index > 1 && this.widthAt(index - 2) === 2;
    return beforeOf(this.#classes, this.classAt(isPair ? index - 2 : index - 1));
  }
}
