import type { FileSystem, ListedFileSystem, Resolution } from '../file-system/file-system.ts';
import type { FileWrite } from './outcome.ts';

/** The files as they are once what an edit writes has been written. */
export class WrittenFiles implements FileSystem {
  readonly #before: ListedFileSystem;
  /** By the path that links lead to. */
  readonly #written = new Map<string, Buffer>();

  constructor(before: ListedFileSystem, writes: readonly FileWrite[] = []) {
    this.#before = before;
    for (const { path, content } of writes) this.write(path, content);
  }

  write(path: string, content: string | Uint8Array): void {
    const found = this.#before.resolve(path);
    this.#written.set(found.kind === 'file' ? found.path : path, Buffer.from(content));
  }

  resolve(path: string): Resolution {
    const found = this.#before.resolve(path);
    const real = found.kind === 'file' ? found.path : path;
    const written = this.#written.get(real);
    return written === undefined ? found : { kind: 'file', path: real, size: written.length };
  }

  size(path: string): number {
    return this.#written.get(path)?.length ?? this.#before.size(path);
  }

  read(path: string): Uint8Array {
    return this.#written.get(path) ?? this.#before.read(path);
  }

  describe(path: string): string {
    return this.#before.describe(path);
  }
}
