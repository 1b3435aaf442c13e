import { withoutQuery } from './request-path.ts';

/**
 * nginx's `$uri`: the path of a request target with every escape decoded, slashes merged and dot segments
 * resolved. One character a byte.
 *
 * ```ts
 * decodedPath('/a//b/..%2Fc?d'); // '/a/c'
 * ```
 */
export function decodedPath(target: string): string {
  const raw = withoutQuery(target);
  const path = raw.includes('%') ? raw.replace(/%([0-9A-Fa-f]{2})/g, decodeOne) : raw;
  if (!path.includes('//') && !path.includes('/.')) return path;
  const segments = path.split('/');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') {
      kept.pop();
    } else if (segment !== '' && segment !== '.') {
      kept.push(segment);
    }
  }
  const last = segments.at(-1);
  const isFolder = last === '' || last === '.' || last === '..';
  return kept.length === 0 ? '/' : `/${kept.join('/')}${isFolder ? '/' : ''}`;
}

function decodeOne(_escape: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped.
const escaped = /[\x00-\x20"#%<>?\\^`{|}\x7f-\xff]/g;

/** Percent-encodes a decoded path as nginx does before it sends one. */
export function encodedPath(path: string): string {
  return path.replace(escaped, escapeOne);
}

/** Percent-encodes all but unreserved characters, as nginx's `set_escape_uri`. */
export function encodedArgument(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~]/g, escapeOne);
}

function escapeOne(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
