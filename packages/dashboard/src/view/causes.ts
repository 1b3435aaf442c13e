import type { ShownObject } from '../protocol/reference.ts';
import { objectKey } from './object-key.ts';

/** What made objects change: a Kustomization that applied a revision. */
export interface Cause {
  readonly subject: ShownObject | undefined;
  readonly source: ShownObject | undefined;
  readonly revision: string;
}

/** How long before or after an apply the gateway takes what came of it. */
const nearMs = 30_000;

/**
 * Which apply a change of the gateway came of: the latest that changed the entity's object, if it was near in
 * time. Either may be told first: who applies tells at the end, and the gateway may have been quicker.
 */
export class Causes {
  /** By the object's key, oldest first. */
  readonly #applied = new Map<string, { readonly cause: Cause; readonly at: number }>();

  /** An apply changed these. */
  note(cause: Cause, objects: Iterable<ShownObject>, at: number): void {
    for (const [key, known] of this.#applied) {
      if (isNear(known.at, at)) break;
      this.#applied.delete(key);
    }
    for (const object of objects) {
      const key = objectKey(object);
      this.#applied.delete(key);
      this.#applied.set(key, { cause, at });
    }
  }

  /** By the object's key, what made these change; nothing for those that no apply changed lately. */
  of(objects: Iterable<ShownObject>, at: number): ReadonlyMap<string, Cause> {
    const found = new Map<string, Cause>();
    for (const object of objects) {
      const key = objectKey(object);
      const applied = this.#applied.get(key);
      if (applied !== undefined && isNear(applied.at, at)) found.set(key, applied.cause);
    }
    return found;
  }
}

/** Whether two times are near enough that one may be why of the other. */
export function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= nearMs;
}
