import { mkdirSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
import type { Journal, JournalRecord, JournalState } from './journal.ts';

/**
 * The journal on disk. Each write is one transaction that puts the object, its history
 * record and (implicitly, by key) the resourceVersion, so a crash leaves all of it or nothing.
 *
 * Keys: `['o', collection, namespace, name]` and `['h', resourceVersion]`, and
 * `['compacted']`. A value is a JSON header line, a newline, and the object's tail.
 */
export class LmdbJournal implements Journal {
  readonly #database: RootDatabase<Buffer, Key>;
  #compacted = 0;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#database = open<Buffer, Key>({
      path: directory,
      encoding: 'binary',
      keyEncoding: 'ordered-binary',
      // Several tables in one file are not needed, and a fixed map would cap the data.
      maxDbs: 1,
      compression: false,
    });
  }

  load(): JournalState {
    const objects: Omit<JournalRecord, 'type'>[] = [];
    let resourceVersion = 0;
    for (const { value } of this.#database.getRange({ start: ['o'], end: ['p'] })) {
      const record = decode(value);
      objects.push(record);
    }
    const history: JournalRecord[] = [];
    for (const { value } of this.#database.getRange({ start: ['h'], end: ['i'] })) {
      const record = decode(value);
      history.push(record);
      resourceVersion = Math.max(resourceVersion, record.resourceVersion);
    }
    const compacted = this.#database.get(['compacted']);
    this.#compacted = compacted === undefined ? 0 : Number(compacted.toString('utf8'));
    return {
      resourceVersion: Math.max(resourceVersion, this.#compacted),
      compactedResourceVersion: this.#compacted,
      objects,
      history,
    };
  }

  append(record: JournalRecord): Promise<void> {
    const value = encode(record);
    const objectKey: Key = ['o', record.collection, record.namespace, record.name];
    return this.#database
      .batch(() => {
        this.#database.put(['h', record.resourceVersion], value);
        if (record.type === 'DELETED') this.#database.remove(objectKey);
        else this.#database.put(objectKey, value);
      })
      .then(() => undefined);
  }

  compact(resourceVersion: number): void {
    if (resourceVersion <= this.#compacted) return;
    const keys = [...this.#database.getKeys({ start: ['h'], end: ['h', resourceVersion + 1] })];
    this.#compacted = resourceVersion;
    void this.#database.batch(() => {
      for (const key of keys) this.#database.remove(key);
      this.#database.put(['compacted'], Buffer.from(String(resourceVersion)));
    });
  }

  async close(): Promise<void> {
    await this.#database.flushed;
    await this.#database.close();
  }
}

type Key = (string | number)[];

function encode(record: JournalRecord): Buffer {
  const { tail, ...header } = record;
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), tail]);
}

function decode(value: Buffer): JournalRecord {
  const end = value.indexOf(10);
  const header = JSON.parse(value.toString('utf8', 0, end)) as Omit<JournalRecord, 'tail'>;
  // A copy: the buffer that a cursor hands out is reused.
  return { ...header, tail: Buffer.from(value.subarray(end + 1)) };
}
