/**
 * A path with its matched prefix replaced, as the Gateway API's table of `ReplacePrefixMatch` says: slashes
 * between the two parts are one, and what ended in a slash still does.
 *
 * ```ts
 * withPrefixReplaced('/foo/bar', '/foo', '/xyz'); // '/xyz/bar'
 * ```
 */
export function withPrefixReplaced(path: string, matched: string, replacement: string): string {
  // The root is replaced whole, where it is all there is.
  const rest =
    path === '/' && matched === path ? '' : path.slice(matched.replace(/\/$/, '').length);
  const start = replacement.replace(/\/$/, '');
  return `${start}${rest}` || '/';
}

/** The longest of these prefixes that a path has, by whole segments; undefined if it has none. */
export function matchedPrefix(path: string, prefixes: readonly string[]): string | undefined {
  return prefixes
    .filter((prefix) => `${path}/`.startsWith(`${prefix.replace(/\/$/, '')}/`))
    .sort((one, two) => two.length - one.length)[0];
}
