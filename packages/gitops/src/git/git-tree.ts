import { createHash } from 'node:crypto';
import type { FileEntry } from '../artifact/file-entry.ts';
import { compareWalkOrder } from '../artifact/file-entry.ts';
import { GitOpsError } from '../gitops-error.ts';
import { ignoreFile, SourceIgnore } from '../ignore/source-ignore.ts';
import type { GitCall, GitProgram } from './git-program.ts';
import { asDamage, DamagedStoreError } from './git-store.ts';

/** A file of a commit, before it is read. */
export interface TreeFile {
  readonly path: string;
  readonly sha: string;
  readonly size: number;
  readonly isExecutable: boolean;
}

/** A place in a tree where another repository belongs. */
interface TreeLink {
  readonly path: string;
  readonly sha: string;
}

interface TreeListing {
  readonly files: readonly TreeFile[];
  readonly submodules: readonly TreeLink[];
}

interface TreeLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

const defaultTreeLimits: TreeLimits = {
  maxFiles: 100_000,
  maxFileBytes: 64 * 1024 * 1024,
  maxBytes: 512 * 1024 * 1024,
};

/** All files with rules together. */
const maxIgnoreBytes = 4 * 1024 * 1024;

/** Reads commits of a store of git objects, without checking anything out: no filter ever runs. */
export class GitTree {
  readonly #git: GitProgram;
  readonly #call: GitCall;
  readonly #limits: TreeLimits;

  constructor(git: GitProgram, call: GitCall, limits: TreeLimits = defaultTreeLimits) {
    this.#git = git;
    this.#call = call;
    this.#limits = limits;
  }

