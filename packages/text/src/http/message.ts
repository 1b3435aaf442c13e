import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Headers by their names in lower case. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One request. Wrappers may add fields of their own. */
export interface HttpRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Scheme, host and port: `https://example.com:8443`. */
  readonly origin: string;
  /** With its query, byte for byte as it is sent. */
  readonly path: string;
  readonly headers?: HttpHeaders | undefined;
  /** Whole, so that it can be sent again. */
  readonly body?: string | Buffer | undefined;
  /** Holds until the body of the answer has ended. */
  readonly signal?: AbortSignal | undefined;
  /** Watches and followed logs: outside of the limit on connections, and silence is no fault. */
  readonly isStream?: boolean | undefined;
  /** Instead of those of the client. */
  readonly connectTimeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
}

/** An answer whose body has not been read yet. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Must be read to its end or destroyed, or the connection is not given back. */
  readonly body: Readable;
  /** The connection, when the request asked for another protocol (`upgrade`) and was given it. */
  readonly upgraded?: Upgraded | undefined;
}

/** What is no HTTP from here on; whoever has it closes it. */
export interface Upgraded {
  readonly socket: Socket;
  /** Bytes that came with the answer and belong to the other protocol. */
  readonly rest: Buffer;
}

/**
 * The seam that everything outgoing goes through: sends a request, gives its answer. A client is one
 * (`HttpClient.send`), and what is to happen on the way is a function from one to another: retries,
 * redirects, time limits, credentials, signatures, metrics.
 *
 * ```ts
 * const client = new HttpClient();
 * const send = withDeadline(retrying(client.send, { waitAfter: () => undefined }));
 * ```
 */
export type Send<R = HttpRequest> = (request: R) => Promise<HttpResponse>;

/**
 * Where a URL leads, as a request says it. A name and password in it are not sent.
 *
 * ```ts
 * targetOf(new URL('https://me:secret@a.example/b?c=d')); // { origin: 'https://a.example', path: '/b?c=d' }
 * ```
 */
export function targetOf(url: URL): Pick<HttpRequest, 'origin' | 'path'> {
  return { origin: url.origin, path: `${url.pathname}${url.search}` };
}

/**
 * A header as one text.
 *
 * ```ts
 * headerOf({ vary: ['a', 'b'] }, 'vary'); // 'a, b'
 * ```
 */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}
