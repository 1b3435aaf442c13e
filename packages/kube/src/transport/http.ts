import type { Readable } from 'node:stream';

/** Headers by their names in lower case. */
export type HttpHeaders = Record<string, string | string[] | undefined>;

/** One request, as the rooms of this package make it. `path` may carry a query. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: HttpHeaders | undefined;
  /** Whole, so that it can be sent again. */
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Watches and followed logs: their own connections, no limit on silence in the body. */
  readonly isStream?: boolean | undefined;
  /** A watch treats a cut before the first byte as worth another try, as a read is. */
  readonly isWatch?: boolean | undefined;
}

/** An answer whose body has not been read yet. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: HttpHeaders;
  /** Must be read to its end or destroyed, or the connection is not given back. */
  readonly body: Readable;
}

/** Sends one request once. Errors are the socket's own. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
