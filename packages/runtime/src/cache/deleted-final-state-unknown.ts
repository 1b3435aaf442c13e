/**
 * Stands for an object whose deletion was missed: it was gone when the API was listed again.
 * `object` is the last state that was seen, which may be stale, or undefined.
 *
 * ```ts
 * new DeletedFinalStateUnknown<Pod>('shop/web', undefined).key; // 'shop/web'
 * ```
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly object: T | undefined;

  constructor(key: string, object: T | undefined) {
    this.key = key;
    this.object = object;
  }
}

/** What a delete handler is given: the last state, or a tombstone when the deletion itself was missed. */
export type Deleted<T> = T | DeletedFinalStateUnknown<T>;

/**
 * The last known state of a deleted object, whichever way its deletion was learnt.
 *
 * ```ts
 * createInformer(client, kinds.Pod).addEventHandler({
 *   onDelete: (deleted) => console.log(lastKnownState(deleted)?.metadata.name),
 * });
 * ```
 */
export function lastKnownState<T>(deleted: Deleted<T>): T | undefined {
  return deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
}
