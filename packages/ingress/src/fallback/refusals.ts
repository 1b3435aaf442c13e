import { entryOf } from '../store/entry-of.ts';
import type { Problem } from '../translate/problem.ts';
import type { EntityKey } from './entity-key.ts';

/**
 * What gateways refused, in exactly this content. The same in another content is another matter: it
 * gets its chance. So does everything when a gateway may have become another one.
 */
export class Refusals {
  readonly #byKey = new Map<EntityKey, Map<string, readonly Problem[]>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Whether this was not known. */
  add(key: EntityKey, entity: object, problems: readonly Problem[]): boolean {
    const content = JSON.stringify(entity);
    const contents = entryOf(this.#byKey, key, () => new Map());
    const isNew = !contents.has(content);
    contents.set(content, problems);
    return isNew;
  }

  has(key: EntityKey, entity: object): boolean {
    const contents = this.#byKey.get(key);
    return contents?.has(JSON.stringify(entity)) ?? false;
  }

  problemsOf(key: EntityKey, entity: object): readonly Problem[] {
    return this.#byKey.get(key)?.get(JSON.stringify(entity)) ?? [];
  }

  /** Forgets refusals of what nobody asks for any more. */
  keepOnly(keys: ReadonlySet<EntityKey>): void {
    for (const key of this.#byKey.keys()) if (!keys.has(key)) this.#byKey.delete(key);
  }

  clear(): void {
    this.#byKey.clear();
  }
}
