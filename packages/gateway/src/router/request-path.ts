/** Characters that stay percent-encoded: decoding them would change what the path means. */
const reserved = new Set("!#$%&'()*+,/:;=?@[]");
const isHex = /^[0-9A-Fa-f]{2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A request path in the form that routes are matched on. */
export interface NormalizedPath {
  readonly path: string;
  /** False when the bytes are no UTF-8: then `path` holds one character a byte. */
  readonly isUtf8: boolean;
}

/**
 * Normalises the path of a request target as Kong does before routing: unreserved characters are
 * decoded, dot segments resolved and slashes merged. What stays encoded is in upper case.
 *
 * @example
 * normalizePath('/a//b/../%63').path; // '/a/c'
 */
export function normalizePath(target: string): NormalizedPath {
  const bytes = removeDotSegments(decodeUnreserved(withoutQuery(target)));
  if (isAscii(bytes)) return { path: bytes, isUtf8: true };
  try {
    return { path: utf8.decode(Buffer.from(bytes, 'latin1')), isUtf8: true };
  } catch {
    return { path: bytes, isUtf8: false };
  }
}

/** The target without its query. A `?` at the very start belongs to the path, as in Kong. */
export function withoutQuery(target: string): string {
  const question = target.indexOf('?', 1);
  return question === -1 ? target : target.slice(0, question);
}

/**
 * What nginx, which stands before Kong's router, refuses with 400: a broken or NUL escape, and a path
 * that climbs above the root.
 *
 * ```ts
 * isAcceptablePath('/shop'); // true
 * ```
 */
export function isAcceptablePath(target: string): boolean {
  let path = withoutQuery(target);
  const fragment = path.indexOf('#');
  if (fragment !== -1) path = path.slice(0, fragment);
  if (path.includes('%')) {
    const decoded = decodeStrictly(path);
    if (decoded === undefined) return false;
    path = decoded;
  }
  if (!path.includes('..')) return true;
  let depth = 0;
  for (const segment of path.split('/')) {
    if (segment === '..') {
      depth -= 1;
      if (depth < 0) return false;
    } else if (segment !== '' && segment !== '.') {
      depth += 1;
    }
  }
  return true;
}

/**
 * Percent-encodes what may not stand in a request line. `%` is left alone: it is an escape already.
 *
 * ```ts
 * escapePath('/a b', true); // '/a%20b'
 * ```
 */
export function escapePath(path: string, isUtf8: boolean): string {
  if (!/[^!#$&'()*+,/:;=?@[\]A-Za-z0-9\-_.~%]/.test(path)) return path;
  let escaped = '';
  for (const byte of Buffer.from(path, isUtf8 ? 'utf8' : 'latin1')) {
    const character = String.fromCharCode(byte);
    escaped += /[!#$&'()*+,/:;=?@[\]A-Za-z0-9\-_.~%]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/%[0-9A-Fa-f]{2}/g, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return reserved.has(character) ? triplet.toUpperCase() : character;
  });
}

function decodeStrictly(path: string): string | undefined {
  let decoded = '';
  for (let index = 0; index < path.length; index += 1) {
    const character = path.charAt(index);
    if (character !== '%') {
      decoded += character;
      continue;
    }
    const digits = path.slice(index + 1, index + 3);
    if (!isHex.test(digits) || digits === '00') return undefined;
    decoded += String.fromCharCode(Number.parseInt(digits, 16));
    index += 2;
  }
  return decoded;
}

function removeDotSegments(path: string): string {
  if (path === '' || !path.startsWith('/')) return path;
  if (!path.includes('//') && !path.includes('/.')) return path;
  const kept: string[] = [];
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '..') {
      kept.pop();
    } else if (segment !== '' && segment !== '.') {
      kept.push(segment);
    }
  }
  const last = segments.at(-1);
  const endsWithSlash = last === '' || last === '.' || last === '..';
  return kept.length === 0 ? '/' : `/${kept.join('/')}${endsWithSlash ? '/' : ''}`;
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole range of ASCII is meant.
  return /^[\x00-\x7f]*$/.test(text);
}
