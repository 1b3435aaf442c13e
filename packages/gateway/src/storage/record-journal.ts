import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecordStore, StorageError, systemDisk, writeStore } from '@waygate/text';

interface RecordJournalOptions<Line> {
  readonly directory: string;
  /** Names the store among those of the directory. */
  readonly name: string;
  /** Called at the start with each line that is kept, in their order. */
  readonly take: (line: Line) => void;
  /** All that is kept, as lines. What they refer to must not change. */
  readonly lines: () => Iterable<Line>;
  readonly log?: (line: string) => void;
}

/** How a change is taken back that could not be kept. */
interface Undo<Line> {
  /** What brings a copy of the state back to how it was before. */
  readonly line: Line;
  readonly run: () => void;
}

/**
 * Keeps changes on disk, a line of JSON for each. A writer is answered when its lines are safe from a
 * kill of the process. What cannot be kept is undone, the last change first, and its writers are told.
 */
export class RecordJournal<Line extends object> {
  readonly #options: RecordJournalOptions<Line>;
  #store: RecordStore | undefined;
  /** Appended and not settled yet, oldest first. */
  readonly #unsettled = new Map<Undo<Line>, Promise<void>>();

  private constructor(options: RecordJournalOptions<Line>) {
    this.#options = options;
  }

  /**
   * Who calls holds the lock of the directory.
   *
   * @throws StorageError when what is there cannot be read whole
   */
  static async open<Line extends object>(
    options: RecordJournalOptions<Line>,
  ): Promise<RecordJournal<Line>> {
    const { directory, name, take, log } = options;
    const journal = new RecordJournal(options);
    await convertOldJournal(directory, name);
    const takePayload = (payload: Buffer) => take(JSON.parse(payload.toString('utf8')) as Line);
    const ignore = () => undefined;
    journal.#store = await RecordStore.open(
      {
        directory: join(directory, name),
        hint: `Restore a copy of it, or move ${join(directory, name)} away to start empty and sync the configuration again.`,
        capture: () => ({ mark: {}, records: journal.#records() }),
        ...(log === undefined ? {} : { log }),
      },
      // A snapshot that turns out damaged is followed by one that has everything: nothing to clear.
      { begin: ignore, state: takePayload, since: ignore, past: ignore, change: takePayload },
    );
    return journal;
  }

  /** Why nothing can be written at the moment, if so. */
  get problem(): StorageError | undefined {
    return this.#store?.problem;
  }

  append(line: Line, undo: Undo<Line>): void {
    const settled = new Promise<void>((resolve, reject) => {
      this.#store?.append(Buffer.from(JSON.stringify(line)), (error) => {
        this.#unsettled.delete(undo);
        if (error === undefined) {
          resolve();
          return;
        }
        undo.run();
        reject(error);
      });
    });
    // Who does not ask by a flush does not mind.
    settled.catch(() => undefined);
    this.#unsettled.set(undo, settled);
  }

  /**
   * Resolves when all that was appended so far is kept.
   *
   * @throws StorageError when it is not
   */
  async flush(): Promise<void> {
    if (this.problem !== undefined && this.#unsettled.size === 0) throw this.problem;
    await Promise.all(this.#unsettled.values());
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  /** What is kept, and then what takes back that of which nobody knows yet whether it is. */
  #records(): Iterable<Buffer> {
    const lines = [...this.#options.lines(), ...[...this.#unsettled.keys()].reverse().map(lineOf)];
    return encoded(lines);
  }
}

function lineOf<Line>({ line }: Undo<Line>): Line {
  return line;
}

function* encoded(lines: readonly object[]): Generator<Buffer> {
  for (const line of lines) yield Buffer.from(JSON.stringify(line));
}

/** Takes over the file of lines that earlier versions kept. */
async function convertOldJournal(directory: string, name: string): Promise<void> {
  const old = join(directory, `${name}.journal`);
  const place = join(directory, name);
  if (!existsSync(old)) return;
  if (!existsSync(place)) {
    const draft = `${place}.new`;
    rmSync(draft, { recursive: true, force: true });
    await writeStore(systemDisk, draft, { mark: {}, records: oldLines(old) });
    renameSync(draft, place);
    await systemDisk.syncDirectory(directory);
  }
  rmSync(old);
}

/** A last line that was cut short was never confirmed. */
function oldLines(path: string): Buffer[] {
  const bytes = readFileSync(path);
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    const line = bytes.subarray(start, end);
    try {
      JSON.parse(line.toString('utf8'));
    } catch (error) {
      const message = `${path} is damaged at byte ${start}`;
      const hint = `Restore a copy of it, or move it away to start empty.`;
      throw new StorageError('WG_STORAGE_DAMAGED', path, message, { hint, cause: error });
    }
    lines.push(line);
    start = end + 1;
  }
  return lines;
}
