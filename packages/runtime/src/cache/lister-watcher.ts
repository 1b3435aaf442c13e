import type { ListOptions, ListPage, ListResult, WatchOptions } from '@waygate/kube';
import type { Status } from '@waygate/schema';

/** A watch event whose object may be kept as something else than parsed JSON. */
export type WatchedEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };

/** The events of a watch. */
export interface WatchedEvents<T> extends AsyncIterable<WatchedEvent<T>> {
  /** The next event if it is there already. Whoever has it spares a promise for each event. */
  poll?(): WatchedEvent<T> | undefined;
}

/**
 * The two calls that a cache needs of an API. Namespace and selectors are the implementation's own:
 * a reflector only ever sets versions, pages and time limits.
 */
export interface ListerWatcher<T> {
  list(options: ListOptions, signal: AbortSignal): Promise<ListPage<T>>;
  /**
   * As `list`, with each object handed over as it comes in, so that what a transform drops of it is
   * never held for a whole page. A reflector with a transform uses it where it is there.
   */
  listEach?(
    options: ListOptions,
    onItem: (item: T) => void,
    signal: AbortSignal,
  ): Promise<ListResult>;
  /**
   * Resolves once the API has accepted the watch. Aborting the signal ends the iteration, also while
   * it waits for an event; so does returning from it.
   */
  watch(options: WatchOptions, signal: AbortSignal): Promise<WatchedEvents<T>>;
  /**
   * Resolves to true once a server that did not answer does so again, to false when the signal
   * aborted first. A reflector that waits out a back-off cuts it short then.
   */
  whenReachable?(signal: AbortSignal): Promise<boolean>;
  /** False when lists cannot come as a watch. Else it is tried, and given up on an error. */
  readonly supportsWatchList?: boolean;
}
