import type { CollectionName, StoredEntity } from '@waygate/kong';
import type { EntityDifference } from '../configuration/entity-difference.ts';
import { toUpdate } from '../configuration/entity-difference.ts';
import type { StoreSource } from '../configuration/store-source.ts';
import { JournalFile } from './journal-file.ts';

/** One line of the journal: an entity as it is after a change, or without `entity` that it is gone. */
interface Line {
  readonly collection: CollectionName;
  readonly id: string;
  readonly entity?: StoredEntity;
}

/** Keeps the entities of a database on disk. */
export class EntityJournal {
  readonly #file: JournalFile;

  private constructor(file: JournalFile) {
    this.#file = file;
  }

  /** Fills the store with what the journal holds. The directory is made if it is not there. */
  static async open(directory: string, source: StoreSource): Promise<EntityJournal> {
    const entities = new Map<string, Line>();
    const take = (value: unknown) => {
      const line = value as Line;
      const key = `${line.collection} ${line.id}`;
      entities.delete(key);
      if (line.entity !== undefined) {
        entities.set(key, line);
      }
    };
    const file = await JournalFile.open(directory, 'entities.journal', take, () => ({
      count: source.store.count(),
      lines: () => source.everything(),
    }));
    for (const { collection, entity } of entities.values()) {
      if (entity !== undefined) {
        source.store.restore(collection, entity);
      }
    }
    return new EntityJournal(file);
  }

  append(difference: EntityDifference): void {
    this.#file.append(toUpdate(difference));
  }

  /** Resolves when all that was appended so far is on disk. */
  flush(): Promise<void> {
    return this.#file.flush();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
