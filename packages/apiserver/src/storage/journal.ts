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

export interface JournalState {
  readonly resourceVersion: number;
  /** Events at or before it are gone from `history`. */
  readonly compactedResourceVersion: number;
  readonly objects: Iterable<Omit<JournalRecord, 'type'>>;
  /** Newest last. Enough to let a watch resume across a restart. */
  readonly history: Iterable<JournalRecord>;
}

/**
 * Where writes go to outlive the process. `append` resolves when the record is safe from a
 * kill of the process; records become safe in the order in which they were appended.
 */
export interface Journal {
  load(): JournalState;
  append(record: JournalRecord): Promise<void> | undefined;
  compact(resourceVersion: number): void;
  close(): Promise<void>;
}

/** Keeps nothing: the state lives as long as the process. */
export class MemoryJournal implements Journal {
  load(): JournalState {
    return { resourceVersion: 0, compactedResourceVersion: 0, objects: [], history: [] };
  }

  append(): undefined {
    return undefined;
  }

  compact(): void {}

  async close(): Promise<void> {}
}
