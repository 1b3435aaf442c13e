import { trimEndOf } from '@waygate/text';
import type { IngressPath, PathType } from '../objects/ingress.ts';
import { anyOf, compare, type Matcher } from './expression.ts';
import { anchored } from './expression-matchers.ts';

/** A path that starts with this is a regular expression, unless an annotation names another prefix. */
export const defaultRegexPrefix = '/~';
const kongRegexPrefix = '~';

export interface NormalPath {
  readonly path: string;
  readonly pathType: PathType;
}

/** Runs of slashes count as one, an empty path is the root, and no type leaves it to us. */
export function normalizePath(path: IngressPath): NormalPath {
  const flat = (path.path ?? '').replace(/\/{2,}/gu, '/');
  return {
    path: flat === '' ? '/' : flat,
    pathType: path.pathType ?? 'ImplementationSpecific',
  };
}

/** The paths of a traditional route that match as the path type says. */
export function traditionalPaths(
  { path, pathType }: NormalPath,
  regexPrefix: string,
  hasLegacyRegexDetection: boolean,
): string[] {
  return plainPaths(path, pathType).map((one) =>
    withRegexPrefix(one, regexPrefix, hasLegacyRegexDetection),
  );
}

function plainPaths(path: string, pathType: PathType): string[] {
  switch (pathType) {
    case 'Prefix': {
      const base = trimSlashes(path);
      return base === '' ? ['/'] : [`/${base}/`, `${kongRegexPrefix}/${base}$`];
    }
    case 'Exact':
      return [`${kongRegexPrefix}/${path.replace(/^\/+/u, '')}$`];
    case 'ImplementationSpecific':
      return [path];
    default:
      return [];
  }
}

/** What Kong before version 3 took for a plain path; everything else was a regular expression. */
const plainPathOfKong2 = /^[a-zA-Z0-9.\-_~/%]*$/u;

function withRegexPrefix(path: string, regexPrefix: string, isLegacy: boolean): string {
  if (path.startsWith(regexPrefix)) return kongRegexPrefix + path.slice(regexPrefix.length);
  if (isLegacy && !plainPathOfKong2.test(path) && !path.startsWith(kongRegexPrefix))
    return kongRegexPrefix + path;
  return path;
}

export function pathMatcher({ path, pathType }: NormalPath, regexPrefix: string): Matcher {
  switch (pathType) {
    case 'Prefix': {
      const base = trimSlashes(path);
      if (base === '') return compare('http.path', '^=', '/');
      return anyOf(compare('http.path', '==', `/${base}`), compare('http.path', '^=', `/${base}/`));
    }
    case 'Exact':
      return compare('http.path', '==', `/${path.replace(/^\/+/u, '')}`);
    case 'ImplementationSpecific': {
      if (regexPrefix === '' || !path.startsWith(regexPrefix))
        return compare('http.path', '^=', path);
      const regex = path.slice(regexPrefix.length);
      return compare('http.path', '~', regex === '' ? '^/' : anchored(regex));
    }
    default:
      return '';
  }
}

/** What counts for the priority of an expression route: how long its path is, and is it exact. */
export function pathWeight(
  { path, pathType }: NormalPath,
  regexPrefix: string,
): { readonly length: number; readonly isRegex: boolean } {
  switch (pathType) {
    case 'Prefix': {
      const base = trimSlashes(path);
      return { length: base === '' ? 1 : utf8Length(base) + 2, isRegex: true };
    }
    case 'Exact':
      return { length: utf8Length(path.replace(/^\/+/u, '')) + 1, isRegex: true };
    case 'ImplementationSpecific': {
      const isRegex = regexPrefix !== '' && path.startsWith(regexPrefix);
      return { length: utf8Length(isRegex ? path.slice(regexPrefix.length) : path), isRegex };
    }
    default:
      return { length: 0, isRegex: false };
  }
}

function trimSlashes(path: string): string {
  return trimEndOf(path.replace(/^\/+/u, ''), '/');
}

/** Lengths in priorities count bytes. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
