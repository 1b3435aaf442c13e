import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { GitOpsError } from '../gitops-error.ts';
import { type Environment, environmentProxy } from './environment-proxy.ts';
import { explainNetworkError } from './network-error.ts';
import { basicAuthorization, ProxyTunnelAgent } from './proxy-tunnel.ts';
import type { TlsSettings } from './tls-secret.ts';

export interface OutgoingClientOptions {
  readonly tls?: TlsSettings | undefined;
  /** For all that is asked. Without one, the environment says what goes through which. */
  readonly proxy?: URL | undefined;
  readonly environment?: Environment | undefined;
}

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** An answer whose body has to be read or thrown away. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Nobody answered. The message starts with what was asked. */
export class UnreachableError extends GitOpsError {
  constructor(method: string, url: URL, cause: unknown) {
    const verb = method.charAt(0) + method.slice(1).toLowerCase();
    super('WG_GITOPS_HTTP', `${verb} "${shownUrl(url)}": ${explainNetworkError(cause)}`, { cause });
  }
}

const connections = { keepAlive: true, maxSockets: 16, timeout: 60_000 };

/**
 * Asks servers that tenants name: with their certificates, through their proxy, and without going
 * anywhere else by itself. Redirects are the caller's business, as are limits on what is read.
 */
export class OutgoingClient {
  private readonly options: OutgoingClientOptions;
  private readonly plain: PlainAgent;
  /** By the proxy that they go through; none is the empty text. */
  private readonly secure = new Map<string, SecureAgent>();

  constructor(options: OutgoingClientOptions = {}) {
    this.options = options;
    this.plain = new PlainAgent(connections);
  }

  /** @throws UnreachableError when there was no answer */
  async send(request: OutgoingRequest): Promise<OutgoingResponse> {
    const { method = 'GET', url, signal } = request;
    signal.throwIfAborted();
    try {
      return await this.exchange(request);
    } catch (error) {
      if (signal.aborted && !isTimeout(signal.reason)) signal.throwIfAborted();
      throw new UnreachableError(method, url, signal.aborted ? signal.reason : error);
    }
  }

  close(): void {
    this.plain.destroy();
    for (const agent of this.secure.values()) agent.destroy();
    this.secure.clear();
  }

  private proxyFor(url: URL): URL | undefined {
    const { proxy, environment = process.env } = this.options;
    return proxy ?? environmentProxy(url, environment);
  }

  private secureAgent(proxy: URL | undefined): SecureAgent {
    const name = proxy?.href ?? '';
    const known = this.secure.get(name);
    if (known !== undefined) return known;
    const { tls = {} } = this.options;
    const settings = {
      ...connections,
      ...(tls.ca === undefined ? {} : { ca: [...tls.ca] }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
      rejectUnauthorized: tls.isInsecure !== true,
    };
    const agent =
      proxy === undefined ? new SecureAgent(settings) : new ProxyTunnelAgent(proxy, settings);
    this.secure.set(name, agent);
    return agent;
  }

  private exchange({ method = 'GET', url, headers = {}, body, signal }: OutgoingRequest) {
    const isSecure = url.protocol === 'https:';
    const proxy = this.proxyFor(url);
    const options: RequestOptions = { method, headers: { ...headers }, signal };
    let target: URL = url;
    if (!isSecure && proxy !== undefined) {
      // A proxy is asked for a plain resource by its whole address.
      target = proxy;
      options.path = url.href;
      options.headers = { ...headers, host: url.host, ...proxyHeaders(proxy) };
    }
    return new Promise<OutgoingResponse>((resolve, reject) => {
      const request = isSecure
        ? secureRequest(target, { ...options, agent: this.secureAgent(proxy) })
        : plainRequest(target, { ...options, agent: this.plain });
      request.once('error', reject);
      request.once('response', (response) => {
        // An error after this shows where the body is read.
        request.on('error', () => undefined);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
      });
      request.end(body);
    });
  }
}

/** All of a body, if it is not too long. */
export async function readBody(
  { body }: Pick<OutgoingResponse, 'body'>,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) {
        throw new GitOpsError('WG_GITOPS_HTTP', `${what} is larger than ${maxBytes} bytes`);
      }
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    body.destroy();
    if (error instanceof GitOpsError) throw error;
    throw new GitOpsError(
      'WG_GITOPS_HTTP',
      `${what} cannot be read: ${explainNetworkError(error)}`,
      { cause: error },
    );
  }
  return Buffer.concat(chunks);
}

/** Lets the connection be used again, unless too much is still to come. */
export function discardBody({ body }: Pick<OutgoingResponse, 'body'>): void {
  if (Number(body.headers['content-length'] ?? 0) > 65_536) body.destroy();
  else body.resume();
}

/** Names of people, passwords and signatures in queries are no one's business. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  return { 'proxy-authorization': basicAuthorization(proxy) };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
