import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isStateDirectory } from '@waygate/text';
import type { FileEntry } from '../artifact/file-entry.ts';
import { GitOpsError } from '../gitops-error.ts';
import { ignoreFile, SourceIgnore } from '../ignore/source-ignore.ts';

/** How often a directory that changes while it is read is read again. */
const maxReads = 10;
/** How often it is waited for those who write many files. */
const maxWaits = 5;
/** Clocks of file systems go in steps: a change less than this ago may not show in a file's times. */
const clockStepMs = 30;

/** More files than this that changed just now are not read until it is sure that they are what they seem to be. */
const fewFiles = 50;

/** How many bytes of files are kept between reads: more are read each time. */
const mostKeptBytes = 16 * 1024 * 1024;
/** Paths that came and went are forgotten when there are so many. */
const mostKnownPaths = 100_000;
/** After this long others get their turn. */
const turnMs = 8;

/** A file before it is read. */
interface FoundFile {
  readonly path: string;
  readonly isExecutable: boolean;
  readonly size: number;
  readonly mode: number;
  readonly inode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly changedMs: number;
}

interface KeptFile {
  readonly found: FoundFile;
  readonly entry: FileEntry;
}

/**
 * The files of a directory of this machine that an artifact of it would have: no links, no state of
 * Waygate, nothing that `.sourceignore` leaves out.
 *
 * ```ts
 * for (const { path, content } of await readDirectory('./deploy')) console.log(path, content.length);
 * ```
 *
 * @throws GitOpsError when they are too many bytes, or do not come to rest
 */
export function readDirectory(directory: string, maxBytes?: number): Promise<FileEntry[]> {
  return new DirectoryReader(directory, maxBytes).read();
}

/**
 * Reads the files of a directory, again and again: only those that changed are read anew. All are as they were
 * at one moment: a directory that changes while it is read is read again.
 */
export class DirectoryReader {
  readonly #directory: string;
  readonly #maxBytes: number;
  /** What was read, by path; a file in another state is another file. */
  #kept = new Map<string, KeptFile>();
  #turn = new Turn();
  readonly #ignored = new IgnoredPaths();

