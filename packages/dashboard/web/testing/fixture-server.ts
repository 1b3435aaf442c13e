import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from '../../src/protocol/pages.ts';
import type { DashboardRefusal } from '../../src/protocol/requests.ts';
import type { Topic } from '../../src/protocol/stream.ts';
import { World } from './world.ts';

/** What the fixture answers to what is no topic: a path below `/api/` and the body that was sent. */
export type Answers = (path: string, query: URLSearchParams, body: unknown) => unknown;

const webRoot = fileURLToPath(new URL('../../dist/web', import.meta.url));
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const topics: readonly string[] = ['flow', 'routes', 'traffic', 'changes', 'problems'];

export const fixtureSession: Session = {
  user: 'ada@example.com',
  csrfToken: 'csrf-of-the-fixture',
  cluster: 'shop-production',
  version: '0.1.0',
  hasMigration: true,
};

/** Serves the built page and plays the protocol: whole, empty, failing, refusing or gone, as a test wishes. */
export class FixtureServer {
  world = new World();
  answers: Answers = () => undefined;
  /** Paths below `/api/` that fail, and how. */
  readonly failures = new Map<
    string,
    { readonly status: number; readonly refusal: DashboardRefusal }
  >();
  /** Every POST that came. */
  readonly posted: { readonly path: string; readonly body: unknown; readonly csrf: string }[] = [];
  /** Nobody is signed in until this token is given. */
  token: string | undefined;
  /** Takes connections and ends them at once, as long as it is set. */
  isDown = false;
  /** Takes questions and answers none, as long as it is set. */
  isSilent = false;
  readonly #server: Server = createServer(
    (request, response) => void this.#serve(request, response),
  );
  readonly #streams = new Set<ServerResponse>();
  #isSignedIn = false;

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** As it was at first, for another scene at the same address. */
  clear(): void {
    this.world = new World();
    this.answers = () => undefined;
    this.failures.clear();
    this.posted.length = 0;
    this.token = undefined;
    this.isSilent = false;
    this.#isSignedIn = false;
    this.cut();
  }

  /** Ends every open stream in the middle. */
  cut(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fixture');
    if (this.isDown && url.pathname.startsWith('/api/')) {
      request.socket.destroy();
      return;
    }
    if (!url.pathname.startsWith('/api/')) return sendFile(response, url.pathname);
    if (this.isSilent) return;
    const path = url.pathname.slice('/api/'.length);
    const body = request.method === 'POST' ? await readBody(request) : undefined;
    if (request.method === 'POST')
      this.posted.push({ path, body, csrf: String(request.headers['x-waygate-csrf'] ?? '') });
    const failure = this.failures.get(path);
    if (failure) return sendJson(response, failure.status, failure.refusal);
    if (path === 'sign-in') return this.#signIn(response, body);
    if (this.token !== undefined && !this.#isSignedIn) return sendJson(response, 401, signedOut);
    if (path === 'session') return sendJson(response, 200, fixtureSession);
    if (path === 'stream') return this.#stream(request, response, url.searchParams);
    if (topics.includes(path)) return sendJson(response, 200, this.world.snapshot(path as Topic));
    const answer = this.answers(path, url.searchParams, body);
    if (answer === undefined) return sendJson(response, 404, notFound);
    sendJson(response, 200, answer);
  }

  #signIn(response: ServerResponse, body: unknown): void {
    this.#isSignedIn = (body as { readonly token?: unknown }).token === this.token;
    if (this.#isSignedIn) response.writeHead(204).end();
    else sendJson(response, 401, unknownToken);
  }

  #stream(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': alive\n\n');
    const since = String(request.headers['last-event-id'] ?? query.get('since'));
    const wanted = (query.get('topics') ?? '').split(',') as Topic[];
    const leave = this.world.follow(wanted, since, (id, message) => {
      response.write(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
    });
    this.#streams.add(response);
    response.on('close', () => {
      this.#streams.delete(response);
      leave();
    });
  }
}

const signedOut: DashboardRefusal = {
  error: { code: 'WG_DASHBOARD_UNAUTHENTICATED', message: 'Nobody is signed in.' },
  signIn: { token: true, oidc: '/api/sign-in/oidc' },
};
const unknownToken: DashboardRefusal = {
  error: { code: 'WG_DASHBOARD_UNAUTHENTICATED', message: 'The cluster does not know this token.' },
};
const notFound: DashboardRefusal = {
  error: {
    code: 'WG_DASHBOARD_NOT_FOUND',
    message: 'There is no such thing, or you may not see it.',
    hint: 'It may have been deleted since the link was made.',
  },
};

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A file of the build, or the page itself for every address of its own. */
function sendFile(response: ServerResponse, path: string): void {
  const asked = join(webRoot, normalize(path));
  const isFile = extname(asked) !== '' && asked.startsWith(webRoot) && existsSync(asked);
  const file = isFile ? asked : join(webRoot, 'index.html');
  response
    .writeHead(200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': policy,
      // A file of the build has its content's hash in its name.
      'cache-control': isFile ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    .end(readFileSync(file));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}
