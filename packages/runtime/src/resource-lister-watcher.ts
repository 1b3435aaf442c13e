import type {
  ListOptions,
  ListPage,
  RawWatchEvent,
  Resource,
  WatchEvent,
  WatchOptions,
} from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { LazyObject } from './lazy-object.ts';
import type { ListerWatcher, WatchedEvent } from './lister-watcher.ts';

/** Which objects of a kind are cached, and how much of each. */
export interface CachedResourceOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Leaves out `metadata.managedFields` before anything is parsed: half the memory of a Pod. */
  readonly omitManagedFields?: boolean;
}

/** Lists and watches the objects of a kind through a client. */
export function listerWatcher<T extends KubeObject>(
  resource: Resource<T>,
  options: CachedResourceOptions = {},
): ListerWatcher<T> {
  const { omitManagedFields = false, ...scope } = options;
  return {
    list: (request, signal) =>
      resource.list({ ...request, ...scope }, { signal, omitManagedFields }),
    async watch(request, signal) {
      const events = await resource.watch({ ...request, ...scope }, { signal });
      return omitManagedFields ? withoutManagedFields(events) : events;
    },
  };
}

/** As `listerWatcher`, for a cache that keeps objects as bytes and parses what is read. */
export function bytesListerWatcher<T extends KubeObject>(
  resource: Resource<T>,
  options: CachedResourceOptions = {},
): ListerWatcher<LazyObject<T>> {
  const { omitManagedFields = false, ...scope } = options;
  const { kind } = resource;
  return {
    async list(request: ListOptions, signal: AbortSignal): Promise<ListPage<LazyObject<T>>> {
      const items: LazyObject<T>[] = [];
      const result = await resource.listBytes(
        { ...request, ...scope },
        (bytes) => items.push(LazyObject.copyOf(bytes, kind, omitManagedFields)),
        { signal },
      );
      return { ...result, items };
    },
    async watch(request: WatchOptions, signal: AbortSignal) {
      const events = await resource.watchBytes({ ...request, ...scope }, { signal });
      return lazyEvents(events, (bytes) => LazyObject.copyOf(bytes, kind, omitManagedFields), kind);
    },
  };
}

async function* withoutManagedFields<T extends KubeObject>(
  events: AsyncIterable<WatchEvent<T>>,
): AsyncGenerator<WatchEvent<T>> {
  for await (const event of events) {
    if (event.type !== 'ERROR') delete event.object.metadata.managedFields;
    yield event;
  }
}

async function* lazyEvents<T extends KubeObject>(
  events: AsyncIterable<RawWatchEvent>,
  copyOf: (bytes: Buffer) => LazyObject<T>,
  kind: Resource<T>['kind'],
): AsyncGenerator<WatchedEvent<LazyObject<T>>> {
  for await (const event of events) {
    if (event.type === 'ERROR') yield event;
    else if (event.type === 'BOOKMARK')
      yield { type: event.type, object: LazyObject.bookmark(event.bytes, kind) };
    else yield { type: event.type, object: copyOf(event.bytes) };
  }
}
