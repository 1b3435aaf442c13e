import { JournalFile } from './journal-file.ts';

/** What a plugin keeps across restarts: plain data by key. */
export interface PluginStorage {
  entries(): Iterable<readonly [string, unknown]>;
  put(key: string, value: unknown): void;
  delete(key: string): void;
  /** Resolves when all that was put and deleted so far is on disk. */
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
  #file: JournalFile | undefined;

  static async open(directory: string): Promise<PluginStorages> {
    const storages = new PluginStorages();
    const take = (line: unknown) => storages.#apply(line as Line);
    storages.#file = await JournalFile.open(directory, 'plugins.journal', take, () => ({
      count: [...storages.#values.values()].reduce((sum, values) => sum + values.size, 0),
      lines: () => storages.#lines(),
    }));
    return storages;
  }

  of(plugin: string): PluginStorage {
    const write = (line: Line) => {
      this.#apply(line);
      this.#file?.append(line);
    };
    return {
      entries: () => this.#values.get(plugin) ?? [],
      put: (key, value) => write({ plugin, key, value }),
      delete: (key) => write({ plugin, key }),
      flush: async () => this.#file?.flush(),
    };
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
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
      for (const [key, value] of values) {
        yield { plugin, key, value };
      }
    }
  }
}
