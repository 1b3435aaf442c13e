import type { FieldErrors, JsonObject, StoredEntity } from '@waygate/kong';

/** What a declared entity became. */
export interface CheckedEntity {
  readonly value: JsonObject;
  readonly errors: FieldErrors | undefined;
  /** The form in which it is kept; made when the whole document was found to be good. */
  stored?: StoredEntity;
}

interface Remembered {
  readonly text: string;
  readonly checked: CheckedEntity;
}

/**
 * What the last document's entities became, so that the next document costs only what it changed: an
 * entity that is written as before is not checked again, and is kept as the same object.
 */
export class CheckedEntities {
  readonly #before: ReadonlyMap<string, Remembered>;
  readonly #now = new Map<string, Remembered>();
  readonly #isTransformed: boolean;

  /** @param isTransformed - whether secrets are hashed on the way in: what was kept in the other way is of no use */
  constructor(before: CheckedEntities | undefined, isTransformed: boolean) {
    this.#isTransformed = isTransformed;
    const isOfUse = before !== undefined && before.#isTransformed === isTransformed;
    this.#before = isOfUse ? before.#now : new Map();
  }

  /** @param check - for an entity that was not there, or was written in another way */
  check(collection: string, input: JsonObject, check: () => CheckedEntity): CheckedEntity {
    const key = `${collection} ${String(input.id)}`;
    const text = JSON.stringify(input);
    const known = this.#before.get(key);
    const checked = known?.text === text ? known.checked : check();
    if (checked.errors === undefined) this.#now.set(key, { text, checked });
    return checked;
  }
}
