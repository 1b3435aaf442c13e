/**
 * Whether a text is a regular expression that PCRE accepts, without running it: Kong compiles the
 * regular expressions of routes and plugins when they are written, and refuses what does not parse.
 */

interface RegexError {
  /** PCRE's words. */
  readonly message: string;
  /** Where in the text, in characters. */
  readonly offset: number;
}

interface Scan {
  readonly text: string;
  index: number;
  /** Offsets of the groups that are open. */
  readonly groups: number[];
  /** Whether a quantifier may follow what was read last. */
  isRepeatable: boolean;
}

const posixClasses = new Set(
  'alpha lower upper alnum ascii blank cntrl digit graph print punct space word xdigit'.split(' '),
);

function scanClass(scan: Scan): RegexError | undefined {
  const { text } = scan;
  let index = scan.index + 1;
  if (text[index] === '^') index += 1;
  let isFirst = true;
  let previous: string | undefined;
  while (index < text.length) {
    const character = text[index] as string;
    if (character === ']' && !isFirst) {
      scan.index = index + 1;
      return undefined;
    }
    isFirst = false;
    if (character === '[' && /^\[[:.=]/.test(text.slice(index, index + 2))) {
      const end = text.indexOf(`${text[index + 1]}]`, index + 2);
      const name = text.slice(index + 2, end).replace(/^\^/, '');
      if (end !== -1 && /^[a-z]*$/.test(name)) {
        if (text[index + 1] !== ':' || !posixClasses.has(name)) {
          return { message: 'unknown POSIX class name', offset: index };
        }
        index = end + 2;
        previous = undefined;
        continue;
      }
    }
    if (character === '\\') {
      if (index + 1 >= text.length) return { message: '\\ at end of pattern', offset: text.length };
      previous = /[a-zA-Z]/.test(text[index + 1] as string) ? undefined : text[index + 1];
      index += 2;
      continue;
    }
    if (character === '-' && previous !== undefined && text[index + 1] !== ']') {
      const next = text[index + 1];
      if (next !== undefined && next !== '\\' && next !== '[' && next < previous) {
        return { message: 'range out of order in character class', offset: index + 1 };
      }
      previous = undefined;
      index += 1;
      continue;
    }
    previous = character;
    index += 1;
  }
  return { message: 'missing terminating ] for character class', offset: text.length };
}

const groupOpenings =
  /^\((?:\?(?:[:=!>|]|<[=!]|P?<[A-Za-z_]\w*>|'[A-Za-z_]\w*'|[imsxnJU^-]*[:)]|#[^)]*\)|P[=>][A-Za-z_]\w*\)|R\)|&\w+\)|[+-]?\d+\))|\*[A-Z_]+(?::[^)]*)?\))?/;

function scanGroup(scan: Scan): RegexError | undefined {
  const rest = scan.text.slice(scan.index, scan.index + 256);
  const opening = groupOpenings.exec(rest)?.[0] ?? '(';
  if (opening === '(' && rest[1] === '?') {
    return {
      message: 'unrecognized character after (? or (?-',
      offset: Math.min(scan.index + 2, scan.text.length),
    };
  }
  if (opening.endsWith(')')) {
    scan.index += opening.length;
    scan.isRepeatable = !/^\(\?[imsxnJU^-]*\)$/.test(opening);
    return undefined;
  }
  scan.groups.push(scan.index);
  scan.index += opening.length;
  scan.isRepeatable = false;
  return undefined;
}

function scanBraces(scan: Scan): RegexError | undefined {
  const counted = /^\{(\d*)(,?)(\d*)\}/.exec(scan.text.slice(scan.index, scan.index + 64));
  const isQuantifier = counted !== null && counted[1] !== '';
  if (!isQuantifier) {
    scan.index += 1;
    scan.isRepeatable = true;
    return undefined;
  }
  const end = scan.index + counted[0].length;
  if (!scan.isRepeatable) {
    return { message: 'quantifier does not follow a repeatable item', offset: end };
  }
  if (Number(counted[1]) > 65_535 || Number(counted[3]) > 65_535) {
    return { message: 'number too big in {} quantifier', offset: end };
  }
  if (counted[3] !== '' && Number(counted[3]) < Number(counted[1])) {
    return { message: 'numbers out of order in {} quantifier', offset: end };
  }
  scan.index = end;
  skipQuantifierSuffix(scan);
  return undefined;
}

function skipQuantifierSuffix(scan: Scan): void {
  if (scan.text[scan.index] === '?' || scan.text[scan.index] === '+') scan.index += 1;
  scan.isRepeatable = false;
}

function scanEscape(scan: Scan): RegexError | undefined {
  const { text, index } = scan;
  const next = text[index + 1];
  if (next === undefined) return { message: '\\ at end of pattern', offset: text.length };
  if (next === 'Q') {
    const end = text.indexOf('\\E', index + 2);
    scan.index = end === -1 ? text.length : end + 2;
    scan.isRepeatable = true;
    return undefined;
  }
  if (/[iIlLmMoqTuUyYjJ]/.test(next) && !(next === 'o' && text[index + 2] === '{')) {
    const message =
      next === 'L' || next === 'l' || next === 'U' || next === 'u'
        ? 'PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u'
        : 'unrecognized character follows \\';
    return { message, offset: index + 2 };
  }
  scan.index = index + 2;
  if (/[pPxogk]/.test(next) && text[scan.index] === '{') {
    const end = text.indexOf('}', scan.index);
    if (end !== -1) scan.index = end + 1;
  }
  scan.isRepeatable = !/[AzZbBG]/.test(next) || /[bB]/.test(next);
  return undefined;
}

function scanOne(scan: Scan): RegexError | undefined {
  const character = scan.text[scan.index] as string;
  switch (character) {
    case '\\':
      return scanEscape(scan);
    case '[':
      scan.isRepeatable = true;
      return scanClass(scan);
    case '(':
      return scanGroup(scan);
    case ')':
      if (scan.groups.pop() === undefined) {
        return { message: 'unmatched closing parenthesis', offset: scan.index };
      }
      scan.index += 1;
      scan.isRepeatable = true;
      return undefined;
    case '*':
    case '+':
    case '?':
      if (!scan.isRepeatable) {
        return { message: 'quantifier does not follow a repeatable item', offset: scan.index };
      }
      scan.index += 1;
      skipQuantifierSuffix(scan);
      return undefined;
    case '{':
      return scanBraces(scan);
    case '|':
      scan.index += 1;
      scan.isRepeatable = false;
      return undefined;
    case '^':
      scan.index += 1;
      scan.isRepeatable = false;
      return undefined;
    default:
      scan.index += 1;
      scan.isRepeatable = true;
      return undefined;
  }
}

/** The first thing that PCRE would refuse in a regular expression, or undefined. */
export function findRegexError(text: string): RegexError | undefined {
  const scan: Scan = { text, index: 0, groups: [], isRepeatable: false };
  while (scan.index < text.length) {
    const error = scanOne(scan);
    if (error !== undefined) return error;
  }
  if (scan.groups.length > 0) {
    return { message: 'missing closing parenthesis', offset: text.length };
  }
  return undefined;
}

/** PCRE's error as nginx's Lua module words it, e.g. for `/a(`. */
export function pcreErrorText(text: string, error: RegexError): string {
  const at = error.offset < text.length ? ` at "${text.slice(error.offset)}"` : '';
  return `pcre2_compile() failed: ${error.message} in "${text}"${at}`;
}
