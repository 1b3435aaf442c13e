import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isForbidden, isNoMatch, isNotFound, isUnauthorized, KubeError } from '@waygate/kube';
import type { ListenerKeyPair } from '@waygate/runtime';
import { listenOn, pageRefusal } from '@waygate/text';
import { DashboardError } from '../dashboard-error.ts';
import { answerError, answerJson, securityHeaders } from '../http/http-answer.ts';
import { isSameSecret, type KnownSession } from '../sign-in/sessions.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { type ApiCall, type ApiHandler, findHandler } from './api-call.ts';
import { StaticFiles } from './static-files.ts';

export interface DashboardServerOptions {
  /** Loopback unless told otherwise. */
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port?: number | undefined;
  /** Names that people know the server by, beside its address: a Host that is none of them is refused. */
  readonly names?: readonly string[] | undefined;
  /** False where a proxy or TLS tells names apart. */
  readonly isNameChecked?: boolean | undefined;
  readonly tls?: ListenerKeyPair | undefined;
  /** The ways in; the first that knows somebody counts. */
  readonly signIns: readonly SignIn[];
  readonly api: ReadonlyMap<string, ApiHandler>;
  readonly pageDirectory: string;
  readonly onError: (error: unknown) => void;
}

/** A question is short, and so is its way here. */
const requestTimeoutMs = 15_000;

/** Serves the page and what it asks for. */
export class DashboardServer {
  readonly #options: DashboardServerOptions;
  readonly #files: StaticFiles;
  readonly #closing = new AbortController();
  #server: Server | TlsServer | undefined;

  constructor(options: DashboardServerOptions) {
    this.#options = options;
    this.#files = new StaticFiles(options.pageDirectory);
  }

  get address(): AddressInfo | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address : undefined;
  }

  async listen(): Promise<AddressInfo> {
    const { host = '127.0.0.1', port = 0, tls } = this.#options;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#options.onError(error);
        response.destroy();
      });
    };
    const server =
      tls === undefined
        ? createServer(onRequest)
        : createTlsServer({ ...tls, minVersion: 'TLSv1.2' }, onRequest);
    server.requestTimeout = requestTimeoutMs;
    server.headersTimeout = requestTimeoutMs;
    await listenOn(server, { host, port });
    this.#server = server;
    return this.address!;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const server = this.#server;
    if (server === undefined) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (cause) {
      const error = dashboardError(cause);
      if (error.code === 'WG_DASHBOARD_INTERNAL' && !response.destroyed)
        this.#options.onError(cause);
      if (response.headersSent) response.destroy();
      else await answerError(request, response, error, this.#choices(error));
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = parseTarget(request.url);
    this.#checkPage(request, url);
    for (const signIn of this.#options.signIns)
      if (await signIn.answer(request, response, url)) return;
    if (!url.pathname.startsWith('/api/')) {
      if (request.method === 'GET' || request.method === 'HEAD')
        this.#files.answer(request, response, url.pathname === '/' ? '/index.html' : url.pathname);
      else response.writeHead(405, { ...securityHeaders, Allow: 'GET, HEAD' }).end();
      return;
    }
    await this.#answerApi(request, response, url);
  }

  async #answerApi(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const found = findHandler(this.#options.api, request.method ?? '', url.pathname);
    if (found === undefined)
      throw new DashboardError('WG_DASHBOARD_NOT_FOUND', `there is no ${url.pathname} here`);
    const session = await this.#sessionOf(request);
    if (session === undefined)
      throw new DashboardError(
        'WG_DASHBOARD_UNAUTHENTICATED',
        'nobody is signed in: open the address that was printed at the start, or sign in',
      );
    if (request.method !== 'GET') checkToken(request, session);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const call: ApiCall = {
      request,
      response,
      url,
      session,
      parts: found.parts,
      signal: AbortSignal.any([this.#closing.signal, gone.signal]),
      isSignedIn: async () => (await this.#sessionOf(request))?.person.key === session.person.key,
    };
    const body = await found.handler(call);
    if (body !== undefined) await answerJson(request, response, 200, body);
  }

  async #sessionOf(request: IncomingMessage): Promise<KnownSession | undefined> {
    for (const signIn of this.#options.signIns) {
      const session = await signIn.find(request);
      if (session !== undefined) return session;
    }
    return undefined;
  }

  /** A page of another origin is turned away; following a link to a page of ours is nobody's attack. */
  #checkPage(request: IncomingMessage, url: URL): void {
    const { host = '127.0.0.1', names, isNameChecked } = this.#options;
    const { headers } = request;
    const isLink =
      request.method === 'GET' &&
      headers['sec-fetch-mode'] === 'navigate' &&
      headers['sec-fetch-dest'] === 'document' &&
      (!url.pathname.startsWith('/api/') || url.pathname.startsWith('/api/sign-in/'));
    const looked = isLink ? { ...headers, 'sec-fetch-site': 'none' } : headers;
    const refusal = pageRefusal(looked, { host, names, isNameChecked });
    if (refusal !== undefined)
      throw new DashboardError('WG_DASHBOARD_FORBIDDEN', `refused: ${refusal}`);
  }

  #choices({ code }: DashboardError): Readonly<Record<string, unknown>> {
    if (code !== 'WG_DASHBOARD_UNAUTHENTICATED') return {};
    return { signIn: Object.assign({}, ...this.#options.signIns.map(({ choices }) => choices)) };
  }
}

/** What changes something must have been asked for by our own page, which alone can read the token. */
function checkToken({ headers }: IncomingMessage, { csrfToken }: KnownSession): void {
  const given = headers['x-waygate-csrf'];
  if (typeof given === 'string' && isSameSecret(given, csrfToken)) return;
  throw new DashboardError(
    'WG_DASHBOARD_BAD_REQUEST',
    'the request has no valid x-waygate-csrf token: reload the page',
  );
}

function parseTarget(target: string | undefined): URL {
  try {
    return new URL(target ?? '/', 'http://dashboard');
  } catch (cause) {
    throw new DashboardError('WG_DASHBOARD_BAD_REQUEST', 'the address is no address', { cause });
  }
}

/** Errors of the API become those of the dashboard; what is neither is a bug, whose words are for the log alone. */
function dashboardError(error: unknown): DashboardError {
  if (error instanceof DashboardError) return error;
  if (!(error instanceof KubeError))
    return new DashboardError(
      'WG_DASHBOARD_INTERNAL',
      'this could not be answered: the log of the dashboard says why',
      { cause: error },
    );
  const { message } = error;
  const options = { cause: error };
  if (isUnauthorized(error))
    return new DashboardError('WG_DASHBOARD_UNAUTHENTICATED', message, options);
  if (isForbidden(error)) return new DashboardError('WG_DASHBOARD_FORBIDDEN', message, options);
  if (isNotFound(error) || isNoMatch(error))
    return new DashboardError('WG_DASHBOARD_NOT_FOUND', message, options);
  return new DashboardError('WG_DASHBOARD_UPSTREAM', message, options);
}
