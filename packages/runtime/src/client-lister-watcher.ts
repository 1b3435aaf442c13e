import type { KubeClient, WatchEvent } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import type { ListerWatcher, WatchedEvent } from './lister-watcher.ts';

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
  client: Pick<KubeClient, 'resource'>,
  kind: Kind<T>,
  scope: ListerWatcherScope = {},
): ListerWatcher<T> {
  const resource = client.resource(kind);
  const { omitManagedFields, ...selection } = scope;
  return {
    list: (options, signal) =>
      resource.list({ ...options, ...selection }, { signal, omitManagedFields }),
    async watch(options, signal) {
      const events = await resource.watch({ ...options, ...selection }, { signal });
      return omitManagedFields ? withoutManagedFields(events) : events;
    },
  };
}

async function* withoutManagedFields<T extends KubeObject>(
  events: AsyncIterable<WatchEvent<T>>,
): AsyncGenerator<WatchedEvent<T>> {
  for await (const event of events) {
    if (event.type !== 'ERROR') delete event.object.metadata.managedFields;
    yield event;
  }
}
