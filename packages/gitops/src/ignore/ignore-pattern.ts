import { compileGlob, type GlobTest } from './glob.ts';

/** One line of an ignore file. */
export interface IgnorePattern {
  /** The directory whose ignore file it stands in. */
  readonly domain: readonly string[];
  readonly isInclusion: boolean;
  readonly isDirectoryOnly: boolean;
  /** With a slash in it, it is matched from the domain; without, against every name of the path. */
  readonly isAnchored: boolean;
  readonly parts: readonly PatternPart[];
}

/** What a pattern says of one name of a path. */
interface PatternPart {
  readonly text: string;
  /** Undefined when it cannot be read: then the pattern matches nothing. */
  readonly test: GlobTest | undefined;
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
  if (!rest.endsWith('\\ ')) rest = withoutSpacesBehind(rest);
  const isDirectoryOnly = rest.endsWith('/');
  if (isDirectoryOnly) rest = rest.slice(0, -1);
  return {
    domain,
    isInclusion,
    isDirectoryOnly,
    isAnchored: rest.includes('/'),
    parts: rest.split('/').map((text) => ({ text, test: compileGlob(text) })),
  };
}

/** By hand: an expression would look at every run of spaces from each of its ends. */
function withoutSpacesBehind(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end--;
  return line.slice(0, end);
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
  const test = parts[0]?.test;
  if (test === undefined) return false;
  for (const [index, name] of path.entries()) {
    if (!test(name)) continue;
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
  for (const [index, { text: part, test }] of parts.entries()) {
    if (part === '') {
      mayTraverse = false;
      continue;
    }
    if (part === '**') {
      if (index === parts.length - 1) break;
      mayTraverse = true;
      continue;
    }
    if (part.includes('**') || test === undefined || at >= path.length) return false;
    if (mayTraverse) {
      mayTraverse = false;
      isMatched = false;
      while (at < path.length && !isMatched) isMatched = test(path[at++] as string);
      if (!isMatched) return false;
    } else {
      if (!test(path[at] as string)) return false;
      isMatched = true;
      at++;
    }
  }
  if (isMatched && isDirectoryOnly && !isDirectory && at >= path.length) return false;
  return isMatched;
}
