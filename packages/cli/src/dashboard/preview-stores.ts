import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DashboardError, type Person } from '@waygate/dashboard';

/** What was fetched for so many people is kept; theirs who looked longest ago goes. */
const mostPeople = 16;

/**
 * Where what git fetched for previews is kept, one directory for each person: what one was allowed to fetch is
 * no other's to read.
 */
export class PreviewStores {
  #home: string | undefined;
  /** By the digest of the person's key; whoever looked last stands last. */
  readonly #directories = new Set<string>();

  directoryOf({ key }: Pick<Person, 'key'>): string {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    const home = this.#made();
    this.#directories.delete(name);
    for (const oldest of this.#directories) {
      if (this.#directories.size < mostPeople) break;
      this.#directories.delete(oldest);
      rmSync(join(home, oldest), { recursive: true, force: true });
    }
    this.#directories.add(name);
    const directory = join(home, name);
    mkdirSync(directory, { recursive: true });
    return directory;
  }

  close(): void {
    if (this.#home !== undefined)
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 3 });
    this.#home = undefined;
    this.#directories.clear();
  }

  #made(): string {
    try {
      this.#home ??= mkdtempSync(join(tmpdir(), 'waygate-previews-'));
      return this.#home;
    } catch (cause) {
      throw new DashboardError(
        'WG_DASHBOARD_UPSTREAM',
        `previews need a directory to write to: ${(cause as Error).message}`,
        { cause },
      );
    }
  }
}
