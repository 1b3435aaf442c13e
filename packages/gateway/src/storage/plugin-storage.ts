import type { StorageError } from '@waygate/text';
import { RecordJournal } from './record-journal.ts';

/** What a plugin keeps across restarts: plain data by key. */
export interface PluginStorage {
  entries(): Iterable<readonly [string, unknown]>;
  put(key: string, value: unknown): void;
  delete(key: string): void;
  /** Resolves when all that was put and deleted so far is kept; what cannot be is taken back. */
  flush(): Promise<void>;
}

interface Line {
  readonly plugin: string;
  readonly key: string;
  readonly value?: unknown;
}

/** The storage of all plugins of a gateway with a database, in one file beside its entities. */
export class PluginStorages {
  readonly #values = new Map<string, Map<string, unknown>>();
  #journal: RecordJournal<Line> | undefined;

  static async open(directory: string, log?: (line: string) => void): Promise<PluginStorages> {
    const storages = new PluginStorages();
    storages.#journal = await RecordJournal.open<Line>({
      directory,
      name: 'plugins',
      take: (line) => storages.#apply(line),
      lines: () => storages.#lines(),
      ...(log === undefined ? {} : { log }),
    });
    return storages;
  }

  get problem(): StorageError | undefined {
    return this.#journal?.problem;
  }

  of(plugin: string): PluginStorage {
    const write = (line: Line) => {
      const value = this.#values.get(plugin)?.get(line.key);
      const before = { plugin, key: line.key, ...(value === undefined ? {} : { value }) };
      this.#apply(line);
      this.#journal?.append(line, { line: before, run: () => this.#apply(before) });
    };
    return {
      entries: () => this.#values.get(plugin) ?? [],
      put: (key, value) => write({ plugin, key, value }),
      delete: (key) => write({ plugin, key }),
      flush: async () => this.#journal?.flush(),
    };
  }

  async close(): Promise<void> {
    await this.#journal?.close();
    this.#journal = undefined;
  }

  #apply({ plugin, key, value }: Line): void {
    const values = this.#values.get(plugin) ?? new Map<string, unknown>();
    this.#values.set(plugin, values);
    if (value === undefined) {
      values.delete(key);
    } else {
      values.set(key, value);
    }
  }

  *#lines(): Generator<Line> {
    for (const [plugin, values] of this.#values) {
      for (const [key, value] of values) yield { plugin, key, value };
    }
  }
}
