import {
  hexValue,
  isBlank,
  isBlankOrBreakOrEnd,
  isBreak,
  isBreakOrEnd,
  isDigit,
  isEnd,
  spaceCode,
  tabCode,
} from './characters.ts';
import { skipRestOfLine } from './rest-of-line.ts';
import type { Scanner } from './scanner.ts';
import type { Mark } from './yaml-error.ts';

export function scanPlainScalar(scanner: Scanner): string {
  const { reader } = scanner;
  const start = reader.mark();
  const indent = scanner.indent + 1;
  let value = '';
  let blanks = '';
  let leadingBreak = '';
  let trailingBreaks = '';
  let isAfterBreak = false;
  for (;;) {
    if (reader.column === 0 && (scanner.isDocumentMarker(0x2d) || scanner.isDocumentMarker(0x2e))) {
      break;
    }
    if (reader.peek() === 0x23) break;
    const from = reader.index;
    while (!endsPlain(scanner)) reader.skip();
    if (reader.index > from) {
      if (isAfterBreak) {
        value += fold(leadingBreak, trailingBreaks);
        leadingBreak = '';
        trailingBreaks = '';
        isAfterBreak = false;
      } else {
        value += blanks;
      }
      blanks = '';
      value += reader.text.slice(from, reader.index);
    }
    if (!(isBlank(reader.peek()) || isBreak(reader.peek()))) break;
    while (isBlank(reader.peek()) || isBreak(reader.peek())) {
      if (isBlank(reader.peek())) {
        if (isAfterBreak && reader.column < indent && reader.peek() === tabCode) {
          scanner.fail(start, 'found a tab character that violates indentation');
        }
        if (!isAfterBreak) blanks += reader.text[reader.index];
        reader.skip();
      } else if (!isAfterBreak) {
        blanks = '';
        leadingBreak = reader.readLine();
        isAfterBreak = true;
      } else {
        trailingBreaks += reader.readLine();
      }
    }
    if (scanner.flowLevel === 0 && reader.column < indent) break;
  }
  if (isAfterBreak) scanner.isSimpleKeyAllowed = true;
  return value;
}

function endsPlain(scanner: Scanner): boolean {
  const { reader } = scanner;
  const code = reader.peek();
  if (isBlankOrBreakOrEnd(code)) return true;
  if (code === 0x3a) return isBlankOrBreakOrEnd(reader.peek(1));
  if (scanner.flowLevel === 0) return false;
  return (
    code === 0x2c ||
    code === 0x3f ||
    code === 0x5b ||
    code === 0x5d ||
    code === 0x7b ||
    code === 0x7d
  );
}

/** Joins two lines of a flow scalar: one break is a space, more are themselves less one. */
function fold(leadingBreak: string, trailingBreaks: string): string {
  if (leadingBreak !== '\n') return leadingBreak + trailingBreaks;
  return trailingBreaks === '' ? ' ' : trailingBreaks;
}

export function scanQuotedScalar(scanner: Scanner, isSingle: boolean): string {
  const { reader } = scanner;
  const start = reader.mark();
  const quote = isSingle ? 0x27 : 0x22;
  reader.skip();
  let value = '';
  for (;;) {
    if (reader.column === 0 && (scanner.isDocumentMarker(0x2d) || scanner.isDocumentMarker(0x2e))) {
      scanner.fail(start, 'found unexpected document indicator');
    }
    if (isEnd(reader.peek())) scanner.fail(start, 'found unexpected end of stream');
    let isAfterBreak = false;
    let from = reader.index;
    while (!isBlankOrBreakOrEnd(reader.peek())) {
      const code = reader.peek();
      if (isSingle && code === 0x27 && reader.peek(1) === 0x27) {
        value += reader.text.slice(from, reader.index + 1);
        reader.skip(2);
        from = reader.index;
      } else if (code === quote) {
        break;
      } else if (!isSingle && code === 0x5c && isBreak(reader.peek(1))) {
        value += reader.text.slice(from, reader.index);
        reader.skip();
        reader.skipLine();
        from = reader.index;
        isAfterBreak = true;
        break;
      } else if (!isSingle && code === 0x5c) {
        value += reader.text.slice(from, reader.index) + scanEscape(scanner, start);
        from = reader.index;
      } else {
        reader.skip();
      }
    }
    value += reader.text.slice(from, reader.index);
    if (reader.peek() === quote && !isAfterBreak) break;
    value += scanQuotedBlanks(scanner, isAfterBreak);
  }
  reader.skip();
  return value;
}

