import { existsSync, type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** What is checked out: a branch, or a commit alone. */
export type GitHead =
  | { readonly branch: string; readonly hasCommits: boolean }
  | { readonly commit: string };

/** The directory with `.git` at or above a place: the top of a work tree. */
export function gitTopOf(directory: string): string | undefined {
  for (let place = directory; ; place = dirname(place)) {
    if (existsSync(join(place, '.git'))) return place;
    if (dirname(place) === place) return undefined;
  }
}

/** What the work tree with this top has checked out; undefined when that cannot be read. */
export function readGitHead(top: string): GitHead | undefined {
  const git = gitDirectoryOf(top);
  if (git === undefined) return undefined;
  const head = readText(join(git, 'HEAD'))?.trim() ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch !== undefined) return { branch, hasCommits: hasCommits(git, branch) };
  return /^[0-9a-f]{40,64}$/.test(head) ? { commit: head } : undefined;
}

/** `.git` itself, or where it leads in a linked work tree. */
function gitDirectoryOf(top: string): string | undefined {
  const git = join(top, '.git');
  if (!existsSync(git)) return undefined;
  if (statSync(git).isDirectory()) return git;
  const target = /^gitdir: (.+)$/m.exec(readText(git) ?? '')?.[1];
  return target === undefined ? undefined : isAbsolute(target) ? target : resolve(top, target);
}

function hasCommits(git: string, branch: string): boolean {
  // A linked work tree has its branches in the repository that it is linked to.
  const common = readText(join(git, 'commondir'))?.trim();
  const home = common === undefined ? git : resolve(git, common);
  if (existsSync(join(home, 'refs', 'heads', branch)) || existsSync(join(home, 'reftable')))
    return true;
  return readText(join(home, 'packed-refs'))?.includes(` refs/heads/${branch}\n`) ?? false;
}

/** Tells when another branch or commit is checked out. Git writes `HEAD` anew and renames it. */
export function watchGitHead(top: string, onChange: (head: GitHead) => void): { close(): void } {
  const git = gitDirectoryOf(top);
  const text = (head: GitHead | undefined): string => JSON.stringify(head ?? null);
  let known = text(readGitHead(top));
  const look = (): void => {
    const head = readGitHead(top);
    if (head === undefined || text(head) === known) return;
    known = text(head);
    onChange(head);
  };
  const watchers: FSWatcher[] = [];
  if (git !== undefined) {
    try {
      const watcher = watch(git, { persistent: false }, (_event, name) => {
        if (name === null || name.startsWith('HEAD')) look();
      });
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // Where nothing can be watched, looking now and then must do.
    }
  }
  const timer = setInterval(look, 2_000).unref();
  return {
    close() {
      clearInterval(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
