import type { FileEntry } from './file-entry.ts';

/** What a path of a tree leads to. The form in which a build asks. */
type TreeResolution =
  | { readonly kind: 'file' | 'directory'; readonly path: string }
  | { readonly kind: 'missing'; readonly at: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** What was asked of a tree, and what it answered: enough to see that another would answer the same. */
export interface TreeReads {
  /** Contents by path; undefined for what was not there. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
  readonly directories: ReadonlyMap<string, boolean>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/**
 * The files of an unpacked artifact, in memory. Many Kustomizations share one, each with changes of
 * its own laid over it, so that a build never writes into what others read. Artifacts have no links.
 *
 * ```ts
 * const tree = FileTree.of([{ path: 'app/kustomization.yaml', content: Buffer.from('resources: []') }]);
 * const mine = tree.overlay();
 * mine.write('/app/kustomization.yaml', 'resources: [web.yaml]');
 * tree.readText('/app/kustomization.yaml'); // 'resources: []'
 * mine.readText('/app/kustomization.yaml'); // 'resources: [web.yaml]'
 * ```
 */
export class FileTree {
  readonly #files: Map<string, Uint8Array>;
  readonly #directories: Set<string>;
  readonly #base: FileTree | undefined;
  readonly #reads = {
    files: new Map<string, Uint8Array | undefined>(),
    directories: new Map<string, boolean>(),
    lists: new Map<string, readonly string[]>(),
  };

  private constructor(base: FileTree | undefined) {
    this.#base = base;
    this.#files = new Map();
    this.#directories = new Set(['/']);
  }

  static of(files: Iterable<Pick<FileEntry, 'path' | 'content'>>): FileTree {
    const tree = new FileTree(undefined);
    for (const { path, content } of files) tree.write(path, content);
    return tree;
  }

  /** A tree that reads through to this one, and keeps what is written to itself. */
  overlay(): FileTree {
    return new FileTree(this);
  }

  /** What was read through to the tree below. */
  get readsBelow(): TreeReads {
    return this.#reads;
  }

  /** Whether this tree would answer all of it in the same way. */
  isSameFor({ files, directories, lists }: TreeReads): boolean {
    for (const [path, content] of files) {
      const own = this.#content(path);
      if (own === content) continue;
      if (own === undefined || content === undefined) return false;
      if (Buffer.compare(own, content) !== 0) return false;
    }
    for (const [path, isThere] of directories) {
      if (this.hasDirectory(path) !== isThere) return false;
    }
    for (const [path, found] of lists) {
      const own = this.list(path);
      if (own.length !== found.length || own.some((one, index) => one !== found[index]))
        return false;
    }
    return true;
  }

  addDirectory(path: string): void {
    const full = normalized(path);
    this.#addParents(`${full === '/' ? '' : full}/x`);
  }

  write(path: string, content: Uint8Array | string): void {
    const full = normalized(path);
    this.#files.set(full, typeof content === 'string' ? Buffer.from(content) : content);
    this.#addParents(full);
  }

  resolve(path: string): TreeResolution {
    const full = normalized(path);
    if (this.has(full)) return { kind: 'file', path: full };
    if (this.hasDirectory(full)) return { kind: 'directory', path: full };
    let at = '';
    for (const part of full.split('/').slice(1)) {
      at += `/${part}`;
      if (!this.hasDirectory(at)) break;
    }
    return { kind: 'missing', at };
  }

  /** The bytes of all files of its own. */
  get bytes(): number {
    let bytes = 0;
    for (const content of this.#files.values()) bytes += content.length;
    return bytes;
  }

  size(path: string): number {
    return this.#content(normalized(path))?.length ?? 0;
  }

  read(path: string): Uint8Array {
    const content = this.#content(normalized(path));
    if (content === undefined) throw new Error(`'${path}' is not a file`);
    return content;
  }

  readText(path: string): string {
    return Buffer.from(this.read(path)).toString('utf8');
  }

  describe(path: string): string {
    return normalized(path);
  }

  has(path: string): boolean {
    const full = normalized(path);
    return this.#content(full) !== undefined;
  }

  hasDirectory(path: string): boolean {
    const full = normalized(path);
    if (this.#directories.has(full) || this.#base === undefined) return this.#directories.has(full);
    const isThere = this.#base.hasDirectory(full);
    this.#reads.directories.set(full, isThere);
    return isThere;
  }

  /** All files at or below a directory, sorted as a walk meets them. */
  list(directory = '/'): string[] {
    const full = normalized(directory);
    const prefix = full === '/' ? '/' : `${full}/`;
    const below = this.#base?.list(full) ?? [];
    if (this.#base !== undefined) this.#reads.lists.set(full, below);
    const found = new Set(below);
    for (const path of this.#files.keys()) if (path.startsWith(prefix)) found.add(path);
    return [...found].sort();
  }

  #content(full: string): Uint8Array | undefined {
    const own = this.#files.get(full);
    if (own !== undefined || this.#base === undefined) return own;
    const content = this.#base.#content(full);
    this.#reads.files.set(full, content);
    return content;
  }

  #addParents(full: string): void {
    for (let slash = full.lastIndexOf('/'); slash > 0; slash = full.lastIndexOf('/', slash - 1)) {
      const parent = full.slice(0, slash);
      if (this.#directories.has(parent)) return;
      this.#directories.add(parent);
    }
  }
}

/** Absolute, without dots; nothing above the root can be named. */
export function normalized(path: string): string {
  if (/^\/(?:[^/.][^/]*(?:\/[^/.][^/]*)*)?$/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}
