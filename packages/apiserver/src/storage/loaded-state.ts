import type { StoreContent, StoreMark } from '@waygate/text';
import type { JournalCapture, JournalRecord, JournalState, StoredRecord } from './journal.ts';
import { decodeRecord, type LogRecord } from './journal-record.ts';

/** What is read from disk at the start, change by change. */
export class LoadedState implements StoreContent {
  #objects = new Map<string, StoredRecord>();
  #history: JournalRecord[] = [];
  #resourceVersion = 0;
  #compacted = 0;

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  get size(): number {
    return this.#objects.size;
  }

  begin(mark: StoreMark): void {
    this.#objects = new Map();
    this.#resourceVersion = mark.resourceVersion ?? 0;
  }

  state(payload: Buffer): void {
    const read = decodeRecord(payload);
    if (read.kind === 'write') this.#objects.set(keyOf(read.record), read.record);
  }

  since(mark: StoreMark): void {
    this.#history = [];
    this.#compacted = Math.max(mark.compacted ?? 0, mark.resourceVersion ?? 0);
  }

  past(payload: Buffer): void {
    this.#remember(decodeRecord(payload));
  }

  change(payload: Buffer): void {
    const read = decodeRecord(payload);
    this.#remember(read);
    if (read.kind !== 'write') return;
    const { type, resourceVersion } = read.record;
    this.#resourceVersion = Math.max(this.#resourceVersion, resourceVersion);
    if (type === 'DELETED') this.#objects.delete(keyOf(read.record));
    else this.#objects.set(keyOf(read.record), read.record);
  }

  /** Hands everything over; nothing is kept here. */
  take(): JournalState {
    const state = { ...this.capture(), history: this.#history };
    this.#objects = new Map();
    this.#history = [];
    return state;
  }

  capture(): JournalCapture {
    return {
      resourceVersion: Math.max(this.#resourceVersion, this.#compacted),
      compactedResourceVersion: this.#compacted,
      objects: [...this.#objects.values()],
    };
  }

  #remember(read: LogRecord): void {
    if (read.kind === 'write') {
      this.#history.push(read.record);
      return;
    }
    const { compacted } = read;
    this.#compacted = Math.max(this.#compacted, compacted);
    this.#history = this.#history.filter((record) => record.resourceVersion > compacted);
  }
}

function keyOf({ collection, namespace, name }: StoredRecord): string {
  return `${collection}\n${namespace}\n${name}`;
}
