import { type Deleted, lastKnownState } from './deleted-final-state-unknown.ts';

/**
 * What wants to know of changes. Calls come one at a time, in order; a call that returns a promise
 * is waited for before the next. Objects are shared with the cache: never change one.
 */
export interface ResourceEventHandler<T> {
  onAdd?(object: T, isInInitialList: boolean): void | Promise<void>;
  /** Also called with an unchanged object, on resync. */
  onUpdate?(oldObject: T, newObject: T): void | Promise<void>;
  /** With a tombstone when the deletion itself was missed. */
  onDelete?(deleted: Deleted<T>): void | Promise<void>;
}

/**
 * Passes on only objects for which the filter holds. An update that crosses the filter is an add, or
 * a delete of the old object.
 *
 * ```ts
 * const inShop = filteringResourceEventHandler<Pod>((pod) => pod.metadata.namespace === 'shop', {
 *   onAdd: (pod) => console.log('came', pod.metadata.name),
 *   onDelete: () => console.log('went, or is no longer of the shop'),
 * });
 * createInformer(client, kinds.Pod).addEventHandler(inShop);
 * ```
 */
export function filteringResourceEventHandler<T>(
  filter: (object: T) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  return {
    onAdd(object, isInInitialList) {
      return filter(object) ? handler.onAdd?.(object, isInInitialList) : undefined;
    },
    onUpdate(oldObject, newObject) {
      const wasIn = filter(oldObject);
      const isIn = filter(newObject);
      if (isIn && wasIn) return handler.onUpdate?.(oldObject, newObject);
      if (isIn) return handler.onAdd?.(newObject, false);
      return wasIn ? handler.onDelete?.(oldObject) : undefined;
    },
    onDelete(deleted) {
      const object = lastKnownState(deleted);
      return object !== undefined && filter(object) ? handler.onDelete?.(deleted) : undefined;
    },
  };
}
