import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { readFrames } from './frame.ts';
import { boundsOf, decodeHead, type FoundHead, headName } from './log-head.ts';
import { readSnapshot } from './snapshot-file.ts';
import { StorageError, storageError } from './storage-error.ts';
import {
  basesIn,
  decodeHeader,
  type FileHeader,
  type LogEnd,
  logName,
  type StoreMark,
  snapshotName,
} from './store-files.ts';

/** Takes what a store holds. A payload is good only until the call returns. */
export interface StoreContent {
  /** Everything so far is void: the state that follows begins with nothing, as of this mark. */
  begin(mark: StoreMark): void;
  /** One record of the state. */
  state(payload: Buffer): void;
  /** The changes that follow are all since this mark; what was said of changes before is void. */
  since(mark: StoreMark): void;
  /** A change that the state has already. */
  past(payload: Buffer): void;
  /** A change to the state. */
  change(payload: Buffer): void;
}

/** What was found beside the content. */
export interface StoreFiles {
  readonly store: string;
  /** The log that goes on, and where. */
  readonly end: LogEnd;
  /** How many records there ever were. */
  readonly sequence: number;
  readonly snapshotBytes: number;
  /** The newest snapshot that is whole; 0 when there is none yet. */
  readonly snapshotBase: number;
  /** How often the head was written. */
  readonly headTurn: number;
  /** What was found damaged and could be done without. */
  readonly warnings: readonly string[];
}

interface ReadOptions {
  /** What to do about damage, for the message. */
  readonly hint: string;
  /** Reads what can be read, and says in the warnings what could not. */
  readonly salvages?: boolean;
  /** Which run of the machine this is. */
  readonly boot?: string;
}

/**
 * Reads a store: the newest whole snapshot and the changes since. Changes nothing on disk, and may
 * read while another process writes.
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
 * await readStore(systemDisk, '/var/lib/shop', content, { hint: 'restore a backup' });
 * ```
 *
 * @throws StorageError when anything that was acknowledged cannot be read
 */
export async function readStore(
  disk: Disk,
  directory: string,
  content: StoreContent,
  options: ReadOptions,
): Promise<StoreFiles | undefined> {
  return new StoreReader(disk, directory, content, options).read();
}

class StoreReader {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #content: StoreContent;
  readonly #options: ReadOptions;
  readonly #warnings: string[] = [];
  #store: string | undefined;

  constructor(disk: Disk, directory: string, content: StoreContent, options: ReadOptions) {
    this.#disk = disk;
    this.#directory = directory;
    this.#content = content;
    this.#options = options;
  }

  async read(): Promise<StoreFiles | undefined> {
    const head = await this.#head();
    const names = await this.#disk.list(this.#directory);
    const found = basesIn(names, 'log');
    const snapshots = basesIn(names, 'snapshot');
    if (head === undefined) {
      if (await this.#isUnborn(found, snapshots)) return undefined;
      this.#damaged(this.#path(headName), 'is missing');
      if (found.length === 0 && snapshots.length === 0) return undefined;
    } else if (!found.includes(head.base)) {
      this.#damaged(this.#path(logName(head.base)), 'is missing');
    }
    const logs = await this.#chain(found, head?.base ?? found.at(-1) ?? 0);
    const snapshot = await this.#snapshot(snapshots, logs);
    const end = await this.#logs(logs, snapshot.base, head);
    return {
      store: this.#store ?? '',
      ...end,
      snapshotBytes: snapshot.bytes,
      snapshotBase: snapshot.base,
      headTurn: head?.turn ?? 0,
      warnings: this.#warnings,
    };
  }

  async #head(): Promise<FoundHead | undefined> {
    const path = this.#path(headName);
    let bytes: Buffer;
    try {
      const file = await this.#disk.openToRead(path);
      bytes = await file.read(0, (await file.size()) + 1).finally(() => file.close());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw storageError(error, path, 'cannot read');
    }
    const head = decodeHead(bytes);
    if (head === undefined) this.#damaged(path, 'is damaged');
    return head;
  }

