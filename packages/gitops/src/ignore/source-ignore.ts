import { setImmediate } from 'node:timers/promises';
import { GitOpsError } from '../gitops-error.ts';
import { type IgnorePattern, matchPattern, parseIgnorePatterns } from './ignore-pattern.ts';

/** The name of the file, in any directory of a source, that says what is not part of it. */
export const ignoreFile = '.sourceignore';

const versionControl = '.git/\n.gitignore\n.gitmodules\n.gitattributes\n';

/** What is left out of a source that says nothing itself. */
const defaults = `*.jpg
*.jpeg
*.gif
*.png
*.wmv
*.flv
*.tar.gz
*.zip
.github/
.circleci/
.travis.yml
.gitlab-ci.yml
appveyor.yml
.drone.yml
cloudbuild.yaml
codeship-services.yml
codeship-steps.yml
**/.goreleaser.yml
**/.sops.yaml
**/.flux.yaml
`;

/** Each file is held against each pattern: more than this is somebody's attack. */
const maxPatterns = 10_000;

/** The event loop is for all: it is held no longer than this, in milliseconds. */
const maxHoldMs = 10;

export interface SourceIgnoreOptions {
  /** Texts of ignore files by the directory that they stand in; the root is the empty text. */
  readonly files: ReadonlyMap<string, string>;
  /** `spec.ignore`: has the last word. */
  readonly rules?: string | undefined;
}

/**
 * Decides which files are left out of an artifact.
 *
 * ```ts
 * const ignore = SourceIgnore.forTree({ files: new Map([['', '*.md\n']]), rules: '!/README.md' });
 * ['docs/a.md', 'README.md', 'web.yaml'].map((path) => ignore.isIgnored(path)); // [true, false, false]
 * ```
 */
export class SourceIgnore {
  readonly #patterns: readonly IgnorePattern[];

  private constructor(patterns: readonly IgnorePattern[]) {
    if (patterns.length > maxPatterns) {
      const message = `there are more than ${maxPatterns} patterns of what is ignored`;
      throw new GitOpsError('WG_GITOPS_ARCHIVE', message);
    }
    this.#patterns = patterns;
  }

  /** For trees: files of version control are always out; the defaults when nothing else is said. */
  static forTree({ files, rules = '' }: SourceIgnoreOptions): SourceIgnore {
    const given: IgnorePattern[] = [];
    for (const [directory, text] of sortedByDirectory(files)) {
      if (directory.split('/').includes('.git')) continue;
      given.push(...parseIgnorePatterns(text, directory === '' ? [] : directory.split('/')));
    }
    given.push(...parseIgnorePatterns(rules));
    const always = parseIgnorePatterns(versionControl);
    const rest = given.length === 0 ? parseIgnorePatterns(defaults) : given;
    return new SourceIgnore([...always, ...rest]);
  }

  /** For buckets: nothing is out unless the ignore file at the root or the rules say so. */
  static forBucket(file: string, rules = ''): SourceIgnore {
    return new SourceIgnore([...parseIgnorePatterns(file), ...parseIgnorePatterns(rules)]);
  }

  /** Those of many files that are not ignored. Gives way to others while it looks. */
  async select<T extends { readonly path: string }>(files: Iterable<T>): Promise<T[]> {
    const selected: T[] = [];
    let since = performance.now();
    for (const file of files) {
      if (performance.now() - since > maxHoldMs) {
        await setImmediate();
        since = performance.now();
      }
      if (!this.isIgnored(file.path)) selected.push(file);
    }
    return selected;
  }

  /** An object of a bucket: what stands for a directory is none, and neither is the ignore file. */
  isObjectIgnored(key: string): boolean {
    return key.endsWith('/') || key === ignoreFile || this.isIgnored(key);
  }

  /** The last pattern that says something about a path decides. */
  isIgnored(path: string, isDirectory = false): boolean {
    const parts = path.split('/');
    for (let index = this.#patterns.length - 1; index >= 0; index--) {
      const verdict = matchPattern(this.#patterns[index] as IgnorePattern, parts, isDirectory);
      if (verdict !== undefined) return verdict === 'exclude';
    }
    return false;
  }
}

/** Outer directories first, so that inner ones have the later word. */
function sortedByDirectory(files: ReadonlyMap<string, string>): [string, string][] {
  return [...files].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}
