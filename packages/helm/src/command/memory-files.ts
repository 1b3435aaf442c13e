import { dirname } from 'node:path/posix';
import type { CommandFiles, FileStatus } from './world.ts';

/**
 * Files that are only in memory, for tests and for charts that never were on a disk.
 *
 * ```ts
 * const files = new MemoryFiles();
 * files.status('/web/Chart.yaml'); // undefined
 * ```
 */
export class MemoryFiles implements CommandFiles {
  readonly #files = new Map<string, { data: Uint8Array; modifiedAtMs: number }>();
  readonly #now: () => Date;
  /** The names in each directory, made when somebody first asks for one. */
  #children: Map<string, Set<string>> | undefined;

  constructor(now: () => Date = () => new Date(0)) {
    this.#now = now;
  }

  status(path: string): FileStatus | undefined {
    const file = this.#files.get(path);
    if (file !== undefined) {
      return { kind: 'file', size: file.data.length, modifiedAtMs: file.modifiedAtMs };
    }
    if (!this.#directories().has(withoutEnd(path))) return undefined;
    return { kind: 'directory', size: 0, modifiedAtMs: 0 };
  }

  realPath(path: string): string {
    return path;
  }

  list(directory: string): string[] {
    return [...(this.#directories().get(withoutEnd(directory)) ?? [])].sort();
  }

  read(path: string): Uint8Array {
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`open ${path}: no such file or directory`);
    return file.data;
  }

  write(path: string, data: Uint8Array | string): void {
    if (this.#files.has(dirname(path))) throw new Error(`open ${path}: not a directory`);
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (this.#children !== undefined && !this.#files.has(path)) addTo(this.#children, path);
    this.#files.set(path, { data: bytes, modifiedAtMs: this.#now().getTime() });
  }

  remove(path: string): void {
    this.#children = undefined;
    for (const name of this.#files.keys()) {
      if (name === path || name.startsWith(`${path}/`)) this.#files.delete(name);
    }
  }

  #directories(): ReadonlyMap<string, ReadonlySet<string>> {
    if (this.#children !== undefined) return this.#children;
    const children = new Map<string, Set<string>>();
    for (const path of this.#files.keys()) addTo(children, path);
    this.#children = children;
    return children;
  }

  /** All paths, sorted. */
  paths(): string[] {
    return [...this.#files.keys()].sort();
  }
}

function withoutEnd(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Puts a path into its directory, and that into its own, up to one that is known. */
function addTo(children: Map<string, Set<string>>, path: string): void {
  for (let end = path.length; end > 0; ) {
    const slash = path.lastIndexOf('/', end - 1);
    if (slash < 0) return;
    const directory = path.slice(0, slash);
    const names = children.get(directory);
    const name = path.slice(slash + 1, end);
    if (names !== undefined) {
      names.add(name);
      return;
    }
    children.set(directory, new Set([name]));
    end = slash;
  }
}
