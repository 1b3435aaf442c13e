import {
  compileRegularExpression,
  isChoice,
  type RegularExpression,
} from './regular-expression.ts';
import type { PathCaptures } from './route-match.ts';

/** Where a pattern of a path matched. */
interface PathMatch {
  readonly captures: PathCaptures | undefined;
  /** What follows the match; undefined when the pattern says nothing on it. */
  readonly postfix: string | undefined;
}

/** The pattern of a route's path, which matches from the start. */
export interface PathPattern {
  test(path: string): boolean;
  exec(path: string): PathMatch | undefined;
}

const options = { dialect: 'pcre', isAnchored: true } as const;
const postfixName = 'uri_postfix';

/**
 * Compiles a path's pattern for the traditional router. Kong writes a group for the rest of the path
 * behind it; behind a pattern with a choice that group belongs to the last of the choices only.
 */
export function compilePathPattern(pattern: string): PathPattern | undefined {
  const plain = compileRegularExpression(pattern, options);
  if (plain === undefined) return undefined;
  if (isChoice(pattern, options)) {
    const whole = compileRegularExpression(`${pattern}(?<${postfixName}>.*)`, options);
    return whole === undefined ? undefined : choicePattern(whole);
  }
  return {
    test: (path) => plain.test(path),
    exec(path) {
      const match = plain.exec(path);
      if (match === undefined) return undefined;
      const newline = path.indexOf('\n', match.end);
      const postfix = path.slice(match.end, newline === -1 ? undefined : newline);
      return { captures: plain.captures(match), postfix };
    },
  };
}

function choicePattern(whole: RegularExpression): PathPattern {
  return {
    test: (path) => whole.test(path),
    exec(path) {
      const match = whole.exec(path);
      if (match === undefined) return undefined;
      const postfix = match.groups.at(-1);
      const captures = whole.captures({ ...match, groups: match.groups.slice(0, -1) });
      return { captures, postfix };
    },
  };
}
