import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.ts';
import { FrameWriter } from './frame.ts';
import { bootId, encodeHead, headName } from './log-head.ts';
import { type FileHeader, type LogEnd, logName } from './store-files.ts';
import { createLog } from './store-layout.ts';
import type { StoreFiles } from './store-reader.ts';

/**
 * The end of a store's log, and the head that says how far it goes. What touches them goes one after
 * the other; only a sync of the log runs beside the writes.
 */
export class LogWriter {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #boot: string;
  readonly #head: DiskFile;
  #log: DiskFile;
  /** Where the log ends, for all that was written without an error. */
  #end: LogEnd;
  /** Up to here the log has been synced. */
  #synced = 0;
  #headTurn: number;
  /** The log may hold more than it should: nothing is appended before that is cut off. */
  #isTailUnknown = false;
  #last: Promise<unknown> = Promise.resolve();
  #syncing: Promise<void> | undefined;

  private constructor(
    place: { readonly disk: Disk; readonly directory: string; readonly boot: string },
    files: StoreFiles,
    handles: { readonly log: DiskFile; readonly head: DiskFile },
  ) {
    this.#disk = place.disk;
    this.#directory = place.directory;
    this.#boot = place.boot;
    this.#log = handles.log;
    this.#head = handles.head;
    this.#end = files.end;
    // The slot that is not the newest is written next, or the one that was found damaged.
    this.#headTurn = files.headTurn;
  }

  static async open(
    disk: Disk,
    directory: string,
    files: StoreFiles,
    boot = bootId,
  ): Promise<LogWriter> {
    const log = await disk.openToWrite(join(directory, logName(files.end.base)));
    const head = await disk.openToWrite(join(directory, headName)).catch(async (error: unknown) => {
      // A file that is left open is an error of its own to newer lines of Node.js, whenever it is collected.
      await log.close();
      throw error;
    });
    return new LogWriter({ disk, directory, boot }, files, { log, head });
  }

  get end(): LogEnd {
    return this.#end;
  }

  get path(): string {
    return join(this.#directory, logName(this.#end.base));
  }

  /** Cuts off what was never acknowledged, and makes sure of the rest. */
  async begin(): Promise<void> {
    this.#isTailUnknown = true;
    await this.#alone(() => this.#cutTail());
    await this.sync();
  }

  /** Appends records; all of them, or after an error none. */
  append(payloads: readonly Uint8Array[]): Promise<void> {
    return this.#alone(() => this.#append(payloads));
  }

  /** Syncs the log while others write to it, then notes in the head how far that went. */
  sync(): Promise<void> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  /** Goes on in a new log. */
  async switchLog(
    header: Omit<FileHeader, 'waygate' | 'version' | 'previous'>,
    isSynced: boolean,
  ): Promise<void> {
    await this.#syncing?.catch(() => undefined);
    await this.#alone(() => this.#switchLog(header, isSynced));
  }

  async close(): Promise<void> {
    await this.#syncing?.catch(() => undefined);
    try {
      if (this.#isTailUnknown) await this.#alone(() => this.#cutTail());
      await this.sync();
    } catch {
      // Full or broken, and told so before: there is nobody left to tell.
    }
    try {
      await this.#log.close();
    } finally {
      await this.#head.close();
    }
  }

  async #append(payloads: readonly Uint8Array[]): Promise<void> {
    if (this.#isTailUnknown) await this.#cutTail();
    const pieces: Uint8Array[] = [];
    const frames = new FrameWriter(this.#end.check);
    let length = 0;
    for (const payload of payloads) length += frames.add(payload, pieces);
    const end = { base: this.#end.base, bytes: this.#end.bytes + length, check: frames.check };
    try {
      await this.#log.write(Buffer.concat(pieces, length), this.#end.bytes);
      await this.#writeHead(end);
    } catch (error) {
      this.#isTailUnknown = true;
      await this.#cutTail().catch(() => undefined);
      throw error;
    }
    this.#end = end;
  }

  async #cutTail(): Promise<void> {
    // The head first: it must never ask for more than the log has.
    await this.#writeHead(this.#end);
    await this.#log.truncate(this.#end.bytes);
    this.#isTailUnknown = false;
  }

  async #sync(): Promise<void> {
    const { base, bytes } = this.#end;
    await this.#log.sync();
    await this.#alone(async () => {
      if (base !== this.#end.base || this.#isTailUnknown) return;
      this.#synced = bytes;
      await this.#writeHead(this.#end);
    });
  }

  async #switchLog(
    header: Omit<FileHeader, 'waygate' | 'version' | 'previous'>,
    isSynced: boolean,
  ): Promise<void> {
    if (this.#isTailUnknown) await this.#cutTail();
    if (isSynced) await this.#log.sync();
    const end = await createLog(this.#disk, this.#directory, { ...header, previous: this.#end });
    const log = await this.#disk.openToWrite(join(this.#directory, logName(header.base)));
    const before = { log: this.#log, synced: this.#synced };
    try {
      this.#synced = end.bytes;
      // From here on the new log counts. Before, it is one that nobody will read.
      await this.#writeHead(end);
    } catch (error) {
      this.#synced = before.synced;
      await log.close();
      throw error;
    }
    this.#log = log;
    this.#end = end;
    await before.log.close();
  }

  async #writeHead({ base, bytes }: LogEnd): Promise<void> {
    const head = { base, acknowledged: bytes, synced: this.#synced, boot: this.#boot };
    const slot = encodeHead(head, this.#headTurn + 1);
    await this.#head.write(slot.bytes, slot.position);
    // Only then the other slot may be given up.
    this.#headTurn += 1;
  }

  #alone<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(step);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
