import type { KubeClient } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import type { ListerWatcher } from './lister-watcher.ts';

/** Which objects of a kind are cached. All of them, where nothing is said. */
export interface ListerWatcherScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Drops `metadata.managedFields`: half the memory of a typical object. */
  readonly omitManagedFields?: boolean;
}

/**
 * Lists and watches a kind through a client of the API.
 *
 * ```ts
 * const factory = new InformerFactory({ listerWatcherOf: (kind) => listerWatcherOf(client, kind) });
 * ```
 */
export function listerWatcherOf<T extends KubeObject>(
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  kind: Kind<T>,
  scope: ListerWatcherScope = {},
): ListerWatcher<T> {
  const resource = client.resource(kind);
  const { omitManagedFields, ...selection } = scope;
  return {
    list: (options, signal) =>
      resource.list({ ...options, ...selection }, { signal, omitManagedFields }),
    listEach: (options, onItem, signal) =>
      resource.listEach({ ...options, ...selection }, onItem, { signal, omitManagedFields }),
    watch: (options, signal) =>
      resource.watch({ ...options, ...selection }, { signal, omitManagedFields }),
    whenReachable: (signal) => client.whenReachable(signal),
  };
}
