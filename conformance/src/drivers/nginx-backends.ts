import { createHash } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import {
  createServer as createHttp2,
  createSecureServer,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttps } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcp,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { FastCgiRequest } from './nginx-fastcgi.ts';

/** A request as a backend got it. */
export type BackendEntry = Record<string, unknown> & { readonly server: string };

/** Reads a certificate or key that the recordings carry. */
export type ReadCertificate = (name: string) => string;

interface Closable {
  close(): void;
}

/**
 * The servers that stand behind the gateway in the recordings. What any of them gets is noted in
 * {@link received}, in the order of arrival.
 */
export class NginxBackends {
  readonly received: BackendEntry[] = [];
  readonly ports: Record<string, number> = {};
  readonly #sockets = new Set<Socket>();
  readonly #servers: Closable[] = [];
  readonly #certificate: ReadCertificate;

  constructor(certificate: ReadCertificate) {
    this.#certificate = certificate;
  }

  async start(): Promise<void> {
    const pair = { key: this.#certificate('backend.key'), cert: this.#certificate('backend.crt') };
    const ca = this.#certificate('ca.crt');
    for (const name of ['a', 'b', 'c', 'd', 'mirror', 'vip'])
      await this.#listen(name, createServer(this.#echo(name)).on('upgrade', this.#upgrade(name)));
    await this.#listen('fail', createServer(this.#noting('fail', failing)));
    await this.#listen('auth', createServer(this.#noting('auth', authenticating)));
    await this.#listen('errpage', createServer(this.#noting('errpage', errorPage)));
    await this.#listen('tls', createHttps(pair, this.#echo('tls')));
    await this.#listen('viptls', createHttps(pair, this.#echo('viptls')));
    const asking = { ...pair, ca, requestCert: true, rejectUnauthorized: false };
    await this.#listen('mtls', createHttps(asking, this.#echo('mtls')));
    await this.#listen(
      'h2c',
      createHttp2().on('stream', this.#grpc('h2c')) as unknown as TcpServer,
    );
    const secure = createSecureServer(pair).on('stream', this.#grpc('grpcs'));
    await this.#listen('grpcs', secure as unknown as TcpServer);
    await this.#listen(
      'fcgi',
      createTcp((socket) => this.#fastCgi(socket)),
    );
    await this.#listen(
      'dead',
      createTcp((socket) => this.#die(socket)),
    );
    await this.#listen(
      'tcp',
      createTcp((socket) => this.#echoStream(socket)),
    );
    await this.#listenUdp();
    this.ports.refused = await this.#holdClosed();
  }

  stop(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(name: string, server: TcpServer | Server): Promise<void> {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#servers.push(server);
    this.ports[name] = (server.address() as AddressInfo).port;
  }

  async #listenUdp(): Promise<void> {
    const socket: UdpSocket = createSocket('udp4');
    socket.on('message', (message, from) => {
      this.received.push({ server: 'udp', data: message.toString() });
      socket.send(Buffer.concat([Buffer.from('udp:'), message]), from.port, from.address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    this.#servers.push(socket);
    this.ports.udp = socket.address().port;
  }

  #noting(server: string, answer: RequestListener): RequestListener {
    return (request, response) => {
      this.#note(server, request).then(
        () => answer(request, response),
        () => request.destroy(),
      );
    };
  }

  async #note(server: string, request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    const read = (async () => {
      for await (const chunk of request) chunks.push(chunk as Buffer);
      return false;
    })();
    // A mirror may be told of a body that never comes.
    const isCut = server === 'mirror' ? await Promise.race([read, after(200)]) : await read;
    const body = Buffer.concat(chunks);
    const entry: BackendEntry = {
      server,
      method: request.method,
      path: request.url,
      httpVersion: request.httpVersion,
      headers: headersOf(request.rawHeaders),
      ...(isCut && { bodyMissing: true }),
      ...(body.length > 0 && { bodySize: body.length }),
      ...(body.length > 0 && body.length <= 200 && { body: body.toString('latin1') }),
    };
    const socket = request.socket as TLSSocket;
    if (socket.encrypted) entry.tls = { sni: socketName(socket) };
    this.received.push(entry);
  }

