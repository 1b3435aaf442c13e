/** What is listed, and at which version. */
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

/** What is watched, and from which version on. */
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

/** What a page of a list says of itself. `continue` is empty on the last one. */
export interface ListResult {
  /** `v1` and `PodList`, or what the server chose to send. */
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly resourceVersion: string;
  readonly continue: string;
  readonly remainingItemCount?: number | undefined;
}

/** One page of a list. */
export interface ListPage<T> extends ListResult {
  readonly items: T[];
}

/** What goes with any call. */
export interface CallOptions {
  /** Ends the call, also while it waits for a retry, and a watch or stream that came of it. */
  readonly signal?: AbortSignal | undefined;
  /** For the whole call, retries and body included; not for watches and streams. */
  readonly timeoutMs?: number | undefined;
}
