import type { KubeObject } from '@waygate/schema';
import type { Sleep } from '@waygate/text';
import { KubeError } from '../error.ts';
import {
  errorFromStatus,
  isConnectionError,
  isExpiredOrGone,
  isInternalError,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
} from '../error-predicate.ts';
import type { WatchOptions } from '../list-options.ts';
import type { WatchEvent } from '../watch-event.ts';
import type { WatchCallOptions } from './watch-call.ts';

export type OpenWatch<T extends KubeObject> = (
  options: WatchOptions,
  call: WatchCallOptions,
) => Promise<AsyncIterable<WatchEvent<T>>>;

const firstWaitMs = 1000;
const longestWaitMs = 30_000;

/** An event that is not an error, and no bookmark: those only move the version on. */
export type ObjectEvent<T extends KubeObject> = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
};

/**
 * A watch that goes on where it was when the server ends it or the connection breaks off. It gives
 * up, by throwing, when the version is no longer there (`isExpiredOrGone`: list again) and on errors
 * that another try would not change.
 */
export async function* resumeWatch<T extends KubeObject>(
  open: OpenWatch<T>,
  options: WatchOptions & { readonly resourceVersion: string },
  call: WatchCallOptions,
  sleep: Sleep,
): AsyncGenerator<ObjectEvent<T>, void, void> {
  let { resourceVersion } = options;
  if (resourceVersion === '' || resourceVersion === '0') {
    throw new KubeError(
      'WG_KUBE_CONFIG',
      'a watch can go on only from a version: take that of a list',
    );
  }
  let waitMs = 0;
  for (;;) {
    try {
      if (waitMs > 0) await sleep(waitMs, call.signal);
      const asked = { ...options, resourceVersion, allowWatchBookmarks: true };
      for await (const event of await open(asked, call)) {
        if (event.type === 'ERROR') throw errorFromStatus(event.object);
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        waitMs = 0;
        if (event.type !== 'BOOKMARK') yield event as ObjectEvent<T>;
      }
    } catch (error) {
      if (call.signal?.aborted === true) return;
      if (!isWorthAnotherTry(error)) throw error;
    }
    if (call.signal?.aborted === true) return;
    // A server that accepts and ends at once must not be asked in a tight loop either.
    waitMs = Math.min(longestWaitMs, waitMs === 0 ? firstWaitMs : waitMs * 2);
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  if (isExpiredOrGone(error)) return false;
  return (
    isConnectionError(error) ||
    isTooManyRequests(error) ||
    isTimeout(error) ||
    isServiceUnavailable(error) ||
    isInternalError(error)
  );
}
