import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

interface DirectoryWatchOptions {
  readonly directory: string;
  /** Whether a path below the directory is followed at all. */
  readonly isFollowed: (path: string) => boolean;
  /** Told that something may have changed: perhaps once too often, never too seldom. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Watches a directory and all below it. Each directory has a watch of its own, which sees its files whatever
 * becomes of them: written in place, replaced by a rename, made anew by a checkout. The recursive watch of
 * Node.js follows files by themselves on Linux, and loses one that is replaced; where the system itself
 * watches whole trees, that is used.
 */
export class DirectoryWatch {
  readonly #options: DirectoryWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #isWhole: boolean;
  #isClosed = false;
  #lastFollowed: string | undefined;

  constructor(options: DirectoryWatchOptions, platform: NodeJS.Platform = process.platform) {
    this.#options = options;
    this.#isWhole = platform === 'darwin' || platform === 'win32';
  }

  start(): void {
    this.#add('');
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches a directory and those in it that are not watched yet. */
  #add(path: string): void {
    if (this.#isClosed || this.#watchers.has(path)) return;
    const { directory } = this.#options;
    try {
      const options = { persistent: false, recursive: this.#isWhole };
      const watcher = watch(join(directory, path), options, (event, name) =>
        this.#noticed(path, event, name),
      );
      watcher.on('error', () => this.#drop(path));
      this.#watchers.set(path, watcher);
    } catch (error) {
      // It went while it was looked at, or the system has no watch left: then it is looked at now and then.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#options.onError(error);
      return;
    }
    if (!this.#isWhole) this.#addBelow(path);
  }

  #addBelow(path: string): void {
    try {
      for (const entry of readdirSync(join(this.#options.directory, path), {
        withFileTypes: true,
      })) {
        const below = path === '' ? entry.name : `${path}/${entry.name}`;
        if (entry.isDirectory() && this.#options.isFollowed(below)) this.#add(below);
      }
    } catch {
      this.#drop(path);
    }
  }

  #noticed(path: string, event: string, name: string | null): void {
    if (this.#isClosed) return;
    const below = name === null ? path : path === '' ? name : `${path}/${name}`;
    // A save tells several times of the same file.
    if (event !== 'change' || below !== this.#lastFollowed) {
      if (below !== '' && !this.#isFollowed(path, below)) return;
      this.#lastFollowed = below;
    }
    if (event === 'rename' && !this.#isWhole) this.#renamed(below);
    this.#options.onChange();
  }

  /** A directory that has a watch of its own is followed, and so are all above it. */
  #isFollowed(watched: string, below: string): boolean {
    const from = this.#isWhole ? 0 : watched.length + 1;
    for (let slash = below.indexOf('/', from); slash >= 0; slash = below.indexOf('/', slash + 1))
      if (!this.#options.isFollowed(below.slice(0, slash))) return false;
    return this.#options.isFollowed(below);
  }

  /** Something came or went: a directory that came is watched, one that went is not. */
  #renamed(path: string): void {
    let isDirectory = false;
    try {
      isDirectory = statSync(join(this.#options.directory, path)).isDirectory();
    } catch {
      // It went.
    }
    // Also one that is watched: it may be another under the same name.
    this.#drop(path);
    if (!isDirectory) return;
    this.#add(path);
  }

  #drop(path: string): void {
    if (path === '') return;
    for (const [each, watcher] of this.#watchers) {
      if (each !== path && !each.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watchers.delete(each);
    }
  }
}
