/** What has an initial state to wait for: an informer, or a handler's registration. */
export interface Syncable {
  waitForSync(signal?: AbortSignal): Promise<boolean>;
}

/** Waits until all have synced; false when the signal aborts, or one stops, before. */
export async function waitForCacheSync(
  signal: AbortSignal | undefined,
  ...syncables: readonly Syncable[]
): Promise<boolean> {
  const results = await Promise.all(syncables.map((one) => one.waitForSync(signal)));
  return results.every((hasSynced) => hasSynced);
}
