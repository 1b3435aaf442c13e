import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** What is known of one file: what it must hold, and which state of it was seen to hold that. */
interface Known {
  readonly digest: string;
  seen: string | undefined;
}

/**
 * Which digests the artifacts on disk have. A file is read through once, and again when the system
 * says that it is another one or was written to.
 */
export class ServedDigests {
  readonly #byPath = new Map<string, Known>();

  /** A file has these bytes, or is to have them. */
  note(path: string, digest: string): void {
    if (this.#byPath.get(path)?.digest !== digest)
      this.#byPath.set(path, { digest, seen: undefined });
  }

  forget(path: string): void {
    this.#byPath.delete(path);
  }

  /** Whether an open file holds what is known of its path. Of a path that nobody noted nothing is known. */
  async isIntact(path: string, file: FileHandle): Promise<boolean> {
    const known = this.#byPath.get(path);
    if (known === undefined) return true;
    const { dev, ino, size, mtimeMs, ctimeMs } = await file.stat();
    const state = [dev, ino, size, mtimeMs, ctimeMs].join(' ');
    if (known.seen === state) return true;
    const hash = createHash(known.digest.slice(0, known.digest.indexOf(':')));
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk as Buffer);
    }
    if (!known.digest.endsWith(`:${hash.digest('hex')}`)) return false;
    known.seen = state;
    return true;
  }
}
