import { type KubeClient, mapEvents, type RawWatchEvent } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import type { ListerWatcherScope } from './client-lister-watcher.ts';
import { LazyObject } from './lazy-object.ts';
import type { ListerWatcher, WatchedEvent } from './lister-watcher.ts';

/**
 * As `listerWatcherOf`, for a cache that keeps objects as bytes and parses what is read.
 *
 * ```ts
 * const pods = new SharedInformer({
 *   listerWatcher: bytesListerWatcherOf(client, kinds.Pod),
 *   access: lazyObjectAccess,
 * });
 * ```
 */
export function bytesListerWatcherOf<T extends KubeObject>(
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  kind: Kind<T>,
  scope: ListerWatcherScope = {},
): ListerWatcher<LazyObject<T>> {
  const resource = client.resource(kind);
  const { omitManagedFields = false, ...selection } = scope;
  const copyOf = (bytes: Buffer) => LazyObject.copyOf(bytes, kind, omitManagedFields);
  return {
    async list(options, signal) {
      const items: LazyObject<T>[] = [];
      const result = await resource.listBytes(
        { ...options, ...selection },
        (bytes) => items.push(copyOf(bytes)),
        { signal },
      );
      return { ...result, items };
    },
    async watch(options, signal) {
      const events = await resource.watchBytes({ ...options, ...selection }, { signal });
      return mapEvents(events, (event) => lazyEvent(event, kind, copyOf));
    },
    whenReachable: (signal) => client.whenReachable(signal),
  };
}

function lazyEvent<T extends KubeObject>(
  event: RawWatchEvent,
  kind: Kind<T>,
  copyOf: (bytes: Buffer) => LazyObject<T>,
): WatchedEvent<LazyObject<T>> {
  if (event.type === 'ERROR') return event;
  if (event.type === 'BOOKMARK')
    return { type: event.type, object: LazyObject.bookmark(event.bytes, kind) };
  return { type: event.type, object: copyOf(event.bytes) };
}
