import type { CollectionName, StoredEntity } from '@waygate/kong';
import type { StorageError } from '@waygate/text';
import type { EntityDifference, EntityUpdate } from '../configuration/entity-difference.ts';
import { toUpdate } from '../configuration/entity-difference.ts';
import type { StoreSource } from '../configuration/store-source.ts';
import { RecordJournal } from './record-journal.ts';

/** Keeps the entities of a database on disk. */
export class EntityJournal {
  readonly #journal: RecordJournal<EntityUpdate>;

  private constructor(journal: RecordJournal<EntityUpdate>) {
    this.#journal = journal;
  }

  /** Fills the store with what the journal holds. */
  static async open(
    directory: string,
    source: StoreSource,
    log?: (line: string) => void,
  ): Promise<EntityJournal> {
    const entities = new Map<string, EntityUpdate>();
    const take = (line: EntityUpdate) => {
      const key = `${line.collection} ${line.id}`;
      entities.delete(key);
      if (line.entity !== undefined) entities.set(key, line);
    };
    const journal = await RecordJournal.open<EntityUpdate>({
      directory,
      name: 'entities',
      take,
      lines: () => source.everything(),
      ...(log === undefined ? {} : { log }),
    });
    for (const { collection, entity } of entities.values()) {
      source.store.restore(collection as CollectionName, entity as StoredEntity);
    }
    return new EntityJournal(journal);
  }

  get problem(): StorageError | undefined {
    return this.#journal.problem;
  }

  /** @param undo - called if the change cannot be kept, after the same for all changes since */
  append(difference: EntityDifference, undo: () => void): void {
    const line = toUpdate({ ...difference, after: difference.before });
    this.#journal.append(toUpdate(difference), { line, run: undo });
  }

  /**
   * Resolves when all that was appended so far is kept.
   *
   * @throws StorageError when it is not
   */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
