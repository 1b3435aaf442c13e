import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve as resolvePath, sep } from 'node:path';
import { inByteOrder, type ListedFileSystem, type Resolution } from './file-system.ts';

/**
 * The files below a directory of the disk. A link that leads out of it is refused, so a hostile
 * checkout cannot read the machine.
 *
 * ```ts
 * const result = await build(directoryFileSystem('/home/ann/shop'), '/overlays/production');
 * ```
 */
export function directoryFileSystem(root: string): ListedFileSystem {
  return new DirectoryFileSystem(root);
}

class DirectoryFileSystem implements ListedFileSystem {
  readonly #root: string;
  /** Directories known to be no links and inside, so that each file of one costs a single look. */
  readonly #directories = new Set<string>();

  constructor(root: string) {
    this.#root = realpathSync.native(resolvePath(root));
  }

  resolve(path: string): Resolution {
    const full = this.#onDisk(path);
    if (this.#directories.has(dirname(full))) {
      const status = lstatSync(full, { throwIfNoEntry: false });
      if (status?.isFile() === true) return { kind: 'file', path, size: status.size };
    }
    let real: string;
    try {
      real = realpathSync.native(full);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ELOOP') {
        return { kind: 'refused', reason: `too many links at '${path}'` };
      }
      return { kind: 'missing', at: this.#firstMissing(path) };
    }
    return this.#resolution(path, real, statSync(real));
  }

  #resolution(path: string, real: string, status: Stats): Resolution {
    const inside = this.#inside(real);
    if (inside === undefined) return { kind: 'refused', reason: `'${path}' leads out of the root` };
    if (status.isDirectory()) {
      this.#directories.add(real);
      return { kind: 'directory', path: inside };
    }
    // Pipes and devices would block a build, or never end.
    if (!status.isFile()) return { kind: 'refused', reason: `'${path}' is not a regular file` };
    return { kind: 'file', path: inside, size: status.size };
  }

  size(path: string): number {
    return statSync(this.#onDisk(path)).size;
  }

  read(path: string): Uint8Array {
    return readFileSync(this.#onDisk(path));
  }

  readText(path: string): string {
    return readFileSync(this.#onDisk(path), 'utf8');
  }

  list(path: string): readonly string[] {
    const found = this.resolve(path);
    return found.kind === 'directory' ? inByteOrder(readdirSync(this.#onDisk(found.path))) : [];
  }

  describe(path: string): string {
    return this.#onDisk(path);
  }

  #onDisk(path: string): string {
    if (this.#root === '/') return path;
    return sep === '/' ? this.#root + path : join(this.#root, path);
  }

  #inside(real: string): string | undefined {
    if (real === this.#root) return '/';
    const base = this.#root.endsWith(sep) ? this.#root : this.#root + sep;
    if (!real.startsWith(base)) return undefined;
    return `/${real.slice(base.length).split(sep).join('/')}`;
  }

  #firstMissing(path: string): string {
    let at = '';
    for (const part of path.split('/')) {
      if (part === '') continue;
      at += `/${part}`;
      try {
        lstatSync(this.#onDisk(at));
      } catch {
        return at;
      }
    }
    return path;
  }
}
