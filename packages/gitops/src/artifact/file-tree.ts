import type { FileEntry } from './file-entry.ts';

/** What a path of a tree leads to. The form in which a build asks. */
export type TreeResolution =
  | { readonly kind: 'file' | 'directory'; readonly path: string }
  | { readonly kind: 'missing'; readonly at: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The files of an unpacked artifact, in memory. Many Kustomizations share one, each with changes of
 * its own laid over it, so that a build never writes into what others read. Artifacts have no links.
 */
export class FileTree {
  private readonly files: Map<string, Uint8Array>;
  private readonly directories: Set<string>;
  private readonly base: FileTree | undefined;

  private constructor(base: FileTree | undefined) {
    this.base = base;
    this.files = new Map();
    this.directories = new Set(['/']);
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

  addDirectory(path: string): void {
    const full = normalized(path);
    this.addParents(`${full === '/' ? '' : full}/x`);
  }

  write(path: string, content: Uint8Array | string): void {
    const full = normalized(path);
    this.files.set(full, typeof content === 'string' ? Buffer.from(content) : content);
    this.addParents(full);
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

  size(path: string): number {
    return this.content(normalized(path))?.length ?? 0;
  }

  read(path: string): Uint8Array {
    const content = this.content(normalized(path));
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
    return this.files.has(full) || (this.base?.has(full) ?? false);
  }

  hasDirectory(path: string): boolean {
    const full = normalized(path);
    return this.directories.has(full) || (this.base?.hasDirectory(full) ?? false);
  }

  /** All files at or below a directory, sorted as a walk meets them. */
  list(directory = '/'): string[] {
    const full = normalized(directory);
    const prefix = full === '/' ? '/' : `${full}/`;
    const found = new Set<string>();
    for (let tree: FileTree | undefined = this; tree !== undefined; tree = tree.base) {
      for (const path of tree.files.keys()) if (path.startsWith(prefix)) found.add(path);
    }
    return [...found].sort();
  }

  private content(full: string): Uint8Array | undefined {
    return this.files.get(full) ?? this.base?.content(full);
  }

  private addParents(full: string): void {
    for (let slash = full.lastIndexOf('/'); slash > 0; slash = full.lastIndexOf('/', slash - 1)) {
      const parent = full.slice(0, slash);
      if (this.directories.has(parent)) return;
      this.directories.add(parent);
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
