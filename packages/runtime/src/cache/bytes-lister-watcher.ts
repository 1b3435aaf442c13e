import { type KubeClient, mapEvents } from '@waygate/kube';
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
  const { omitManagedFields = false, ...selection } = scope;
  return scannedListerWatcherOf(client, kind, selection, (bytes, isBookmark) =>
    isBookmark
      ? LazyObject.bookmark(bytes, kind)
      : LazyObject.copyOf(bytes, kind, omitManagedFields),
  );
}

/**
 * As `listerWatcherOf`, for a cache that keeps of an object what it reads from its bytes. These are
 * valid only while they are read; a bookmark has a version and annotations, and no name.
 *
 * ```ts
 * const names = scannedListerWatcherOf(client, kinds.Pod, {}, (bytes) => scanItemMetadata(bytes).name);
 * ```
 */
export function scannedListerWatcherOf<T extends KubeObject, Scanned>(
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  kind: Kind<T>,
  scope: Omit<ListerWatcherScope, 'omitManagedFields'>,
  read: (bytes: Buffer, isBookmark: boolean) => Scanned,
): ListerWatcher<Scanned> {
  const resource = client.resource(kind);
  return {
    async list(options, signal) {
      const items: Scanned[] = [];
      const result = await resource.listBytes(
        { ...options, ...scope },
        (bytes) => items.push(read(bytes, false)),
        { signal },
      );
      return { ...result, items };
    },
    async watch(options, signal) {
      const events = await resource.watchBytes({ ...options, ...scope }, { signal });
      return mapEvents(events, (event): WatchedEvent<Scanned> => {
        if (event.type === 'ERROR') return event;
        return { type: event.type, object: read(event.bytes, event.type === 'BOOKMARK') };
      });
    },
    whenReachable: (signal) => client.whenReachable(signal),
  };
}
