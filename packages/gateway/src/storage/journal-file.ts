import { closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatewayError } from '../gateway-error.ts';

/** What is kept at the moment, for a journal that is written anew. */
export interface JournalContent {
  readonly count: number;
  lines(): Iterable<object>;
}

/** The journal is written anew when it has grown this much beyond what is stored. */
const compactionFactor = 4;
const compactionMinimum = 1_000;
/** So many lines are written in one turn. */
const compactionBatch = 200;

/**
 * A file that only grows, a line of JSON for each change. A writer is answered when its lines have
 * reached the disk, so a process killed at any moment loses nothing that was confirmed. A last line that
 * was cut short is left out when the file is read.
 */
export class JournalFile {
  readonly #path: string;
  readonly #content: () => JournalContent;
  #file: FileHandle;
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  #lineCount: number;

  private constructor(
    path: string,
    file: FileHandle,
    lineCount: number,
    content: () => JournalContent,
  ) {
    this.#path = path;
    this.#file = file;
    this.#lineCount = lineCount;
    this.#content = content;
  }

  /**
   * Reads the file, if it is there, and goes on at its end. The directory is made if need be.
   *
   * @param take - called with each line
   * @param content - what is kept, asked for when the file is written anew
   */
  static async open(
    directory: string,
    name: string,
    take: (line: unknown) => void,
    content: () => JournalContent,
  ): Promise<JournalFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, name);
    const isThere = existsSync(path);
    const { count, validBytes } = isThere ? readLines(path, take) : { count: 0, validBytes: 0 };
    const file = await open(path, isThere ? 'r+' : 'w+', 0o600);
    await file.truncate(validBytes);
    await file.close();
    return new JournalFile(path, await open(path, 'a', 0o600), count, content);
  }

  append(line: object): void {
    this.#pending.push(`${JSON.stringify(line)}\n`);
  }

  /** Resolves when all that was appended so far is on disk. Writers at the same time share one sync. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) {
      await this.#writing;
    }
    if (this.#pending.length === 0) {
      return;
    }
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }

  async #write(): Promise<void> {
    const lines = this.#pending;
    this.#pending = [];
    try {
      await this.#file.appendFile(lines.join(''));
      await this.#file.datasync();
    } catch (error) {
      throw new GatewayError('WG_GATEWAY_STORAGE', 'the journal cannot be written', {
        cause: error,
      });
    }
    this.#lineCount += lines.length;
    const { count } = this.#content();
    if (this.#lineCount > Math.max(compactionMinimum, count * compactionFactor)) {
      await this.#compact();
    }
  }

  /** Writes what is stored into a new file and puts it in the old one's place. */
  async #compact(): Promise<void> {
    const next = `${this.#path}.next`;
    const file = await open(next, 'w', 0o600);
    let count = 0;
    let lines: string[] = [];
    for (const line of this.#content().lines()) {
      lines.push(`${JSON.stringify(line)}\n`);
      count += 1;
      if (lines.length === compactionBatch) {
        await file.appendFile(lines.join(''));
        lines = [];
      }
    }
    await file.appendFile(lines.join(''));
    // What came meanwhile is stored already, and harmless to read twice.
    await file.datasync();
    await file.close();
    await rename(next, this.#path);
    syncDirectory(dirname(this.#path));
    const old = this.#file;
    this.#file = await open(this.#path, 'a', 0o600);
    await old.close();
    this.#lineCount = count;
    await rm(next, { force: true });
  }
}

function readLines(
  path: string,
  take: (line: unknown) => void,
): { readonly count: number; readonly validBytes: number } {
  const bytes = readFileSync(path);
  let count = 0;
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    let line: unknown;
    try {
      line = JSON.parse(bytes.toString('utf8', start, end));
    } catch (error) {
      throw new GatewayError(
        'WG_GATEWAY_STORAGE',
        `${path} is damaged at byte ${start}; move it away to start empty`,
        { cause: error },
      );
    }
    take(line);
    count += 1;
    start = end + 1;
  }
  return { count, validBytes: start };
}

/** Makes a rename last through a power cut. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
