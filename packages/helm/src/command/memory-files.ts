import { dirname } from 'node:path/posix';
import type { CommandFiles, FileStatus } from './world.ts';

/** Files that are only in memory, for tests and for charts that never were on a disk. */
export class MemoryFiles implements CommandFiles {
  readonly #files = new Map<string, { data: Uint8Array; modifiedAtMs: number }>();
  readonly #now: () => Date;

  constructor(now: () => Date = () => new Date(0)) {
    this.#now = now;
  }

  status(path: string): FileStatus | undefined {
    const file = this.#files.get(path);
    if (file !== undefined) {
      return { kind: 'file', size: file.data.length, modifiedAtMs: file.modifiedAtMs };
    }
    const prefix = path.endsWith('/') ? path : `${path}/`;
    for (const name of this.#files.keys()) {
      if (name.startsWith(prefix)) return { kind: 'directory', size: 0, modifiedAtMs: 0 };
    }
    return undefined;
  }

  realPath(path: string): string {
    return path;
  }

  list(directory: string): string[] {
    const prefix = directory.endsWith('/') ? directory : `${directory}/`;
    const names = new Set<string>();
    for (const path of this.#files.keys()) {
      if (path.startsWith(prefix)) names.add(path.slice(prefix.length).split('/')[0]!);
    }
    return [...names].sort();
  }

  read(path: string): Uint8Array {
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`open ${path}: no such file or directory`);
    return file.data;
  }

  write(path: string, data: Uint8Array | string): void {
    if (this.#files.has(dirname(path))) throw new Error(`open ${path}: not a directory`);
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    this.#files.set(path, { data: bytes, modifiedAtMs: this.#now().getTime() });
  }

  remove(path: string): void {
    for (const name of this.#files.keys()) {
      if (name === path || name.startsWith(`${path}/`)) this.#files.delete(name);
    }
  }

  /** All paths, sorted. */
  paths(): string[] {
    return [...this.#files.keys()].sort();
  }
}
