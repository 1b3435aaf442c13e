import { join } from 'node:path';
import { type Disk, systemDisk } from './disk.ts';
import { bootId } from './log-head.ts';
import { LogWriter } from './log-writer.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { type StorageError, storageError } from './storage-error.ts';
import { basesIn, type StoreMark, snapshotName } from './store-files.ts';
import { createStore, removeUnneeded } from './store-layout.ts';
import { readStore, type StoreContent, type StoreFiles } from './store-reader.ts';

/** The state at one moment. The records are taken later, a few at a time: they must stay as they are. */
export interface StoreState {
  readonly mark: StoreMark;
  readonly records: Iterable<Uint8Array>;
}

export interface RecordStoreOptions {
  readonly directory: string;
  /** What to do about damage, for the message. */
  readonly hint: string;
  /** The state with all that was settled without an error, and nothing that was not. */
  readonly capture: () => StoreState;
  /** A log is closed and summed up when it is longer than this, and than all there is. 16 MiB. */
  readonly logLimitBytes?: number;
  readonly disk?: Disk;
  readonly boot?: string;
  /** Told of what was repaired, and of what could not be done yet. */
  readonly log?: (line: string) => void;
}

interface Waiting {
  readonly payload: Uint8Array;
  readonly settle: (error: StorageError | undefined) => void;
}

const defaultLogLimit = 16 * 1024 * 1024;
const largestBatch = 4 * 1024 * 1024;
/** What was acknowledged is on its way to the disk after so long at the latest. */
const syncDelayMs = 20;
/** While it cannot be written, the disk is tried again this often. */
const retryMs = 1000;
const probeBytes = 64 * 1024;

/**
 * Keeps records on disk: a log that only grows, and from time to time a snapshot of everything, which
 * lets older logs go. The snapshot before the last is kept with all changes since, so that the last
 * can be damaged without a loss.
 *
 * A record is settled when the system has it, so that no end of the process takes it back; it is
 * synced to the disk right after. One that cannot be written is settled with the error, together with
 * all that wait behind it, and leaves nothing in the log.
 *
 * ```ts
 * const records: Buffer[] = [];
 * const content = {
 *   begin: () => void records.splice(0),
 *   state: (payload: Buffer) => void records.push(Buffer.from(payload)),
 *   since: () => {},
 *   past: () => {},
 *   change: (payload: Buffer) => void records.push(Buffer.from(payload)),
 * };
 * const store = await RecordStore.open(
 *   { directory: '/var/lib/shop', hint: 'restore a backup', capture: () => ({ mark: {}, records }) },
 *   content,
 * );
 * store.append(Buffer.from('one more'), (error) => error === undefined && records.push(Buffer.from('one more')));
 * await store.settled();
 * await store.close();
 * ```
 */
export class RecordStore {
  readonly #options: RecordStoreOptions;
  readonly #disk: Disk;
  readonly #writer: LogWriter;
  /** Names the store for as long as it lives. */
  readonly id: string;
  /** How many records were ever settled without an error. */
  #sequence: number;
  /**
   * The newest snapshot: the sequence that it begins the log at, and its size. The log goes on from
   * `base`.
   */
  #snapshot: { readonly base: number; readonly bytes: number };
  /** What is appended and not yet settled, in order. A batch stays in it until it is written. */
  #queue: Waiting[] = [];
  /** Who asked for a snapshot, and is told when it has begun. */
  #sumUps: ((error: unknown) => void)[] = [];
  /** The one loop that writes; undefined when nothing waits. No two writes are ever under way. */
  #running: Promise<void> | undefined;
  /** The snapshot that is being written beside the log, if one is. */
  #summing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** Why the last write failed; undefined again once one has gone through. */
  #problem: StorageError | undefined;
  /** A sync failed: what the system calls written may not be there. Only a new snapshot heals that. */
  #isLogSuspect = false;
  #isClosed = false;

  private constructor(options: RecordStoreOptions, files: StoreFiles, writer: LogWriter) {
    this.#options = options;
    this.#disk = options.disk ?? systemDisk;
    this.#writer = writer;
    this.id = files.store;
    this.#sequence = files.sequence;
    this.#snapshot = { base: files.snapshotBase, bytes: files.snapshotBytes };
  }

  /**
   * Reads what is there, if anything, and goes on after it. Who calls holds the directory's lock.
   *
   * @throws StorageError when what is there cannot be read whole
   */
  static async open(options: RecordStoreOptions, content: StoreContent): Promise<RecordStore> {
    const { directory, hint, boot = bootId } = options;
    const disk = options.disk ?? systemDisk;
    try {
      await disk.makeDirectory(directory);
      const found = await readStore(disk, directory, content, { hint, boot });
      const files = found ?? (await createStore(disk, directory, boot));
      for (const line of files.warnings) options.log?.(`${line}; nothing is lost by it`);
      const writer = await LogWriter.open(disk, directory, files, boot);
      const store = new RecordStore(options, files, writer);
      await store.#begin();
      return store;
    } catch (error) {
      throw storageError(error, directory, 'cannot open the store in');
    }
  }

  /** Why nothing can be written at the moment, if so. */
  get problem(): StorageError | undefined {
    return this.#problem;
  }