  /** All regular files of a commit. Symbolic links are left out: what they lead to is not the source. */
  async list(commit: string, below = ''): Promise<TreeListing> {
    const files: TreeFile[] = [];
    const submodules: TreeLink[] = [];
    const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', commit];
    const reader = new ByteReader(this.#git.stream(args, this.#call));
    // A few objects can be a tree without end; what is listed may be ignored later, but not all of it.
    const maxListed = 4 * this.#limits.maxFiles;
    try {
      for (
        let record = await reader.until(0);
        record !== undefined;
        record = await reader.until(0)
      ) {
        const found = /^(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-)\t(.*)$/s.exec(record);
        // `BAD` in place of a size is a file that is not there. None may be passed over: what is not
        // in the listing is deleted from clusters.
        if (found === null) throw new DamagedStoreError(`git lists '${record.slice(0, 200)}'`);
        const [, mode = '', type, sha = '', size = '', name = ''] = found;
        refuseUnsafe(name);
        const path = `${below}${name}`;
        if (type === 'commit') submodules.push({ path, sha });
        if (type !== 'blob' || !mode.startsWith('100')) continue;
        if (size === '-') throw new DamagedStoreError(`git knows no size of '${path}'`);
        if (files.length >= maxListed) {
          const message = `the repository has more than ${maxListed} files`;
          throw new GitOpsError('WG_GITOPS_ARCHIVE', message);
        }
        files.push({ path, sha, size: Number(size), isExecutable: mode === '100755' });
      }
    } catch (error) {
      throw asDamage(error);
    } finally {
      await reader.close();
    }
    return { files, submodules };
  }

  /** The text of one file of a listing. */
  async readText(file: TreeFile): Promise<string> {
    try {
      const call = { ...this.#call, maxBytes: 4 * 1024 * 1024 };
      const content = await this.#git.bytes(['cat-file', 'blob', file.sha], call);
      checkBlob(file, content);
      return content.toString('utf8');
    } catch (error) {
      throw asDamage(error);
    }
  }

  /** Which files are part of the artifact. */
  async select(files: readonly TreeFile[], rules: string | undefined): Promise<TreeFile[]> {
    const texts = new Map<string, string>();
    let size = 0;
    for (const file of files) {
      const isAtRoot = file.path === ignoreFile;
      if (!isAtRoot && !file.path.endsWith(`/${ignoreFile}`)) continue;
      const directory = isAtRoot ? '' : file.path.slice(0, -ignoreFile.length - 1);
      size += file.size;
      if (size > maxIgnoreBytes) {
        const message = `the files ${ignoreFile} are larger than ${maxIgnoreBytes} bytes`;
        throw new GitOpsError('WG_GITOPS_ARCHIVE', message);
      }
      texts.set(directory, await this.readText(file));
    }
    return SourceIgnore.forTree({ files: texts, rules }).select(files);
  }

  /** The contents of files, in the order of a walk, one at a time. */
  async *read(files: readonly TreeFile[]): AsyncGenerator<FileEntry> {
    const ordered = [...files].sort((left, right) => compareWalkOrder(left.path, right.path));
    this.#checkLimits(ordered);
    if (ordered.length === 0) return;
    const input = ordered.map(({ sha }) => `${sha}\n`).join('');
    const reader = new ByteReader(
      this.#git.stream(['cat-file', '--batch'], { ...this.#call, input }),
    );
    try {
      for (const file of ordered) {
        const { path, sha, size, isExecutable } = file;
        const line = await reader.until(10);
        if (line !== `${sha} blob ${size}`) {
          throw new DamagedStoreError(`git says '${line?.slice(0, 200)}' of ${path} (${sha})`);
        }
        const content = await reader.bytes(size);
        await reader.bytes(1);
        checkBlob(file, content);
        yield { path, isExecutable, content };
      }
    } catch (error) {
      throw asDamage(error);
    } finally {
      await reader.close();
    }
  }

  #checkLimits(files: readonly TreeFile[]): void {
    const { maxFiles, maxFileBytes, maxBytes } = this.#limits;
    const refuse = (message: string) => new GitOpsError('WG_GITOPS_ARCHIVE', message);
    if (files.length > maxFiles) throw refuse(`the source has more than ${maxFiles} files`);
    let total = 0;
    for (const { path, size } of files) {
      // Those who unpack the archive would refuse all of it.
      if (path.includes('\\')) throw refuse(`${path} has a backslash in its name`);
      if (size > maxFileBytes) throw refuse(`${path} is larger than ${maxFileBytes} bytes`);
      total += size;
    }
    if (total > maxBytes) throw refuse(`the source is larger than ${maxBytes} bytes`);
  }
}

/** The name of an object is its digest: what was read is what was committed, or it is not taken. */
function checkBlob({ path, sha }: TreeFile, content: Uint8Array): void {
  const hash = createHash(sha.length === 64 ? 'sha256' : 'sha1');
  const actual = hash.update(`blob ${content.length}\0`).update(content).digest('hex');
  if (actual !== sha) throw new DamagedStoreError(`${path} is ${actual} and should be ${sha}`);
}

/** Git itself makes no such names; a server may send whatever it likes. */
function refuseUnsafe(name: string): void {
  const isUnsafe = name
    .split('/')
    .some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part));
  if (isUnsafe || name.length > 4096) {
    throw new GitOpsError(
      'WG_GITOPS_GIT',
      `the repository has a file of the name '${name.slice(0, 200)}'`,
    );
  }
}

/** Takes lines and counted bytes out of a stream. */
class ByteReader {
  readonly #source: AsyncGenerator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncGenerator<Buffer>) {
    this.#source = source;
  }

  /** All before the next such byte; undefined at the end. */
  async until(byte: number): Promise<string | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf(byte);
      if (end >= 0) {
        const text = this.#buffer.toString('utf8', 0, end);
        this.#buffer = this.#buffer.subarray(end + 1);
        return text;
      }
      if (this.#buffer.length > 65_536) {
        throw new GitOpsError('WG_GITOPS_GIT', 'git said more than it may in one piece');
      }
      if (await this.#more()) continue;
      if (this.#buffer.length > 0) throw new DamagedStoreError('git ended too early');
      return undefined;
    }
  }

  async bytes(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = count;
    for (;;) {
      const taken = this.#buffer.subarray(0, missing);
      parts.push(taken);
      this.#buffer = this.#buffer.subarray(taken.length);
      missing -= taken.length;
      if (missing === 0) return parts.length === 1 ? taken : Buffer.concat(parts);
      if (!(await this.#more())) throw new DamagedStoreError('git ended too early');
    }
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
    return true;
  }
}
