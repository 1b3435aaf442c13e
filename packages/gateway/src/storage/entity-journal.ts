import { closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectionName, JsonObject, StoredEntity } from '@waygate/kong';
import type { EntityDifference } from '../configuration/entity-difference.ts';
import type { StoreSource } from '../configuration/store-source.ts';
import { GatewayError } from '../gateway-error.ts';

/** One line of the journal: an entity as it is after a change, or without `entity` that it is gone. */
interface Line {
  readonly collection: CollectionName;
  readonly id: string;
  readonly entity?: StoredEntity;
}

const fileName = 'entities.journal';
/** The journal is written anew when it has grown this much beyond what is stored. */
const compactionFactor = 4;
const compactionMinimum = 1_000;
/** So many entities are written in one turn. */
const compactionBatch = 200;

/**
 * Keeps the entities of a database on disk: each change is a line in a file that only grows, and a
 * writer is answered when its lines have reached the disk, so a process killed at any moment loses
 * nothing that was confirmed. A last line that was cut short is left out when the file is read.
 */
export class EntityJournal {
  readonly #directory: string;
  readonly #source: StoreSource;
  #file: FileHandle;
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  #lineCount: number;

  private constructor(directory: string, source: StoreSource, file: FileHandle, lineCount: number) {
    this.#directory = directory;
    this.#source = source;
    this.#file = file;
    this.#lineCount = lineCount;
  }

  /** Fills the store with what the journal holds. The directory is made if it is not there. */
  static async open(directory: string, source: StoreSource): Promise<EntityJournal> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, fileName);
    const { lines, validBytes } = existsSync(path) ? readLines(path) : { lines: [], validBytes: 0 };
    const entities = new Map<string, Line>();
    for (const line of lines) {
      const key = `${line.collection} ${line.id}`;
      entities.delete(key);
      if (line.entity !== undefined) {
        entities.set(key, line);
      }
    }
    for (const { collection, entity } of entities.values()) {
      if (entity !== undefined) {
        source.store.restore(collection, entity);
      }
    }
    const file = await open(path, existsSync(path) ? 'r+' : 'w+', 0o600);
    await file.truncate(validBytes);
    await file.close();
    return new EntityJournal(directory, source, await open(path, 'a', 0o600), lines.length);
  }

  append(difference: EntityDifference): void {
    this.#pending.push(lineOf(difference.collection, difference.id, difference.after));
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
    const stored = this.#source.store.count();
    if (this.#lineCount > Math.max(compactionMinimum, stored * compactionFactor)) {
      await this.#compact();
    }
  }

  /** Writes what is stored into a new file and puts it in the old one's place. */
  async #compact(): Promise<void> {
    const path = join(this.#directory, fileName);
    const next = `${path}.next`;
    const file = await open(next, 'w', 0o600);
    let count = 0;
    let lines: string[] = [];
    for (const [collection, entity] of this.#source.store.entries()) {
      lines.push(lineOf(collection, entity.id, entity));
      count += 1;
      if (lines.length === compactionBatch) {
        await file.appendFile(lines.join(''));
        lines = [];
      }
    }
    await file.appendFile(lines.join(''));
    // What came meanwhile is in the store already, and harmless to read twice.
    await file.datasync();
    await file.close();
    await rename(next, path);
    syncDirectory(this.#directory);
    const old = this.#file;
    this.#file = await open(path, 'a', 0o600);
    await old.close();
    this.#lineCount = count;
    await rm(next, { force: true });
  }
}

function lineOf(collection: string, id: string, entity: JsonObject | undefined): string {
  return `${JSON.stringify({ collection, id, ...(entity === undefined ? {} : { entity }) })}\n`;
}

function readLines(path: string): { lines: Line[]; validBytes: number } {
  const bytes = readFileSync(path);
  const lines: Line[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    try {
      lines.push(JSON.parse(bytes.toString('utf8', start, end)) as Line);
    } catch (error) {
      throw new GatewayError(
        'WG_GATEWAY_STORAGE',
        `${path} is damaged at byte ${start}; move it away to start empty`,
        { cause: error },
      );
    }
    start = end + 1;
  }
  return { lines, validBytes: start };
}

/** Makes a rename last through a power cut. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
