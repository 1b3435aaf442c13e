import type { ShownObject } from '../protocol/reference.ts';

/** What a person must be allowed to read to be shown something: `group/Kind/namespace`. */
export type Need = string;

/** To know of what no object of the cluster stands for, one must be allowed to read everything. */
export const everything: Need = '*';

/** What a person may read, as the API said it. */
export interface Rights {
  /** The same for all who may read the same: what is sent to them is made once. */
  readonly id: string;
  allows(need: Need): boolean;
}

/** An item, and who may see it. What of it needs more rights than the rest is cut off without them. */
export interface Guarded<T> {
  readonly item: T;
  readonly needs: readonly Need[];
  readonly parts?: readonly GuardedPart<T>[];
  /** Where that does not say enough: what is shown, in place of `needs` and `parts`. */
  readonly shown?: (rights: Rights) => T | undefined;
}

export interface GuardedPart<T> {
  readonly needs: readonly Need[];
  readonly without: (item: T) => T;
}

const interned = new Map<string, Need>();
const mostInterned = 100_000;

/** The right to read an object; without one, the right to read everything. */
export function needOf(object: Omit<ShownObject, 'version' | 'name'> | undefined): Need {
  if (object === undefined) return everything;
  const need = `${object.group}/${object.kind}/${object.namespace}`;
  const known = interned.get(need);
  if (known !== undefined) return known;
  // Namespaces come and go: the table must not grow with all that ever were.
  if (interned.size >= mostInterned) interned.clear();
  interned.set(need, need);
  return need;
}

/** The item as this person may see it; undefined when they may not know of it. */
export function shownTo<T>(guarded: Guarded<T> | undefined, rights: Rights): T | undefined {
  if (guarded === undefined) return undefined;
  if (guarded.shown !== undefined) return guarded.shown(rights);
  if (!guarded.needs.every((need) => rights.allows(need))) return undefined;
  let { item } = guarded;
  for (const { needs, without } of guarded.parts ?? [])
    if (!needs.every((need) => rights.allows(need))) item = without(item);
  return item;
}