  constructor(directory: string, maxBytes = 256 * 1024 * 1024) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
  }

  /** How many files were read, and not taken from what was kept. */
  get readCount(): number {
    return this.#readCount;
  }
  #readCount = 0;

  /** @throws GitOpsError when they are too many bytes, or do not come to rest */
  async read(): Promise<FileEntry[]> {
    let last: FileEntry[] | undefined;
    let gone: unknown;
    this.#turn = new Turn();
    for (let count = 0; count < maxReads; count++) {
      const sureBeforeMs = Date.now() - clockStepMs;
      try {
        const found = await this.#list();
        const fresh = found.filter(({ changedMs }) => changedMs >= sureBeforeMs);
        // Whoever writes so many is perhaps not done: to read them over and over would only be in the way.
        if (count < maxWaits && fresh.length > fewFiles) {
          await setTimeout(clockStepMs + 1);
          continue;
        }
        const files = await this.#readFiles(found, sureBeforeMs);
        const isAtRest = isSameList(found, await this.#list());
        const isOld = fresh.length === 0;
        // What was changed just now is believed when it is found so twice.
        const isSure = isOld || (last !== undefined && equalFiles(last, files));
        if (isAtRest && isSure) return files;
        last = files;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        gone = error;
      }
    }
    const message = `${this.#directory} changes while it is read`;
    throw new GitOpsError('WG_GITOPS_ARCHIVE', message, { cause: gone });
  }

  #list(): Promise<FoundFile[]> {
    return listDirectory(this.#directory, this.#turn, this.#ignored);
  }

  async #readFiles(found: readonly FoundFile[], sureBeforeMs: number): Promise<FileEntry[]> {
    const files: FileEntry[] = [];
    const kept = new Map<string, KeptFile>();
    let total = 0;
    for (const one of found) {
      const { path, isExecutable, size, changedMs } = one;
      total += size;
      if (total > this.#maxBytes) {
        const message = `${this.#directory} is larger than ${this.#maxBytes} bytes`;
        throw new GitOpsError('WG_GITOPS_ARCHIVE', message);
      }
      const before = this.#kept.get(path);
      let entry = before && isSameFile(before.found, one) ? before.entry : undefined;
      if (entry === undefined) {
        this.#readCount += 1;
        entry = { path, isExecutable, content: readFileSync(join(this.#directory, path)) };
        if (this.#turn.isOver) await this.#turn.next();
      }
      files.push(entry);
      // Of one that changed just now, its times may not show the next change.
      if (total <= mostKeptBytes && changedMs < sureBeforeMs) kept.set(path, { found: one, entry });
    }
    this.#kept = kept;
    return files;
  }
}

/** A turn of the event loop, which is not to last for long. */
class Turn {
  #startedMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedMs > turnMs;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#startedMs = performance.now();
  }
}

/** What is never source, wherever it is: git's own files, packages, and what Waygate keeps for itself. */
export function isSource(directory: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '.git' || name === 'node_modules') return false;
  return !isStateDirectory(join(directory, path));
}

/** The calls wait for the disk: a thousand that do not would each wait for a turn, which is long on a busy machine. */
async function listDirectory(
  directory: string,
  turn: Turn,
  ignored: IgnoredPaths,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const ignoreTexts = new Map<string, string>();
  const walk = async (below: string): Promise<void> => {
    const entries = readdirSync(join(directory, below), { withFileTypes: true });
    // Sorted here they come in the order of a walk.
    for (const entry of entries.sort(byName)) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (isSource(directory, path)) await walk(path);
      } else if (entry.isFile()) {
        const { mode, size, ino: inode, mtimeMs, ctimeMs } = lstatSync(`${directory}/${path}`);
        const isExecutable = (mode & 0o100) !== 0;
        const changedMs = Math.max(mtimeMs, ctimeMs);
        found.push({ path, isExecutable, size, mode, inode, mtimeMs, ctimeMs, changedMs });
        if (entry.name === ignoreFile) {
          ignoreTexts.set(below, readFileSync(join(directory, path), 'utf8'));
        }
        if (turn.isOver) await turn.next();
      }
    }
  };
  await walk('');
  const isIgnored = ignored.by(ignoreTexts);
  return found.filter(({ path }) => !isIgnored(path));
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

/** Which paths are left out: asked once of each while the ignore files say the same. */
class IgnoredPaths {
  #texts: string | undefined;
  #known = new Map<string, boolean>();
  #ignore = SourceIgnore.forTree({ files: new Map() });

  by(files: ReadonlyMap<string, string>): (path: string) => boolean {
    const texts = JSON.stringify([...files]);
    if (texts !== this.#texts || this.#known.size > mostKnownPaths) {
      this.#texts = texts;
      this.#ignore = SourceIgnore.forTree({ files });
      this.#known = new Map();
    }
    return (path) => {
      let isIgnored = this.#known.get(path);
      if (isIgnored === undefined) {
        isIgnored = this.#ignore.isIgnored(path);
        this.#known.set(path, isIgnored);
      }
      return isIgnored;
    };
  }
}

/** Not whenever the file is another one or was written to, but for {@link clockStepMs}. */
function isSameFile(one: FoundFile, other: FoundFile): boolean {
  return (
    one.path === other.path &&
    one.mode === other.mode &&
    one.size === other.size &&
    one.inode === other.inode &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}

function isSameList(one: readonly FoundFile[], other: readonly FoundFile[]): boolean {
  return (
    one.length === other.length &&
    one.every((file, index) => isSameFile(file, other[index] as FoundFile))
  );
}

function equalFiles(one: readonly FileEntry[], other: readonly FileEntry[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(({ path, isExecutable, content }, index) => {
    const twin = other[index] as FileEntry;
    if (path !== twin.path || isExecutable !== twin.isExecutable) return false;
    return content === twin.content || Buffer.compare(content, twin.content) === 0;
  });
}
