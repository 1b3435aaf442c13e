import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that is being written is somebody's work; one left by a crash is not. */
const unfinishedMs = 3_600_000;

/** How long, and how many, artifacts of one source are kept once a newer one took their place. */
export class Retention {
  readonly #ttlMs: number;
  readonly #records: number;
  readonly #now: () => number;

  constructor(ttlMs: number, records: number, now: () => number) {
    this.#ttlMs = ttlMs;
    this.#records = records;
    this.#now = now;
  }

  /** Removes what is older than it may be from the directory of a source, never what is current. Gives back what went. */
  async removeOutdated(directory: string, current: string): Promise<string[]> {
    const found = await this.#artifactsIn(directory);
    found.sort((left, right) => right.mtimeMs - left.mtimeMs);
    let kept = 1;
    const removed: string[] = [];
    // Time counts from when a newer one took the place, and not from when it was made.
    let replacedMs = Number.POSITIVE_INFINITY;
    for (const { path, mtimeMs } of found) {
      if (path.endsWith('.tmp')) {
        await rm(path, { force: true });
        continue;
      }
      const ageMs = this.#now() - replacedMs;
      replacedMs = mtimeMs;
      if (path === current) continue;
      if (ageMs <= this.#ttlMs && kept < this.#records) {
        kept += 1;
        continue;
      }
      await rm(path, { force: true });
      removed.push(path);
    }
    return removed;
  }

  async #artifactsIn(directory: string) {
    let names: string[];
    try {
      names = await readdir(directory);
    } catch {
      return [];
    }
    const found: { path: string; mtimeMs: number }[] = [];
    for (const one of names) {
      if (!/\.(?:tar\.gz|tgz|yaml|tmp)$/.test(one)) continue;
      const path = join(directory, one);
      try {
        const facts = await lstat(path);
        const { mtimeMs } = facts;
        if (facts.isSymbolicLink() && !one.endsWith('.tmp')) continue;
        if (one.endsWith('.tmp') && this.#now() - mtimeMs < unfinishedMs) continue;
        found.push({ path, mtimeMs });
      } catch {
        // Another pass removed it.
      }
    }
    return found;
  }
}
