import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Disk,
  RecordStore,
  StorageError,
  type StoreMark,
  type StoreState,
  writeWholeFile,
} from '@waygate/text';
import type { Journal, JournalCapture, JournalRecord, JournalState, Settle } from './journal.ts';
import { encodeCompaction, encodeRecord } from './journal-record.ts';
import { LoadedState } from './loaded-state.ts';

interface DiskJournalOptions {
  /** The directory of the server's data. */
  readonly dataDir: string;
  readonly disk?: Disk;
  readonly logLimitBytes?: number;
  readonly log?: (line: string) => void;
}

/** The journal on disk, in `store` of the data directory. */
export class DiskJournal implements Journal {
  readonly #store: RecordStore;
  readonly #loaded: LoadedState;
  readonly #capture: { current: (() => JournalCapture) | undefined };

  private constructor(
    store: RecordStore,
    loaded: LoadedState,
    capture: { current: (() => JournalCapture) | undefined },
  ) {
    this.#store = store;
    this.#loaded = loaded;
    this.#capture = capture;
  }

  /**
   * Who calls holds the lock of the data directory.
   *
   * @throws StorageError when there is a store that cannot be read whole, or there was one
   */
  static async open(options: DiskJournalOptions): Promise<DiskJournal> {
    const { dataDir, log } = options;
    const directory = storeDirectory(dataDir);
    refuseMissing(dataDir);
    const loaded = new LoadedState();
    const capture: { current: (() => JournalCapture) | undefined } = { current: undefined };
    const store = await RecordStore.open(
      {
        directory,
        hint: restoreHint(dataDir),
        capture: () => stateOf(capture.current ?? (() => loaded.capture())),
        ...(options.disk === undefined ? {} : { disk: options.disk }),
        ...(options.logLimitBytes === undefined ? {} : { logLimitBytes: options.logLimitBytes }),
        log: (line) => log?.(`apiserver: ${line}`),
      },
      loaded,
    );
    if (!existsSync(markerFile(dataDir))) writeWholeFile(markerFile(dataDir), `${store.id}\n`);
    return new DiskJournal(store, loaded, capture);
  }

  get problem(): StorageError | undefined {
    return this.#store.problem;
  }

  load(capture: () => JournalCapture): JournalState {
    this.#capture.current = capture;
    return this.#loaded.take();
  }

  append(record: JournalRecord, settle: Settle): void {
    this.#store.append(encodeRecord(record), settle);
  }

  compact(resourceVersion: number): void {
    // If it cannot be written, a restart knows more of the past than it was asked to: no harm.
    this.#store.append(encodeCompaction(resourceVersion), () => undefined);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

export function storeDirectory(dataDir: string): string {
  return join(dataDir, 'store');
}

/** Says that there was a store once: without it, an empty one would be no surprise. */
export function markerFile(dataDir: string): string {
  return join(dataDir, 'store.id');
}

export function restoreHint(dataDir: string): string {
  return `waygate apiserver restore --data-dir ${dataDir} goes back to what can be read, and says what is lost.`;
}

/** Never starts empty where there was something. */
function refuseMissing(dataDir: string): void {
  const directory = storeDirectory(dataDir);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  if (names.includes('data.mdb')) {
    throw new StorageError(
      'WG_STORAGE_FORMAT',
      join(directory, 'data.mdb'),
      `${join(directory, 'data.mdb')} was written by an earlier version of Waygate, in a format that this one does not read`,
      {
        hint: `Start that version once more and save what is to be kept (kubectl get -o yaml), or move ${directory} away to start empty.`,
      },
    );
  }
  const marker = markerFile(dataDir);
  if (!existsSync(marker) || names.some((name) => !name.endsWith('.tmp'))) return;
  const id = readFileSync(marker, 'utf8').trim();
  throw new StorageError('WG_STORAGE_DAMAGED', directory, `${directory} is gone (store ${id})`, {
    hint: `Bring it back, restore a snapshot with waygate apiserver restore --data-dir ${dataDir} --from FILE, or remove ${marker} to start empty.`,
  });
}

export function markOf(state: Omit<JournalCapture, 'objects'>): StoreMark {
  const { resourceVersion, compactedResourceVersion } = state;
  return { resourceVersion, compacted: compactedResourceVersion };
}

function stateOf(capture: () => JournalCapture): StoreState {
  const { objects, ...versions } = capture();
  return { mark: markOf(versions), records: encoded(objects) };
}

export function* encoded(objects: JournalCapture['objects']): Generator<Buffer> {
  for (const object of objects) yield encodeRecord(object);
}