function scanQuotedBlanks(scanner: Scanner, isAfterEscapedBreak: boolean): string {
  const { reader } = scanner;
  let blanks = '';
  let leadingBreak = '';
  let trailingBreaks = '';
  let isAfterBreak = isAfterEscapedBreak;
  while (isBlank(reader.peek()) || isBreak(reader.peek())) {
    if (isBlank(reader.peek())) {
      if (!isAfterBreak) blanks += reader.text[reader.index];
      reader.skip();
    } else if (!isAfterBreak) {
      blanks = '';
      leadingBreak = reader.readLine();
      isAfterBreak = true;
    } else {
      trailingBreaks += reader.readLine();
    }
  }
  if (!isAfterBreak) return blanks;
  if (isAfterEscapedBreak && leadingBreak === '') return trailingBreaks;
  return fold(leadingBreak, trailingBreaks);
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function scanEscape(scanner: Scanner, start: Mark): string {
  const { reader } = scanner;
  const name = reader.text[reader.index + 1] ?? '';
  const simple = Object.hasOwn(escapes, name) ? escapes[name] : undefined;
  if (simple !== undefined) {
    reader.skip(2);
    return simple;
  }
  const length = Object.hasOwn(hexLengths, name) ? hexLengths[name] : undefined;
  if (length === undefined) scanner.fail(start, 'found unknown escape character');
  reader.skip(2);
  let code = 0;
  for (let offset = 0; offset < length!; offset += 1) {
    const digit = hexValue(reader.peek(offset));
    if (digit < 0) scanner.fail(start, 'did not find expected hexdecimal number');
    code = code * 16 + digit;
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    scanner.fail(start, 'found invalid Unicode character escape code');
  }
  reader.skip(length!);
  return String.fromCodePoint(code);
}

export function scanBlockScalar(scanner: Scanner, isLiteral: boolean): string {
  const { reader } = scanner;
  const start = reader.mark();
  reader.skip();
  const { chomping, increment } = scanBlockHeader(scanner, start);
  let indent = 0;
  if (increment > 0) indent = scanner.indent >= 0 ? scanner.indent + increment : increment;
  let value = '';
  let leadingBreak = '';
  let breaks = scanBlockBreaks(scanner, indent, start);
  indent = breaks.indent;
  let isLeadingBlank = false;
  while (reader.column === indent && !isEnd(reader.peek())) {
    const isTrailingBlank = isBlank(reader.peek());
    if (!isLiteral && leadingBreak === '\n' && !isLeadingBlank && !isTrailingBlank) {
      if (breaks.text === '') value += ' ';
    } else {
      value += leadingBreak;
    }
    value += breaks.text;
    isLeadingBlank = isBlank(reader.peek());
    const from = reader.index;
    while (!isBreakOrEnd(reader.peek())) reader.skip();
    value += reader.text.slice(from, reader.index);
    leadingBreak = isEnd(reader.peek()) ? '' : reader.readLine();
    breaks = scanBlockBreaks(scanner, indent, start);
  }
  if (chomping !== 'strip') value += leadingBreak;
  if (chomping === 'keep') value += breaks.text;
  return value;
}

type Chomping = 'clip' | 'strip' | 'keep';

function scanBlockHeader(scanner: Scanner, start: Mark): { chomping: Chomping; increment: number } {
  const { reader } = scanner;
  let chomping: Chomping = 'clip';
  let increment = 0;
  const scanChomping = (): void => {
    const code = reader.peek();
    if (code !== 0x2b && code !== 0x2d) return;
    chomping = code === 0x2b ? 'keep' : 'strip';
    reader.skip();
  };
  const scanIncrement = (): void => {
    const code = reader.peek();
    if (!isDigit(code)) return;
    if (code === 0x30) scanner.fail(start, 'found an indentation indicator equal to 0');
    increment = code - 0x30;
    reader.skip();
  };
  if (isDigit(reader.peek())) {
    scanIncrement();
    scanChomping();
  } else {
    scanChomping();
    scanIncrement();
  }
  skipRestOfLine(scanner, start);
  return { chomping, increment };
}

/** Eats indentation and empty lines; finds the indentation when it is not known yet (0). */
function scanBlockBreaks(
  scanner: Scanner,
  known: number,
  start: Mark,
): { text: string; indent: number } {
  const { reader } = scanner;
  let indent = known;
  let deepest = 0;
  let text = '';
  for (;;) {
    while ((indent === 0 || reader.column < indent) && reader.peek() === spaceCode) reader.skip();
    if (reader.column > deepest) deepest = reader.column;
    if ((indent === 0 || reader.column < indent) && reader.peek() === tabCode) {
      scanner.fail(start, 'found a tab character where an indentation space is expected');
    }
    if (!isBreak(reader.peek())) break;
    text += reader.readLine();
  }
  if (indent === 0) indent = Math.max(deepest, scanner.indent + 1, 1);
  return { text, indent };
}
