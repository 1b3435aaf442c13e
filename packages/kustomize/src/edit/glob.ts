import { joinPath, type ListedFileSystem } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';

/** Go's shell patterns: `*` and `?` stop at slashes, `[a-z]` and `[^a]` are sets, `\\` quotes. */
export function globPattern(pattern: string): RegExp {
  let source = '';
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at]!;
    at += 1;
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '\\') {
      if (at >= pattern.length) throw badPattern();
      source += escaped(pattern[at]!);
      at += 1;
    } else if (char === '[') {
      const set = readSet(pattern, at);
      source += set.source;
      at = set.end;
    } else source += escaped(char);
  }
  return new RegExp(`^${source}$`, 'su');
}

function badPattern(): KustomizeError {
  return new KustomizeError('syntax error in pattern');
}

function escaped(char: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(char) ? `\\${char}` : char;
}

function readSet(pattern: string, start: number): { source: string; end: number } {
  let at = start;
  const isNegated = pattern[at] === '^';
  if (isNegated) at += 1;
  let ranges = '';
  const one = (): string => {
    let char = pattern[at];
    if (char === undefined || char === '-' || char === ']') throw badPattern();
    if (char === '\\') {
      at += 1;
      char = pattern[at];
      if (char === undefined) throw badPattern();
    }
    at += 1;
    if (at >= pattern.length) throw badPattern();
    return char;
  };
  while (ranges === '' || pattern[at] !== ']') {
    const low = one();
    let high = low;
    if (pattern[at] === '-') {
      at += 1;
      high = one();
    }
    // A range that is upside down holds nothing.
    ranges += low <= high ? `${escaped(low)}-${escaped(high)}` : '';
    if (ranges === '') ranges = '\\u{10ffff}';
  }
  return { source: `[${isNegated ? '^' : ''}${ranges}]`, end: at + 1 };
}

/**
 * The paths that a pattern names, as it spells them; none when nothing is there. What is hidden by
 * a dot must be named with it.
 */
export function glob(
  fileSystem: ListedFileSystem,
  directory: string,
  pattern: string,
): readonly string[] {
  const found = matches(fileSystem, directory, pattern);
  return isHidden(pattern) ? found : found.filter((path) => !isHidden(path));
}

function isHidden(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('.');
}

function matches(
  fileSystem: ListedFileSystem,
  directory: string,
  pattern: string,
): readonly string[] {
  globPattern(pattern);
  if (!/[*?[\\]/.test(pattern)) {
    const { kind } = fileSystem.resolve(joinPath(directory, pattern));
    return pattern !== '' && (kind === 'file' || kind === 'directory') ? [pattern] : [];
  }
  const slash = pattern.lastIndexOf('/');
  const parent = slash < 0 ? '.' : slash === 0 ? '/' : pattern.slice(0, slash);
  const name = globPattern(pattern.slice(slash + 1));
  const parents = /[*?[\\]/.test(parent) ? matches(fileSystem, directory, parent) : [parent];
  return parents.flatMap((each) =>
    fileSystem
      .list(joinPath(directory, each))
      .filter((entry) => name.test(entry))
      .map((entry) => (slash < 0 ? entry : joinSpelled(each, entry))),
  );
}

/** As Go joins paths: cleaned. */
export function joinSpelled(parent: string, name: string): string {
  const parts: string[] = [];
  for (const part of `${parent}/${name}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return (parent.startsWith('/') ? '/' : '') + parts.join('/');
}
