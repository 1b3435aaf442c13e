import { isBreak } from './characters.ts';
import { mayBeTyped, resolveLegacyScalar } from './resolve.ts';

/** Lines of plain and quoted text are folded at the first space past this column. */
const width = 80;

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Text that is safe as it stands: letters, digits and marks that mean nothing in YAML. */
const simple = /^[A-Za-z/_$(][A-Za-z0-9/_.$()+=;@~^\\-]*$/;

/**
 * The YAML of a string. `column` is where it starts and `indent` where further lines of it go;
 * a key may not be broken over lines.
 */
export function yamlString(
  text: string,
  column: number,
  indent: number,
  isKey: boolean,
  mayFold = !isKey,
): string {
  if (isBareYaml(text)) return text;
  const shape = analyze(text);
  if (text.includes('\n')) {
    if (shape.allowsBlock && !isKey) return literal(text, indent);
    return doubleQuoted(text, column, indent, mayFold);
  }
  if (isTyped(text)) return doubleQuoted(text, column, indent, mayFold);
  if (shape.allowsPlain) return plain(text, column, indent, mayFold);
  if (shape.allowsSingle) return singleQuoted(text, column, indent, mayFold);
  return doubleQuoted(text, column, indent, mayFold);
}

/**
 * Whether a text stands for itself wherever it is put, without a closer look.
 *
 * ```ts
 * isBareYaml('web'); // true
 * isBareYaml('true'); // false
 * ```
 */
export function isBareYaml(text: string): boolean {
  return text.length < width && simple.test(text) && !isTyped(text);
}

/** Whether the text without quotes would be read as something else than a string. */
export function isTyped(text: string): boolean {
  if (!mayBeTyped(text.charCodeAt(0))) return false;
  if (resolveLegacyScalar(text).tag !== '!!str') return true;
  return text.includes(':') && base60.test(text);
}

/** Whether a text may stand without quotes, in a block or inside of brackets. */
export function mayBePlain(text: string, isInFlow: boolean): boolean {
  return analyze(text).allowsPlain && !(isInFlow && /[,?:[\]{}]/.test(text));
}

/** Whether a text may stand in single quotes, on one line. */
export function mayBeSingle(text: string): boolean {
  return analyze(text).allowsSingle && !text.includes('\n');
}

/** A text as a `|` block, where it can be one. */
export function blockText(text: string, indent: number): string | undefined {
  return analyze(text).allowsBlock && text !== '' ? literal(text, indent) : undefined;
}

interface Shape {
  readonly allowsPlain: boolean;
  readonly allowsSingle: boolean;
  readonly allowsBlock: boolean;
}

function analyze(text: string): Shape {
  let hasIndicator = text.startsWith('---') || text.startsWith('...');
  let hasBreak = false;
  let isSpecial = false;
  let hasBreakSpace = false;
  let hasSpaceBreak = false;
  let isAfterSpace = false;
  let isAfterBreak = false;
  let isAfterBlank = true;
  const last = text.length - 1;
  for (let index = 0; index <= last; index += 1) {
    const code = text.charCodeAt(index);
    if (!hasIndicator) hasIndicator = isIndicator(text, index, code, isAfterBlank);
    if (!isPrintable(code)) isSpecial = true;
    if (code === 0x20) {
      if (isAfterBreak) hasBreakSpace = true;
      isAfterSpace = true;
      isAfterBreak = false;
    } else if (isBreak(code)) {
      hasBreak = true;
      if (isAfterSpace) hasSpaceBreak = true;
      isAfterSpace = false;
      isAfterBreak = true;
    } else {
      isAfterSpace = false;
      isAfterBreak = false;
    }
    isAfterBlank = code === 0x20 || code === 0x09 || isBreak(code);
  }
  const first = text.charCodeAt(0);
  const end = text.charCodeAt(last);
  const isPadded = first === 0x20 || isBreak(first) || end === 0x20 || isBreak(end);
  const isHard = hasSpaceBreak || isSpecial;
  return {
    allowsPlain: !(isPadded || hasBreakSpace || isHard || hasBreak || hasIndicator),
    allowsSingle: !(hasBreakSpace || isHard),
    allowsBlock: !(end === 0x20 || isHard),
  };
}

function isIndicator(text: string, index: number, code: number, isAfterBlank: boolean): boolean {
  if (index === 0) {
    switch (code) {
      case 0x23: // #
      case 0x2c: // ,
      case 0x5b: // [
      case 0x5d: // ]
      case 0x7b: // {
      case 0x7d: // }
      case 0x26: // &
      case 0x2a: // *
      case 0x21: // !
      case 0x7c: // |
      case 0x3e: // >
      case 0x27: // '
      case 0x22: // "
      case 0x25: // %
      case 0x40: // @
      case 0x60: // `
        return true;
      case 0x3f: // ?
      case 0x3a: // :
      case 0x2d: // -
        return isBlankAfter(text, index);
      default:
        return false;
    }
  }
  if (code === 0x3a) return isBlankAfter(text, index);
  return code === 0x23 && isAfterBlank;
}

function isBlankAfter(text: string, index: number): boolean {
  if (index + 1 >= text.length) return true;
  const next = text.charCodeAt(index + 1);
  return next === 0x20 || next === 0x09;
}

/** What lies beyond the BMP counts as unprintable: the original emits emoji as escapes. */
function isPrintable(code: number): boolean {
  if (code === 0x0a) return true;
  if (code >= 0x20 && code <= 0x7e) return true;
  if (code < 0xa0) return false;
  return code < 0xd800 || (code >= 0xe000 && code < 0xfffe && code !== 0xfeff);
}

function plain(text: string, column: number, indent: number, mayBreak: boolean): string {
  if (!mayBreak || column + text.length <= width) return text;
  return folded(text, column, indent, (index) => text.charCodeAt(index + 1) !== 0x20);
}

export function singleQuoted(
  text: string,
  column: number,
  indent: number,
  mayBreak: boolean,
): string {
  const quoted = text.replaceAll("'", "''");
  const hasOddBreak = [...text].some((character) => isBreak(character.charCodeAt(0)));
  if (hasOddBreak) return `'${breakLines(quoted, indent)}'`;
  if (!mayBreak || column + quoted.length + 1 <= width) return `'${quoted}'`;
  const last = quoted.length - 1;
  const mayFold = (index: number): boolean =>
    index > 0 && index < last && quoted.charCodeAt(index + 1) !== 0x20;
  return `'${folded(quoted, column + 1, indent, mayFold)}'`;
}

/** Replaces single spaces past the width by a line break and the indentation. */
function folded(
  text: string,
  start: number,
  indent: number,
  mayFold: (index: number) => boolean,
): string {
  const margin = `\n${' '.repeat(indent)}`;
  let result = '';
  let column = start;
  let from = 0;
  let isAfterSpace = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x20) {
      if (!isAfterSpace && column > width && mayFold(index)) {
        result += text.slice(from, index) + margin;
        from = index + 1;
        column = indent;
      } else {
        column += 1;
      }
      isAfterSpace = true;
      continue;
    }
    column += 1;
    isAfterSpace = false;
  }
  return result + text.slice(from);
}

