import { setFlagsFromString } from 'node:v8';

const posixClasses: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: ' \\t',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

let isGuarded = false;

/**
 * Compiles a route's regular expression, written for Rust's `regex` or PCRE, for this engine.
 * Returns undefined for what the engine does not know.
 *
 * Routes are written by whoever may write routes, and paths come from anyone, so a pattern that
 * backtracks without end must not stop the process: V8 is told to leave such a match to its
 * linear-time engine.
 */
export function compileRegularExpression(pattern: string, extraFlags = ''): RegExp | undefined {
  guardAgainstBacktracking();
  let flags = extraFlags;
  let source = pattern;
  const inline = /^(\^?)\(\?([imsUux]+)\)/.exec(source);
  if (inline !== null) {
    source = (inline[1] ?? '') + source.slice(inline[0].length);
    for (const flag of inline[2] ?? '') {
      flags += 'ims'.includes(flag) && !flags.includes(flag) ? flag : '';
    }
  }
  source = source
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('\\Z', '$')
    .replace(/\[:(\^?)([a-z]+):\]/g, (whole, not: string, name: string) =>
      not === '' ? (posixClasses[name] ?? whole) : whole,
    );
  if (/\\[pP]\{|\\x\{/.test(source)) {
    flags += 'u';
    source = source.replace(/\\x\{([0-9A-Fa-f]+)\}/g, '\\u{$1}');
  }
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** The characters that every match of an anchored pattern starts with; empty if none are sure. */
export function literalPrefix(pattern: string): string {
  let index = pattern.startsWith('^') ? 1 : 0;
  if (index === 0 || /(^|[^\\])\|/.test(pattern) || pattern.startsWith('^(?')) {
    return '';
  }
  let prefix = '';
  while (index < pattern.length) {
    let character = pattern.charAt(index);
    let length = 1;
    if (character === '\\') {
      character = pattern.charAt(index + 1);
      if (character === '' || /[A-Za-z0-9]/.test(character)) {
        break;
      }
      length = 2;
    } else if (/[.[\](){}^$*+?]/.test(character)) {
      break;
    }
    if (/[*?{]/.test(pattern.charAt(index + length))) {
      break;
    }
    prefix += character;
    index += length;
  }
  return prefix;
}

function guardAgainstBacktracking(): void {
  if (!isGuarded) {
    isGuarded = true;
    setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  }
}