  /** Whether the making of the store was cut off: its head comes last, and before it there is nothing. */
  async #isUnborn(logs: readonly number[], snapshots: readonly number[]): Promise<boolean> {
    if (snapshots.length > 0 || logs.length > 1) return false;
    if (logs.length === 0) return true;
    if (logs[0] !== 0) return false;
    const file = await this.#disk.openToRead(this.#path(logName(0)));
    try {
      let frames = 0;
      for await (const _frame of readFrames(file)) frames += 1;
      return frames === 1;
    } finally {
      await file.close();
    }
  }

  /** The logs that follow each other up to the last. One that was made and never used is not of them. */
  async #chain(found: readonly number[], last: number): Promise<number[]> {
    const chain: number[] = [];
    for (let base: number | undefined = last; base !== undefined && found.includes(base); ) {
      chain.unshift(base);
      base = (await this.#headerOrNothing(base))?.previous?.base;
    }
    return chain;
  }

  /** A header that cannot be read is a problem when its log is. */
  async #headerOrNothing(base: number): Promise<FileHeader | undefined> {
    try {
      return await this.#header(base);
    } catch {
      return undefined;
    }
  }

  /** The newest that is whole. The logs since the one before it can make up for a damaged one. */
  async #snapshot(
    bases: readonly number[],
    logs: readonly number[],
  ): Promise<{ readonly base: number; readonly bytes: number }> {
    let newest: StorageError | undefined;
    const hasAllLogs = logs[0] === 0;
    for (const base of [...bases].reverse()) {
      const path = this.#path(snapshotName(base));
      try {
        const bytes = await readSnapshot(this.#disk, path, this.#options.hint, {
          header: (header) => this.#content.begin(this.#checked(header, path, base).mark),
          record: (payload) => this.#content.state(payload),
        });
        return { base, bytes };
      } catch (error) {
        newest ??= storageError(error, path, 'cannot read');
        this.#warnings.push(storageError(error, path, 'cannot read').message);
      }
    }
    if (newest !== undefined && !hasAllLogs && this.#options.salvages !== true) throw newest;
    this.#content.begin({});
    return { base: 0, bytes: 0 };
  }

  /**
   * The changes that the snapshot has already. They only let a watch go back further: where they are
   * damaged, that is as far back as one can go.
   */
  async #past(bases: readonly number[]): Promise<boolean> {
    let isFollowing = false;
    for (const [index, base] of bases.slice(0, -1).entries()) {
      try {
        const header = await this.#header(base);
        const next = await this.#header(bases[index + 1] as number);
        if (!isFollowing) this.#content.since(header.mark);
        isFollowing = true;
        await this.#log(header, next, undefined, (payload) => this.#content.past(payload));
      } catch (error) {
        isFollowing = false;
        this.#warnings.push(storageError(error, this.#path(logName(base)), 'cannot read').message);
      }
    }
    return isFollowing;
  }

  async #logs(
    bases: readonly number[],
    snapshotBase: number,
    head: FoundHead | undefined,
  ): Promise<Pick<StoreFiles, 'end' | 'sequence'>> {
    const current = bases.filter((base) => base >= snapshotBase);
    if (current[0] !== snapshotBase) {
      // The first that is known may be the one that does not say what was before it.
      if (bases[0] !== undefined && this.#options.salvages !== true) await this.#header(bases[0]);
      this.#damaged(this.#path(logName(snapshotBase)), 'is missing');
    }
    const past = bases.filter((base) => base <= snapshotBase);
    let isFollowing = await this.#past(past);
    let end: LogEnd = { base: snapshotBase, bytes: 0, check: 0 };
    let sequence = snapshotBase;
    for (const [index, base] of current.entries()) {
      try {
        const header = await this.#header(base);
        if (!isFollowing) this.#content.since(header.mark);
        isFollowing = true;
        const following = current[index + 1];
        const next = following === undefined ? undefined : await this.#header(following);
        const take = (payload: Buffer): void => {
          sequence += 1;
          this.#content.change(payload);
        };
        end = await this.#log(header, next, head, take);
      } catch (error) {
        const problem = storageError(error, this.#path(logName(base)), 'cannot read');
        if (this.#options.salvages !== true) throw problem;
        this.#warnings.push(problem.message);
        break;
      }
    }
    return { end, sequence };
  }

  async #header(base: number): Promise<FileHeader> {
    const path = this.#path(logName(base));
    const file = await this.#disk.openToRead(path);
    try {
      const { value } = await readFrames(file).next();
      const wanted = { kind: 'log' as const, path, hint: this.#options.hint };
      return this.#checked(decodeHeader(value?.payload, wanted), path, base);
    } finally {
      await file.close();
    }
  }

  /** Reads the changes of one log, as far as it must go. */
  async #log(
    header: FileHeader,
    next: FileHeader | undefined,
    head: FoundHead | undefined,
    take: (payload: Buffer) => void,
  ): Promise<LogEnd> {
    const path = this.#path(logName(header.base));
    const bounds = head?.base === header.base ? boundsOf(head, this.#options.boot) : undefined;
    const limit = next?.previous?.bytes ?? bounds?.most ?? Number.POSITIVE_INFINITY;
    const file = await this.#disk.openToRead(path);
    let end: LogEnd = { base: header.base, bytes: 0, check: 0 };
    let count = -1;
    try {
      for await (const frame of readFrames(file)) {
        if (frame.end > limit) break;
        end = { base: header.base, bytes: frame.end, check: frame.check };
        count += 1;
        if (count > 0) take(frame.payload);
      }
    } finally {
      await file.close();
    }
    const required = bounds?.least ?? 0;
    const isWhole =
      next === undefined
        ? end.bytes >= required
        : next.base === header.base + count &&
          next.previous?.bytes === end.bytes &&
          next.previous.check === end.check;
    if (isWhole) return end;
    const wanted = next?.previous?.bytes ?? required;
    const message = `${path} is damaged at byte ${end.bytes}: it was written up to byte ${wanted}`;
    const { hint } = this.#options;
    throw new StorageError('WG_STORAGE_DAMAGED', path, message, { hint });
  }

  #checked(header: FileHeader, path: string, base: number): FileHeader {
    this.#store ??= header.store;
    if (header.store !== this.#store || header.base !== base) {
      this.#damaged(path, 'belongs to another store');
    }
    return header;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }

  #damaged(path: string, what: string): void {
    if (this.#options.salvages === true) {
      this.#warnings.push(`${path} ${what}`);
      return;
    }
    const { hint } = this.#options;
    throw new StorageError('WG_STORAGE_DAMAGED', path, `${path} ${what}`, { hint });
  }
}
