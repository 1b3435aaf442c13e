import type { Readable } from 'node:stream';
import type { KubeObject } from '@waygate/schema';
import { KubeError } from '../error.ts';
import type { CallOptions, WatchOptions } from '../list-options.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { queryString } from '../transport/resource-path.ts';
import type { Transport } from '../transport/transport.ts';
import type { WatchEvent } from '../watch-event.ts';
import type { WatchStream } from './event-stream.ts';
import { decodeWatch, decodeWatchBytes, type RawWatchEvent } from './watch-decoder.ts';

/** How one watch is called. */
export interface WatchCallOptions extends CallOptions {
  /**
   * Silence after which the connection counts as dead. Default 150 s when bookmarks are asked for,
   * which come about every minute, else 10 minutes.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** The longest line that is taken. Default 64 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Cuts `metadata.managedFields` out before parsing. */
  readonly omitManagedFields?: boolean | undefined;
}

/** What the server's own time limit is overrun by before the watch counts as dead. */
const overdueAfterMs = 30_000;

/** Opens a watch; resolves when the server has accepted it. */
export async function watchCall<T extends KubeObject>(
  transport: Transport,
  path: string,
  accept: string,
  options: WatchOptions,
  call: WatchCallOptions,
): Promise<WatchStream<WatchEvent<T>>> {
  return decodeWatch<T>(await openWatch(transport, path, accept, options, call), call);
}

export async function watchBytesCall(
  transport: Transport,
  path: string,
  accept: string,
  options: WatchOptions,
  call: WatchCallOptions,
): Promise<WatchStream<RawWatchEvent>> {
  return decodeWatchBytes(await openWatch(transport, path, accept, options, call), call);
}

async function openWatch(
  transport: Transport,
  path: string,
  accept: string,
  options: WatchOptions,
  call: WatchCallOptions,
): Promise<AsyncIterable<Buffer>> {
  const query = queryString({
    watch: true,
    labelSelector: options.labelSelector || undefined,
    fieldSelector: options.fieldSelector || undefined,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    allowWatchBookmarks: options.allowWatchBookmarks,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  });
  const request: ApiRequest = {
    method: 'GET',
    path: `${path}${query}`,
    headers: { accept },
    signal: call.signal,
    isStream: true,
    isWatch: true,
  };
  const response = await transport.send(request);
  const idleMs = call.idleTimeoutMs ?? (options.allowWatchBookmarks === true ? 150_000 : 600_000);
  const overdueMs =
    options.timeoutSeconds === undefined
      ? undefined
      : options.timeoutSeconds * 1000 + overdueAfterMs;
  return watchedChunks(transport, request, response.body, idleMs, overdueMs);
}

/**
 * The chunks of a body, and an end to waiting for one. The clock runs only while we wait: a slow
 * consumer pushes back on the socket, and its own slowness is no sign of a dead server.
 */
async function* watchedChunks(
  transport: Transport,
  request: ApiRequest,
  body: Readable,
  idleMs: number,
  overdueMs: number | undefined,
): AsyncGenerator<Buffer, void, void> {
  const dies = (reason: string) =>
    body.destroy(
      new KubeError('WG_KUBE_CONNECTION', `the watch ${reason}; the connection counts as dead`, {
        cause: Object.assign(new Error(reason), { code: 'ETIMEDOUT' }),
      }),
    );
  const deadline =
    overdueMs === undefined
      ? undefined
      : setTimeout(() => dies('was not closed in its time'), overdueMs).unref();
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let isWaiting = false;
  const silence = setTimeout(() => {
    if (isWaiting) dies(`was silent for ${idleMs} ms`);
  }, idleMs).unref();
  try {
    for (;;) {
      isWaiting = true;
      silence.refresh();
      const next = await iterator.next();
      isWaiting = false;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    if (request.signal?.aborted === true) return;
    throw transport.wrap(error, request);
  } finally {
    clearTimeout(deadline);
    clearTimeout(silence);
    body.on('error', () => {}).destroy();
  }
}
