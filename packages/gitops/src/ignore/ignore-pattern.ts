import { matchesGlob } from './glob.ts';

/** One line of an ignore file. */
export interface IgnorePattern {
  /** The directory whose ignore file it stands in. */
  readonly domain: readonly string[];
  readonly isInclusion: boolean;
  readonly isDirectoryOnly: boolean;
  /** With a slash in it, it is matched from the domain; without, against every name of the path. */
  readonly isAnchored: boolean;
  readonly parts: readonly string[];
}

/** Reads the lines of an ignore file; comments and empty lines say nothing. */
export function parseIgnorePatterns(text: string, domain: readonly string[] = []): IgnorePattern[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => parsePattern(line, domain));
}

function parsePattern(line: string, domain: readonly string[]): IgnorePattern {
  let rest = line;
  const isInclusion = rest.startsWith('!');
  if (isInclusion) rest = rest.slice(1);
  if (!rest.endsWith('\\ ')) rest = rest.replace(/ +$/, '');
  const isDirectoryOnly = rest.endsWith('/');
  if (isDirectoryOnly) rest = rest.slice(0, -1);
  return {
    domain,
    isInclusion,
    isDirectoryOnly,
    isAnchored: rest.includes('/'),
    parts: rest.split('/'),
  };
}

/** What a pattern says about a path; undefined when it says nothing. */
export function matchPattern(
  pattern: IgnorePattern,
  path: readonly string[],
  isDirectory: boolean,
): 'include' | 'exclude' | undefined {
  const { domain } = pattern;
  if (path.length <= domain.length) return undefined;
  if (domain.some((name, index) => path[index] !== name)) return undefined;
  const below = path.slice(domain.length);
  const isMatch = pattern.isAnchored
    ? matchesAnchored(pattern, below, isDirectory)
    : matchesAnyName(pattern, below, isDirectory);
  if (!isMatch) return undefined;
  return pattern.isInclusion ? 'include' : 'exclude';
}

function matchesAnyName(
  { parts, isDirectoryOnly }: IgnorePattern,
  path: readonly string[],
  isDirectory: boolean,
): boolean {
  for (const [index, name] of path.entries()) {
    const isMatch = matchesGlob(parts[0] as string, name);
    if (isMatch === undefined) return false;
    if (!isMatch) continue;
    return !(isDirectoryOnly && !isDirectory && index === path.length - 1);
  }
  return false;
}

function matchesAnchored(
  { parts, isDirectoryOnly }: IgnorePattern,
  path: readonly string[],
  isDirectory: boolean,
): boolean {
  let isMatched = false;
  let mayTraverse = false;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (part === '') {
      mayTraverse = false;
      continue;
    }
    if (part === '**') {
      if (index === parts.length - 1) break;
      mayTraverse = true;
      continue;
    }
    if (part.includes('**') || at >= path.length) return false;
    if (mayTraverse) {
      mayTraverse = false;
      isMatched = false;
      while (at < path.length && !isMatched) {
        const found = matchesGlob(part, path[at++] as string);
        if (found === undefined) return false;
        isMatched = found;
      }
      if (!isMatched) return false;
    } else {
      if (matchesGlob(part, path[at] as string) !== true) return false;
      isMatched = true;
      at++;
    }
  }
  if (isMatched && isDirectoryOnly && !isDirectory && at >= path.length) return false;
  return isMatched;
}
