/** What has an initial state to wait for: an informer, or a handler's registration. */
export interface Syncable {
  waitForSync(signal?: AbortSignal): Promise<boolean>;
}

/**
 * Waits until all have synced; false when the signal aborts, or one stops, before.
 *
 * ```ts
 * const pods = createInformer(client, kinds.Pod);
 * const services = createInformer(client, kinds.Service);
 * void pods.run(signal);
 * void services.run(signal);
 * if (!(await waitForCacheSync(signal, pods, services))) throw new Error('stopped before it was there');
 * ```
 */
export async function waitForCacheSync(
  signal: AbortSignal | undefined,
  ...syncables: readonly Syncable[]
): Promise<boolean> {
  const results = await Promise.all(syncables.map((one) => one.waitForSync(signal)));
  return results.every((hasSynced) => hasSynced);
}
