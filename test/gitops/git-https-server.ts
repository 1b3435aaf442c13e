import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server as PlainServer,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificates } from '../real/certificates.ts';

export interface GitHttpsServerOptions {
  /** The directory that repositories lie in. */
  readonly root: string;
  /** Without them it speaks http. */
  readonly certificates?: Certificates;
  readonly username: string;
  readonly password: string;
}

/** The real `git http-backend` behind TLS, for those who know a name and a password, or the password as a token. */
export class GitHttpsServer implements AsyncDisposable {
  /** The Authorization header of every request, in order. */
  readonly seen: (string | undefined)[] = [];
  /** How often objects were asked for; to look at references does not count. */
  fetches = 0;
  /** Where requests are sent instead of being answered. */
  redirectTo: string | undefined;
  /** Whether everyone is answered, so that a client comes to its later requests. */
  isOpen = false;
  private readonly options: GitHttpsServerOptions;
  private readonly server: Server | PlainServer;

  private constructor(options: GitHttpsServerOptions) {
    this.options = options;
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      this.answer(request, response);
    const { cert, key } = options.certificates?.server ?? {};
    this.server =
      cert === undefined || key === undefined
        ? createPlainServer(answer)
        : createServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer);
  }

  static async start(options: GitHttpsServerOptions): Promise<GitHttpsServer> {
    const started = new GitHttpsServer(options);
    started.server.listen(0, '127.0.0.1');
    await once(started.server, 'listening');
    return started;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return this.options.certificates === undefined
      ? `http://127.0.0.1:${port}`
      : `https://localhost:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { username, password } = this.options;
    const { authorization } = request.headers;
    this.seen.push(authorization);
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const isKnown = authorization === `Basic ${basic}` || authorization === `Bearer ${password}`;
    if (!this.isOpen && !isKnown) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('who are you?\n');
      return;
    }
    if (this.redirectTo !== undefined) {
      response.writeHead(302, { location: `${this.redirectTo}${request.url}` }).end();
      return;
    }
    let hasCommand = false;
    request.on('data', (chunk: Buffer) => {
      if (hasCommand || !chunk.includes('command=fetch')) return;
      hasCommand = true;
      this.fetches += 1;
    });
    this.runBackend(request, response);
  }

  private runBackend(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const { headers } = request;
    const child = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: this.options.root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_USER: this.options.username,
        CONTENT_TYPE: headers['content-type'] ?? '',
        CONTENT_LENGTH: headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        HTTP_GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      },
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      const lines = all.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
      const pairs = lines.map((line) => line.split(/: */, 2) as [string, string]);
      const given = Object.fromEntries(pairs.filter(([name]) => name !== ''));
      const status = end < 0 ? 500 : Number.parseInt(given.Status ?? '200', 10);
      delete given.Status;
      response.writeHead(status, given).end(all.subarray(end + 4));
    });
  }
}