  /**
   * Appends a record. `settle` is called once, in the order of the appends; after an error in the
   * opposite order, so that what was done last is undone first.
   */
  append(payload: Uint8Array, settle: Waiting['settle']): void {
    if (this.#isClosed) throw new Error('the store is closed');
    this.#queue.push({ payload, settle });
    this.#run();
  }

  /** Resolves when all that was appended so far is settled. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Sums up everything in a new snapshot. */
  async sumUp(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#sumUps.push((error) => (error === undefined ? resolve() : reject(error)));
      this.#run();
    });
    await this.#summing;
  }

  async close(): Promise<void> {
    await this.settled();
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#syncTimer);
    clearTimeout(this.#retryTimer);
    await this.#summing?.catch(() => undefined);
    await this.#writer.close();
  }

  async #begin(): Promise<void> {
    try {
      await this.#writer.begin();
      const { base } = this.#snapshot;
      const before = await this.#snapshotBefore(base);
      await removeUnneeded(this.#disk, this.#options.directory, { newest: base, before });
    } catch (error) {
      // What is there was read whole: it can be served, and written to when the disk lets us.
      this.#setProblem(this.#wrapped(error));
    }
  }

  #run(): void {
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
      if (this.#queue.length > 0 || this.#sumUps.length > 0) this.#run();
    });
  }

  async #drain(): Promise<void> {
    // Appends of the same turn go together.
    await Promise.resolve();
    while (this.#queue.length > 0 || this.#sumUps.length > 0) {
      await this.#startSumUps();
      if (this.#queue.length === 0) continue;
      try {
        if (this.#isLogSuspect && this.#problem !== undefined) throw this.#problem;
        const batch = this.#nextBatch();
        await this.#writer.append(batch.map(({ payload }) => payload));
        this.#queue.splice(0, batch.length);
        this.#sequence += batch.length;
        if (!this.#isLogSuspect) this.#setProblem(undefined);
        for (const { settle } of batch) settle(undefined);
      } catch (error) {
        this.#fail(this.#wrapped(error));
        continue;
      }
      this.#syncSoon();
      await this.#rotateIfLong();
    }
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { payload } of this.#queue) {
      bytes += payload.length;
      if (count > 0 && bytes > largestBatch) break;
      count += 1;
    }
    return this.#queue.slice(0, count);
  }

  /** All that wait fail together: what comes later may build on what comes before. */
  #fail(error: StorageError): void {
    const failed = this.#queue;
    this.#queue = [];
    this.#setProblem(error);
    for (const { settle } of failed.reverse()) settle(error);
  }

  #setProblem(problem: StorageError | undefined): void {
    this.#problem = problem;
    clearTimeout(this.#retryTimer);
    if (problem === undefined || this.#isClosed) return;
    this.#retryTimer = setTimeout(() => void this.#retry(), retryMs).unref();
  }

  /** Finds out whether the disk can be written again, without waiting for somebody who wants to. */
  async #retry(): Promise<void> {
    try {
      await this.settled();
      if (this.#isClosed || this.#problem === undefined) return;
      if (this.#isLogSuspect) await this.sumUp();
      else await this.#probe();
      this.#setProblem(undefined);
    } catch (error) {
      this.#setProblem(this.#wrapped(error));
    }
  }

  async #probe(): Promise<void> {
    const path = join(this.#options.directory, 'probe.tmp');
    const file = await this.#disk.create(path);
    try {
      await file.write(Buffer.alloc(probeBytes), 0);
      await file.sync();
    } finally {
      await file.close();
      await this.#disk.remove(path);
    }
  }

  #syncSoon(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      this.#writer.sync().catch((error: unknown) => {
        this.#isLogSuspect = true;
        this.#setProblem(storageError(error, this.#writer.path, 'cannot sync'));
      });
    }, syncDelayMs).unref();
  }

  async #rotateIfLong(): Promise<void> {
    const limit = Math.max(this.#options.logLimitBytes ?? defaultLogLimit, this.#snapshot.bytes);
    if (this.#writer.end.bytes < limit || this.#summing !== undefined) return;
    try {
      await this.#rotate();
    } catch (error) {
      // The log that is there goes on; the next append tries again.
      this.#options.log?.(this.#wrapped(error).message);
    }
  }

  async #startSumUps(): Promise<void> {
    const asked = this.#sumUps.splice(0);
    if (asked.length === 0) return;
    let problem: unknown;
    try {
      await this.#summing?.catch(() => undefined);
      await this.#rotate();
    } catch (error) {
      problem = error;
    }
    for (const tell of asked) tell(problem);
  }

  /**
   * Goes on in a new log, and sums up everything before it in a snapshot meanwhile. Nothing is
   * appended before the new log is there, so the captured state is exactly what is before it.
   */
  async #rotate(): Promise<void> {
    const { directory, capture } = this.#options;
    const { mark, records } = capture();
    const header = { store: this.id, base: this.#sequence, mark };
    if (header.base !== this.#writer.end.base) {
      // A log that failed to sync is left behind as it is: the snapshot makes up for it.
      await this.#writer.switchLog(header, !this.#isLogSuspect);
    }
    const path = join(directory, snapshotName(header.base));
    this.#summing = writeSnapshot(this.#disk, path, header, records)
      .then((bytes) => this.#summedUp(header.base, bytes))
      .finally(() => {
        this.#summing = undefined;
      });
    this.#summing.catch((error: unknown) => {
      this.#options.log?.(storageError(error, path, 'cannot write').message);
    });
  }

  async #summedUp(base: number, bytes: number): Promise<void> {
    const isNew = this.#snapshot.base !== base;
    const before = isNew ? this.#snapshot.base : await this.#snapshotBefore(base);
    this.#snapshot = { base, bytes };
    this.#isLogSuspect = false;
    await removeUnneeded(this.#disk, this.#options.directory, { newest: base, before });
  }

  async #snapshotBefore(base: number): Promise<number> {
    const names = await this.#disk.list(this.#options.directory);
    return Math.max(0, ...basesIn(names, 'snapshot').filter((each) => each < base));
  }

  #wrapped(error: unknown): StorageError {
    return storageError(error, this.#writer.path, 'cannot write to');
  }
}
