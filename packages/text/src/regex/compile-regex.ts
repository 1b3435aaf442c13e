import { Regex } from './regex.ts';

/** Tells whether a text matches. */
export type RegexMatcher = (text: string) => boolean;

const maxCached = 1000;
const cache = new Map<string, Regex>();

/**
 * A pattern in Go's syntax; those used lately are kept.
 *
 * ```ts
 * goRegex('^web-[0-9]+$').test('web-1'); // true
 * ```
 */
export function goRegex(pattern: string): Regex {
  const cached = cache.get(pattern);
  if (cached !== undefined) return cached;
  const regex = new Regex(pattern);
  // The oldest go first: one tenant's patterns do not empty the cache for all.
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string);
  cache.set(pattern, regex);
  return regex;
}

/**
 * Compiles a regular expression that comes from outside, in Go's syntax. It runs in time linear in the
 * text whatever the expression is, as Go's does, so that a hostile `(a+)+$` cannot hold a build or a
 * controller. It looks for a match anywhere; give `^` and `$` to anchor.
 *
 * ```ts
 * compileRegex('web-[0-9]+')('my-web-12'); // true
 * compileRegex('(a+)+$')('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'); // false
 * ```
 *
 * @throws RegexError
 */
export function compileRegex(pattern: string): RegexMatcher {
  const literal = literalForm.exec(pattern)?.[1];
  if (literal !== undefined) return (text) => text === literal;
  const regex = goRegex(pattern);
  return (text) => regex.test(text);
}

const literalForm = /^\^([A-Za-z0-9_/@:-]*)\$$/;

/**
 * Matches the whole text; nothing given matches all. A plain name needs no expression.
 *
 * ```ts
 * compileAnchoredRegex('web-[0-9]+')('web-12'); // true
 * compileAnchoredRegex('web-[0-9]+')('my-web-12'); // false
 * ```
 */
export function compileAnchoredRegex(pattern: string): RegexMatcher {
  if (pattern === '') return () => true;
  if (/^[A-Za-z0-9_/-]*$/.test(pattern)) return (text) => text === pattern;
  return compileRegex(`^(?:${pattern})$`);
}

/**
 * The parts of a text that match, in Go's syntax and order: none overlap.
 *
 * ```ts
 * findMatches('[0-9]+', 'a1b22c333', 2); // ['1', '22']
 * ```
 *
 * @throws RegexError also when looking takes too much work
 */
export function findMatches(
  pattern: string,
  text: string,
  limit = Number.POSITIVE_INFINITY,
): string[] {
  return goRegex(pattern)
    .findAll(text, limit)
    .map(({ start, end }) => text.slice(start, end));
}
