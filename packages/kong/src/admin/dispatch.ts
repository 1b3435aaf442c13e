import type { Dispatcher } from 'undici';
import { KongError } from '../kong-error.ts';

export interface RawRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes; a longer answer is an error. */
  readonly largestAnswer: number;
  readonly signal?: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

function retryAfterOf(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const value = headers['retry-after'];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Sends one request and collects its answer. This is `request` of undici without its streams, which
 * cost more than all else when an answer is a few hundred bytes and there are ten thousand of them.
 */
export function dispatch(dispatcher: Dispatcher, request: RawRequest): Promise<RawAnswer> {
  const { largestAnswer, signal, body = null, ...rest } = request;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let retryAfter: string | undefined;
    let abort: (() => void) | undefined;
    const end = (): void => {
      if (abort !== undefined) signal?.removeEventListener('abort', abort);
    };
    dispatcher.dispatch(
      { ...rest, headers: rest.headers, body },
      {
        onRequestStart(controller) {
          if (signal === undefined) return;
          abort = () => controller.abort(new KongError('WG_KONG_ABORTED', 'cancelled'));
          if (signal.aborted) abort();
          else signal.addEventListener('abort', abort);
        },
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          retryAfter = retryAfterOf(headers);
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          if (size > largestAnswer) {
            const message = 'the answer of the Admin API is too large';
            controller.abort(new KongError('WG_KONG_ANSWER', message));
          } else chunks.push(chunk);
        },
        onResponseEnd() {
          end();
          resolve({ status, retryAfter, body: Buffer.concat(chunks) });
        },
        onResponseError(_controller, error) {
          end();
          reject(error);
        },
      },
    );
  });
}
