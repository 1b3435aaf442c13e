import type { Deleted } from './deleted-final-state-unknown.ts';

/** A change of one object. `Replaced` comes from a list, `Sync` from a resync. */
export type ObjectDelta<T> =
  | { readonly type: 'Added' | 'Updated' | 'Replaced' | 'Sync'; readonly object: T }
  | { readonly type: 'Deleted'; readonly object: Deleted<T> };

/** A change of the whole store at once, or only of its resourceVersion. */
export type StoreDelta<T> =
  | {
      readonly type: 'ReplacedAll';
      readonly resourceVersion: string;
      readonly objects: readonly T[];
    }
  | { readonly type: 'SyncAll' }
  | { readonly type: 'Bookmark'; readonly resourceVersion: string };

/** Any change that a FIFO hands out. */
export type Delta<T> = ObjectDelta<T> | StoreDelta<T>;

/** Changes an object before anything sees it, e.g. to drop what nobody reads. It may run twice. */
export type Transform<T> = (object: T) => T;

export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type !== 'ReplacedAll' && delta.type !== 'SyncAll' && delta.type !== 'Bookmark';
}