/** Separators of lines other than the usual one: what follows one goes to the margin. */
function breakLines(text: string, indent: number): string {
  return text.replace(/[\r\u0085\u2028\u2029]+(?=.)/gs, (breaks) => breaks + ' '.repeat(indent));
}

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

export function doubleQuoted(
  text: string,
  start: number,
  indent: number,
  mayBreak: boolean,
): string {
  const margin = `\n${' '.repeat(indent)}`;
  let result = '"';
  let column = start + 1;
  let isAfterSpace = false;
  // After a byte order mark at the start the original escapes whatever follows.
  const escapesAll = text.charCodeAt(0) === 0xfeff;
  const put = (part: string): void => {
    result += part;
    column += part.length;
    isAfterSpace = false;
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x20 && !escapesAll) {
      const isInside = index > 0 && index < text.length - 1;
      if (mayBreak && !isAfterSpace && column > width && isInside) {
        result += margin;
        column = indent;
        if (text.charCodeAt(index + 1) === 0x20) {
          result += '\\';
          column += 1;
        }
      } else {
        result += ' ';
        column += 1;
      }
      isAfterSpace = true;
    } else if (escapesAll || mustEscape(code)) {
      const point = text.codePointAt(index)!;
      if (point > 0xffff) index += 1;
      put(`\\${escapeOf(point)}`);
    } else {
      put(text[index]!);
    }
  }
  return `${result}"`;
}

function mustEscape(code: number): boolean {
  return !isPrintable(code) || isBreak(code) || code === 0x22 || code === 0x5c;
}

function escapeOf(point: number): string {
  const short = shortEscapes.get(point);
  if (short !== undefined) return short;
  const hex = point.toString(16).toUpperCase();
  if (point <= 0xff) return `x${hex.padStart(2, '0')}`;
  if (point <= 0xffff) return `u${hex.padStart(4, '0')}`;
  return `U${hex.padStart(8, '0')}`;
}

const lineStarts = /(?<=^|[\r\n\u0085\u2028\u2029])(?=[^\r\n\u0085\u2028\u2029])/g;

/** A `|` block: always possible to read back, never folded. */
function literal(text: string, indent: number): string {
  const first = text.charCodeAt(0);
  let header = '|';
  if (first === 0x20 || isBreak(first)) header += '2';
  const last = text.length - 1;
  if (!isBreak(text.charCodeAt(last))) header += '-';
  else if (last === 0 || isBreak(text.charCodeAt(last - 1))) header += '+';
  const margin = ' '.repeat(indent);
  // Rare breaks begin a line, too, and what follows has its margin; a line of nothing has none.
  const body = text.replace(/\n$/, '').replace(lineStarts, margin);
  return `${header}\n${body}`;
}
