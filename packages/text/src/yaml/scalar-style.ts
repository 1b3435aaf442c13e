import { isSexagesimal, resolveScalar } from './scalar.ts';
import type { Writer } from './writer.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const WIDTH = 80;

/** What decides the style of a text: the same questions that libyaml's emitter asks. */
export function styleOf(value: string, isKey: boolean): ScalarStyle {
  if (value === '') return 'double';
  const traits = traitsOf(value);
  if (traits.hasBreak && value.includes('\n')) {
    return traits.blockAllowed && !isKey ? 'literal' : 'double';
  }
  if (traits.hasBreak && isKey) return 'double';
  if (resolveScalar(value).type !== 'string' || isSexagesimal(value)) return 'double';
  if (traits.plainAllowed) return 'plain';
  return traits.singleAllowed ? 'single' : 'double';
}

export function writeScalar(
  writer: Writer,
  value: string,
  style: ScalarStyle,
  indent: number,
  mayFold: boolean,
): void {
  if (style === 'plain') writeFolded(writer, value, indent, mayFold, false);
  else if (style === 'single') {
    writer.text("'");
    writeFolded(writer, value, indent, mayFold, true);
    writer.text("'");
  } else if (style === 'double') writeDouble(writer, value, indent, mayFold);
  else writeLiteral(writer, value, indent);
}

interface Traits {
  readonly hasBreak: boolean;
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

function isBreak(character: string | undefined): boolean {
  return (
    character === '\n' ||
    character === '\r' ||
    character === '\u0085' ||
    character === '\u2028' ||
    character === '\u2029'
  );
}

function isBlankOrEnd(character: string | undefined): boolean {
  return character === undefined || character === ' ' || character === '\t';
}

/** Characters beyond the basic plane count as unprintable, as in libyaml. */
function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) as number;
  if (code === 0x0a || (code >= 0x20 && code <= 0x7e)) return true;
  if (code < 0xa0) return false;
  return (code <= 0xd7ff || code >= 0xe000) && code <= 0xfffd && code !== 0xfeff;
}

function traitsOf(value: string): Traits {
  const characters = Array.from(value);
  let indicators = /^(?:---|\.\.\.)/.test(value);
  let special = false;
  let hasBreak = false;
  let breakSpace = false;
  let spaceBreak = false;
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    const previous = characters[at - 1];
    if (isIndicator(character, previous, characters[at + 1], at === 0)) indicators = true;
    if (!isPrintable(character)) special = true;
    if (character === ' ' && isBreak(previous)) breakSpace = true;
    if (isBreak(character)) {
      hasBreak = true;
      if (previous === ' ') spaceBreak = true;
    }
  }
  const first = characters[0];
  const last = characters.at(-1);
  const edges = first === ' ' || isBreak(first) || last === ' ' || isBreak(last);
  return {
    hasBreak,
    plainAllowed: !edges && !breakSpace && !spaceBreak && !special && !hasBreak && !indicators,
    singleAllowed: !breakSpace && !spaceBreak && !special,
    blockAllowed: last !== ' ' && !spaceBreak && !special,
  };
}

function isIndicator(
  character: string,
  previous: string | undefined,
  next: string | undefined,
  isFirst: boolean,
): boolean {
  if (isFirst) {
    if ('#,[]{}&*!|>\'"%@`'.includes(character)) return true;
    return (character === '?' || character === ':' || character === '-') && isBlankOrEnd(next);
  }
  if (character === ':') return isBlankOrEnd(next);
  return character === '#' && (previous === ' ' || previous === '\t' || isBreak(previous));
}

/** Plain and single-quoted text: a single space past column 80 becomes a line break. */
function writeFolded(
  writer: Writer,
  value: string,
  indent: number,
  mayFold: boolean,
  quoted: boolean,
): void {
  const characters = Array.from(value);
  let afterSpace = false;
  let afterBreak = false;
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === ' ') {
      const inside = !quoted || (at > 0 && at < characters.length - 1);
      if (mayFold && !afterSpace && writer.column > WIDTH && inside && characters[at + 1] !== ' ') {
        writer.lineBreak();
        writer.indentTo(indent);
      } else writer.text(' ');
      afterSpace = true;
      continue;
    }
    if (isBreak(character)) {
      if (!afterBreak && character === '\n') writer.emptyLine();
      if (character === '\n') writer.emptyLine();
      else writer.rareBreak(character);
      afterBreak = true;
      continue;
    }
    if (afterBreak) writer.indentTo(indent);
    writer.text(quoted && character === "'" ? "''" : character);
    afterSpace = false;
    afterBreak = false;
  }
}

const escapes = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u00a0', '\\_'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function writeDouble(writer: Writer, value: string, indent: number, mayFold: boolean): void {
  const characters = Array.from(value);
  // A byte order mark at the start makes the original escape all that follows, spaces too.
  const escapesAll = value.startsWith('\ufeff');
  let afterSpace = false;
  writer.text('"');
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === ' ' && !escapesAll) {
      const inside = at > 0 && at < characters.length - 1;
      if (mayFold && !afterSpace && writer.column > WIDTH && inside) {
        writer.lineBreak();
        writer.indentTo(indent);
        if (characters[at + 1] === ' ') writer.text('\\');
      } else writer.text(' ');
      afterSpace = true;
      continue;
    }
    writer.text(escapesAll || needsEscape(character) ? escaped(character) : character);
    afterSpace = false;
  }
  writer.text('"');
}

function needsEscape(character: string): boolean {
  return !isPrintable(character) || isBreak(character) || character === '"' || character === '\\';
}

function escaped(character: string): string {
  const known = escapes.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) as number;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function writeLiteral(writer: Writer, value: string, indent: number): void {
  const hint = value.startsWith(' ') || isBreak(value[0]) ? '2' : '';
  const ends = isBreak(value.at(-1));
  const keeps = ends && (value.length === 1 || isBreak(value.at(-2)));
  writer.text(`|${hint}${ends ? (keeps ? '+' : '') : '-'}`);
  writer.emptyLine();
  for (const [at, line] of value.split('\n').entries()) {
    if (at > 0) writer.emptyLine();
    if (line !== '') {
      writer.indentTo(indent);
      writer.text(line);
    }
  }
}
