import type { StorageError } from '@waygate/text';

/** One write as it is kept: the whole new state of one key, or its removal. */
export interface JournalRecord {
  readonly resourceVersion: number;
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The object's JSON tail. For a removal: the last state, with the removal's resourceVersion. */
  readonly tail: Buffer;
  /** Of kinds that may be stored in several versions. */
  readonly storedVersion?: string;
}

export type StoredRecord = Omit<JournalRecord, 'type'>;

export interface JournalState {
  readonly resourceVersion: number;
  /** Events at or before it are gone from `history`. */
  readonly compactedResourceVersion: number;
  readonly objects: Iterable<StoredRecord>;
  /** Newest last. Enough to let a watch resume across a restart. */
  readonly history: Iterable<JournalRecord>;
}

/** Everything at one moment, for a snapshot. The objects are taken later, a few at a time. */
export type JournalCapture = Omit<JournalState, 'history'>;

/** Told once what became of a record: nothing if it is kept, else why not. */
export type Settle = (error?: StorageError) => void;

/**
 * Where writes go to outlive the process. A record is settled without an error when it is safe from a
 * kill of the process, in the order in which records were appended. One that cannot be kept is settled
 * with the error, and all that wait behind it with it, the last one first.
 */
export interface Journal {
  /** What an earlier process left. `capture` is what is to be summed up, whenever it is asked. */
  load(capture: () => JournalCapture): JournalState;
  append(record: JournalRecord, settle: Settle): void;
  /** The history up to this version must not come back after a restart. */
  compact(resourceVersion: number): void;
  /** Why nothing can be written at the moment, if so. */
  readonly problem: StorageError | undefined;
  close(): Promise<void>;
}

/** Keeps nothing: the state lives as long as the process. */
export class MemoryJournal implements Journal {
  readonly problem = undefined;

  load(): JournalState {
    return { resourceVersion: 0, compactedResourceVersion: 0, objects: [], history: [] };
  }

  append(_record: JournalRecord, settle: Settle): void {
    settle();
  }

  compact(): void {}

  async close(): Promise<void> {}
}
