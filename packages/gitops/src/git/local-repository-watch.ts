import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock, type Timer } from '@waygate/runtime';

/** A commit writes several files; one call for all of them is enough. */
const settleMs = 30;

/**
 * Tells when the references of a repository on this machine may have changed: a commit, a checkout,
 * a fetch. It may tell once too often, never too seldom for long, as sources are also looked at at
 * their interval.
 */
export class LocalRepositoryWatch {
  readonly #repository: string;
  readonly #onChange: () => void;
  readonly #clock: Clock;
  #watchers: FSWatcher[] = [];
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(repository: string, onChange: () => void, clock: Clock = systemClock) {
    this.#repository = repository;
    this.#onChange = onChange;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    const directory = await gitDirectoryOf(this.#repository);
    if (directory === undefined || this.#isClosed) return;
    this.#watch(directory, false, (name) => name === null || /^(HEAD|packed-refs)/.test(name));
    this.#watch(join(directory, 'refs'), true, (name) => name === null || !name.endsWith('.lock'));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #watch(path: string, recursive: boolean, concerns: (name: string | null) => boolean) {
    try {
      const watcher = watch(path, { recursive, persistent: false }, (_event, name) => {
        if (concerns(name)) this.#changed();
      });
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch {
      // Without a watch the interval still finds the change.
    }
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#timer?.cancel();
    this.#timer = this.#clock.after(settleMs, () => this.#onChange());
  }
}

async function gitDirectoryOf(repository: string): Promise<string | undefined> {
  for (const candidate of [join(repository, '.git'), repository]) {
    try {
      await stat(join(candidate, 'HEAD'));
      return candidate;
    } catch {
      // The next one may be it.
    }
  }
  return undefined;
}
