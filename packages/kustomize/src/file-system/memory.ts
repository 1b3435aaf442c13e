import {
  inByteOrder,
  joinPath,
  type ListedFileSystem,
  parentOf,
  type Resolution,
} from './file-system.ts';

type Entry =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' };

/** Links in a row that one path may go through. */
const maxLinks = 40;

/**
 * A tree of files in memory, with links that never lead out of it.
 *
 * ```ts
 * const files = new MemoryFileSystem();
 * files.addFile('/kustomization.yaml', 'resources: [web.yaml]\n');
 * files.addFile('/web.yaml', 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n');
 * const result = await build(files, '/');
 * ```
 */
export class MemoryFileSystem implements ListedFileSystem {
  readonly #entries = new Map<string, Entry>([['/', { kind: 'directory' }]]);

  addFile(path: string, content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    this.#add(joinPath('/', path), { kind: 'file', bytes });
  }

  addDirectory(path: string): void {
    this.#add(joinPath('/', path), { kind: 'directory' });
  }

  /** The target is taken from the directory of the link, or from the root when it is absolute. */
  addLink(path: string, target: string): void {
    this.#add(joinPath('/', path), { kind: 'link', target });
  }

  #add(path: string, entry: Entry): void {
    if (path === '/') return;
    this.#entries.set(path, entry);
    for (let parent = parentOf(path); !this.#entries.has(parent); parent = parentOf(parent)) {
      this.#entries.set(parent, { kind: 'directory' });
    }
  }

  resolve(path: string): Resolution {
    let links = 0;
    let at = '/';
    const rest = path.split('/').reverse();
    while (rest.length > 0) {
      const part = rest.pop()!;
      if (part === '' || part === '.') continue;
      if (part === '..') {
        at = parentOf(at);
        continue;
      }
      const next = at === '/' ? `/${part}` : `${at}/${part}`;
      const entry = this.#entries.get(next);
      if (entry === undefined) return { kind: 'missing', at: next };
      if (entry.kind !== 'link') {
        at = next;
        continue;
      }
      links += 1;
      if (links > maxLinks) return { kind: 'refused', reason: `too many links at '${next}'` };
      if (leavesRoot(at, entry.target)) {
        return { kind: 'refused', reason: `the link '${next}' leads out of the root` };
      }
      if (entry.target.startsWith('/')) at = '/';
      rest.push(...entry.target.split('/').reverse());
    }
    const entry = this.#entries.get(at)!;
    if (entry.kind !== 'file') return { kind: 'directory', path: at };
    return { kind: 'file', path: at, size: entry.bytes.length };
  }

  size(path: string): number {
    const entry = this.#entries.get(path);
    return entry?.kind === 'file' ? entry.bytes.length : 0;
  }

  read(path: string): Uint8Array {
    const entry = this.#entries.get(path);
    if (entry?.kind !== 'file') throw new Error(`'${path}' is not a file`);
    return entry.bytes;
  }

  list(path: string): readonly string[] {
    const found = this.resolve(path);
    if (found.kind !== 'directory') return [];
    const names = [...this.#entries.keys()].filter(
      (entry) => entry !== '/' && parentOf(entry) === found.path,
    );
    return inByteOrder(names.map((name) => name.slice(name.lastIndexOf('/') + 1)));
  }

  describe(path: string): string {
    return path;
  }
}

function leavesRoot(directory: string, target: string): boolean {
  let depth = target.startsWith('/') ? 0 : directory.split('/').filter(Boolean).length;
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/**
 * A file system of texts.
 *
 * ```ts
 * memoryFileSystem({ 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': '…' });
 * ```
 */
export function memoryFileSystem(
  files: Readonly<Record<string, string | Uint8Array>>,
): MemoryFileSystem {
  const fileSystem = new MemoryFileSystem();
  for (const [path, content] of Object.entries(files)) fileSystem.addFile(path, content);
  return fileSystem;
}
