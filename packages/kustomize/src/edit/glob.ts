import { badPattern, goMatch } from '@waygate/text';
import { joinPath, type ListedFileSystem } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';

/** Whether a path fits one of Go's shell patterns. */
export function isMatch(pattern: string, path: string): boolean {
  try {
    return goMatch(pattern, path);
  } catch (cause) {
    throw new KustomizeError(badPattern, { cause });
  }
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
  // What is no pattern is refused, whatever is there.
  isMatch(pattern, '');
  if (!/[*?[\\]/.test(pattern)) {
    const { kind } = fileSystem.resolve(joinPath(directory, pattern));
    return pattern !== '' && (kind === 'file' || kind === 'directory') ? [pattern] : [];
  }
  const slash = pattern.lastIndexOf('/');
  const parent = slash < 0 ? '.' : slash === 0 ? '/' : pattern.slice(0, slash);
  const name = pattern.slice(slash + 1);
  const parents = /[*?[\\]/.test(parent) ? matches(fileSystem, directory, parent) : [parent];
  return parents.flatMap((each) =>
    fileSystem
      .list(joinPath(directory, each))
      .filter((entry) => isMatch(name, entry))
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
