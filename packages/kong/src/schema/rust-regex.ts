/**
 * What the router's own engine refuses in a regular expression that PCRE accepts. The router of Kong
 * 3.x has no look-around and no backreferences.
 */
interface RustRegexError {
  readonly message: string;
  readonly offset: number;
  readonly length: number;
}

const knownEscapes = /[0-9A-Za-z<>]/;
const allowedEscapes = /[aftnrvxuUpPdDsSwWbBAz]/;

function groupError(text: string, index: number): RustRegexError | undefined {
  const rest = text.slice(index, index + 64);
  const lookAround = /^\(\?(?:<?[=!])/.exec(rest)?.[0];
  if (lookAround !== undefined) {
    return {
      message: 'look-around, including look-ahead and look-behind, is not supported',
      offset: index,
      length: lookAround.length,
    };
  }
  const named = /^\(\?P?<([^>]*)/.exec(rest);
  if (named !== null) {
    const name = named[1] ?? '';
    const bad = [...name].findIndex((character, at) =>
      at === 0 ? !/[A-Za-z_]/.test(character) : !/[A-Za-z0-9_.[\]]/.test(character),
    );
    if (bad === -1) return undefined;
    const offset = index + named[0].length - name.length + bad;
    return { message: 'invalid capture group character', offset, length: 1 };
  }
  const flags = /^\(\?([^:)]?)/.exec(rest);
  if (flags?.[1] && !/[imsUuxR-]/.test(flags[1])) {
    return { message: 'unrecognized flag', offset: index + 2, length: 1 };
  }
  return undefined;
}

function escapeError(text: string, index: number): RustRegexError | undefined {
  const next = text[index + 1];
  if (next === undefined) {
    return {
      message: 'incomplete escape sequence, reached end of pattern prematurely',
      offset: index,
      length: 1,
    };
  }
  if (/[0-9]/.test(next)) {
    return { message: 'backreferences are not supported', offset: index, length: 2 };
  }
  if (knownEscapes.test(next) && !allowedEscapes.test(next)) {
    return { message: 'unrecognized escape sequence', offset: index, length: 2 };
  }
  return undefined;
}

/** The first thing that the router's engine would refuse, or undefined. */
export function findRustRegexError(text: string): RustRegexError | undefined {
  const groups: number[] = [];
  let classStart = -1;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') {
      const error = escapeError(text, index);
      if (error !== undefined) return error;
      index += 1;
    } else if (classStart !== -1) {
      if (character === ']' && index > classStart + 1) classStart = -1;
    } else if (character === '[') classStart = text[index + 1] === '^' ? index + 1 : index;
    else if (character === '(') {
      const error = groupError(text, index);
      if (error !== undefined) return error;
      groups.push(index);
    } else if (character === ')' && groups.pop() === undefined) {
      return { message: 'unopened group', offset: index, length: 1 };
    }
  }
  if (classStart !== -1)
    return { message: 'unclosed character class', offset: classStart, length: 1 };
  const open = groups.pop();
  return open === undefined ? undefined : { message: 'unclosed group', offset: open, length: 1 };
}
