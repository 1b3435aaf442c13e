import {
  environmentProxy,
  explainNetworkError,
  HttpClient,
  type HttpRequest,
  type HttpResponse,
  type HttpTls,
  readBody as readWhole,
  type Send,
  TextError,
} from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';

interface OutgoingClientOptions {
  readonly tls?: HttpTls | undefined;
  /** For all that is asked. Without one, the environment says what goes through which. */
  readonly proxy?: URL | undefined;
}

/** A request that somebody can give up. */
export interface OutgoingRequest extends HttpRequest {
  readonly signal: AbortSignal;
}

/** Nobody answered. The message starts with what was asked. */
export class UnreachableError extends GitOpsError {
  /** Whether the connection was cut: another try may go well. */
  readonly isCut: boolean;

  constructor({ method = 'GET', origin, path }: HttpRequest, cause: unknown) {
    const verb = method.charAt(0) + method.slice(1).toLowerCase();
    const why = explainNetworkError(cause);
    // Signatures in queries are no one's business.
    super('WG_GITOPS_HTTP', `${verb} "${origin}${path.split('?', 1)[0]}": ${why}`, { cause });
    this.isCut = why === 'EOF';
  }
}

/**
 * Asks servers that tenants name: with their certificates, through their proxy, and without going
 * anywhere else by itself. Redirects are the caller's business, as are limits on what is read and, by
 * the signal, on the time that it takes.
 *
 * ```ts
 * const outgoing = new OutgoingClient({ proxy: new URL('http://proxy.test:3128') });
 * try {
 *   const { statusCode } = await outgoing.send({ origin: 'https://git.test', path: '/info', signal });
 * } finally {
 *   outgoing.close();
 * }
 * ```
 */
export class OutgoingClient {
  readonly #client: HttpClient;
  /** @throws UnreachableError when there was no answer */
  readonly send: Send<OutgoingRequest>;

  constructor({ tls, proxy }: OutgoingClientOptions = {}) {
    this.#client = new HttpClient({
      tls,
      proxyFor: (server) => proxy ?? environmentProxy(server, process.env),
      connectTimeoutMs: 30_000,
      idleTimeoutMs: 0,
    });
    this.send = explained(this.#client.send);
  }

  close(): void {
    this.#client.close();
  }
}

function explained(send: Send): Send<OutgoingRequest> {
  return async (request) => {
    const { signal } = request;
    signal.throwIfAborted();
    try {
      return await send(request);
    } catch (error) {
      if (signal.aborted && !isTimeout(signal.reason)) signal.throwIfAborted();
      throw new UnreachableError(request, error);
    }
  };
}

/** All of a body, if it is not too long. */
export async function readBody(
  response: Pick<HttpResponse, 'body'>,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  try {
    return await readWhole(response, maxBytes);
  } catch (error) {
    const isLong = error instanceof TextError && error.code === 'WG_TEXT_SIZE';
    const why = isLong
      ? `is larger than ${maxBytes} bytes`
      : `cannot be read: ${explainNetworkError(error)}`;
    throw new GitOpsError('WG_GITOPS_HTTP', `${what} ${why}`, { cause: error });
  }
}

/** What was asked, without names of people, passwords and signatures in queries. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