  /** Answers as the request's header `x-echo` says, or else with what was asked. */
  #echo(server: string): RequestListener {
    return this.#noting(server, (request, response) => {
      void answerEcho(server, request, response);
    });
  }

  #upgrade(server: string) {
    return (request: IncomingMessage, socket: Duplex) => {
      this.received.push({
        server,
        method: request.method,
        path: request.url,
        headers: headersOf(request.rawHeaders),
        upgrade: true,
      });
      const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.on('data', (data) => socket.write(data));
      socket.on('error', () => socket.destroy());
    };
  }

  #grpc(server: string) {
    return (stream: ServerHttp2Stream, headers: Record<string, unknown>) => {
      const named = Object.entries(headers).filter(([name]) => typeof name === 'string');
      this.received.push({
        server,
        method: headers[':method'],
        path: headers[':path'],
        httpVersion: '2.0',
        headers: Object.fromEntries(named),
      });
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => undefined);
      stream.on('end', () => {
        stream.respond(
          { ':status': 200, 'content-type': 'application/grpc' },
          { waitForTrailers: true },
        );
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(Buffer.concat(chunks));
      });
    };
  }

  #fastCgi(socket: Socket): void {
    const request = new FastCgiRequest((params, answer) => {
      const { REQUEST_METHOD: method, REQUEST_URI: path } = params;
      this.received.push({ server: 'fcgi', method, path, params, headers: {} });
      socket.end(answer);
    });
    socket.on('data', (data) => request.take(data));
  }

  #die(socket: Socket): void {
    this.received.push({ server: 'dead' });
    socket.destroy();
  }

  /** A port where nobody listens, nor can while this runs: it is the near end of a connection. */
  async #holdClosed(): Promise<number> {
    const socket = connect(this.ports.tcp ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    this.#sockets.add(socket);
    return socket.localPort ?? 0;
  }

  #echoStream(socket: Socket): void {
    socket.on('data', (data) => {
      this.received.push({ server: 'tcp', data: data.toString('latin1') });
      socket.write(Buffer.concat([Buffer.from('tcp:'), data]));
    });
  }
}

/** How an echo is to be: what the header `x-echo` may say. */
interface Echo {
  readonly only?: string;
  readonly drop?: boolean;
  readonly delay?: number;
  readonly parts?: readonly string[];
  readonly interval?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly size?: number;
}

async function answerEcho(
  server: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const wish = echoOf(request);
  const how = wish.only === undefined || wish.only === server ? wish : {};
  if (how.drop) {
    request.socket.destroy();
    return;
  }
  if (how.delay !== undefined) await after(how.delay);
  const status = how.status ?? 200;
  if (how.parts !== undefined) {
    response.writeHead(status, { 'content-type': 'text/plain' });
    for (const part of how.parts) {
      response.write(part);
      await after(how.interval ?? 300);
    }
    response.end();
    return;
  }
  const headers = { 'content-type': 'text/plain', ...how.headers };
  const text = how.body ?? `${server} ${request.method} ${request.url}\n`;
  const body = how.size === undefined ? text : 'x'.repeat(how.size);
  if (status === 204 || status === 304) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

function echoOf(request: IncomingMessage): Echo {
  try {
    return JSON.parse(String(request.headers['x-echo'] ?? '{}')) as Echo;
  } catch {
    return {};
  }
}

function failing(request: IncomingMessage, response: ServerResponse): void {
  const code = Number(request.headers['x-fail'] ?? 503);
  response.writeHead(code, { 'content-type': 'text/plain' }).end(`fail ${code}\n`);
}

function errorPage(request: IncomingMessage, response: ServerResponse): void {
  const code = Number(request.headers['x-code'] ?? 404);
  const body = `error page for ${request.headers['x-code'] ?? 'no code'}\n`;
  const length = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body) };
  response.writeHead(code >= 200 && code < 600 ? code : 404, length).end(body);
}

/** The authentication service of the recordings: its path says how it answers. */
function authenticating(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const { status, headers = {}, body = `auth ${status}\n` } = verdict(path, request.headers);
  const length = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...length, ...headers }).end(body);
}

interface Verdict {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

function verdict(path: string, asked: IncomingMessage['headers']): Verdict {
  const user = { 'x-auth-user': 'alice' };
  if (path.startsWith('/ok'))
    return { status: 200, headers: { ...user, 'x-auth-email': 'alice@case.test' } };
  if (path.startsWith('/202')) return { status: 202, headers: user };
  if (path.startsWith('/204')) return { status: 204, headers: user, body: '' };
  if (path.startsWith('/cookie'))
    return { status: 200, headers: { 'set-cookie': ['auth1=one; Path=/', 'auth2=two; Path=/'] } };
  if (path.startsWith('/token') && asked['x-token'] === 'good')
    return { status: 200, headers: { 'x-auth-user': 'tok' } };
  if (path.startsWith('/token')) {
    const cookie = 'nope=1; Path=/';
    const challenge = 'Bearer realm="case"';
    const reason = { 'x-auth-reason': 'token' };
    return {
      status: 401,
      headers: { 'www-authenticate': challenge, 'set-cookie': cookie, ...reason },
    };
  }
  const status = Number(/^\/status\/(\d+)/.exec(path)?.[1] ?? 404);
  return { status, headers: status === 302 ? { location: 'https://login.test/' } : {} };
}

/** Names in lower case; what comes several times is a list. */
export function headersOf(raw: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

function socketName(socket: TLSSocket): string | null {
  const name = (socket as TLSSocket & { servername?: string | false }).servername;
  return name || null;
}

function after(ms: number): Promise<true> {
  return new Promise((resolve) => setTimeout(resolve, ms, true));
}
