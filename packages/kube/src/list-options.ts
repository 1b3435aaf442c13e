export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WatchOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** One page of a list. `continue` is empty on the last one. */
export interface ListPage<T> {
  readonly resourceVersion: string;
  readonly continue: string;
  readonly remainingItemCount?: number | undefined;
  readonly items: T[];
}
