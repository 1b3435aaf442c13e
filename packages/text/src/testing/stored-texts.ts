import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { RecordStore } from '../disk/record-store.ts';

/** Thousands of syncs are made in tests: in memory, where the machine has a place for that. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Where a store of a test can be made; its parent is the test's own to remove. */
export function newStoreDirectory(): string {
  return join(mkdtempSync(join(place, 'waygate-records-')), 'store');
}

/** What is written to {@link StoredTexts}: a text for a key, or none for it any more. */
export interface TextChange {
  readonly key: string;
  readonly value?: string;
}

const opened = new Set<StoredTexts>();

/** Closes what tests left open as if it had been killed: its files are still open, and nobody else closes them. */
export async function closeStores(): Promise<void> {
  await Promise.all([...opened].map(({ store }) => store.close()));
  opened.clear();
}

/** A store of texts by key, as its owner would keep it. */
export class StoredTexts {
  readonly warnings: string[] = [];
  state = new Map<string, string>();
  changes = 0;
  store!: RecordStore;

  static async open(
    directory: string,
    options: { disk?: Disk; logLimitBytes?: number; boot?: string } = {},
  ): Promise<StoredTexts> {
    const texts = new StoredTexts();
    const apply = (payload: Buffer) => texts.#apply(JSON.parse(payload.toString()) as TextChange);
    texts.store = await RecordStore.open(
      {
        directory,
        hint: 'Ask for help.',
        capture: () => ({
          mark: { size: texts.state.size },
          records: [...texts.state].map(([key, value]) =>
            Buffer.from(JSON.stringify({ key, value })),
          ),
        }),
        log: (line) => texts.warnings.push(line),
        ...options,
      },
      {
        begin: () => texts.state.clear(),
        state: apply,
        since: () => {
          texts.changes = 0;
        },
        past: () => {
          texts.changes += 1;
        },
        change: (payload) => {
          texts.changes += 1;
          apply(payload);
        },
      },
    );
    opened.add(texts);
    return texts;
  }

  write(change: TextChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.store.append(Buffer.from(JSON.stringify(change)), (error) => {
        if (error !== undefined) return reject(error);
        this.#apply(change);
        resolve();
      });
    });
  }

  #apply({ key, value }: TextChange): void {
    if (value === undefined) this.state.delete(key);
    else this.state.set(key, value);
  }
}

/** A number of changes that set, replace and remove texts. */
export function changesOf(count: number): TextChange[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `key-${index % 5}`,
    ...(index % 7 === 6 ? {} : { value: `${index}:${'x'.repeat(index % 40)}` }),
  }));
}

/** The state after each number of changes. */
export function statesOf(changes: readonly TextChange[]): string[] {
  const state = new Map<string, string>();
  const shown = () => JSON.stringify([...state].sort());
  return [
    shown(),
    ...changes.map(({ key, value }) => {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
      return shown();
    }),
  ];
}

/** The state as {@link statesOf} shows it. */
export const shown = (texts: StoredTexts): string => JSON.stringify([...texts.state].sort());
