import { createSocket } from 'node:dgram';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { headersOf, type ReadCertificate } from './nginx-backends.ts';

/** A request of a recording. */
export interface NginxRequest {
  readonly kind?: string;
  readonly scheme?: string;
  readonly host: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly bodySize?: number;
  readonly chunked?: boolean;
  readonly from?: string;
  readonly sni?: string;
  readonly http2?: boolean;
  readonly clientCert?: string;
  readonly tls?: Readonly<Record<string, unknown>>;
  readonly jar?: boolean;
  readonly repeat?: number;
  readonly parallel?: boolean;
  readonly gap?: number;
  readonly wait?: number;
  readonly settle?: number;
  readonly port?: number;
  readonly data?: string;
  /** Of the Ingress whose status is looked at. */
  readonly namespace?: string;
  readonly name?: string;
  /** Of the metrics that are looked at. */
  readonly match?: string;
}

/** What came back. */
export interface NginxAnswer {
  readonly status?: number | null;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly data?: string | null;
  readonly tls?: { readonly serverCN?: string };
}

/** Where the gateway under test listens, by the ports of the recording. */
export interface GatewayPorts {
  readonly http: number;
  readonly https: number;
  /** Streams: the real port of a recorded one. */
  readonly streams: ReadonlyMap<number, number>;
}

const patienceMs = 20_000;

/** Sends requests as the recorder did. */
export class NginxClient {
  readonly #ports: GatewayPorts;
  readonly #certificate: ReadCertificate;
  readonly #jar = new Map<string, string>();

  constructor(ports: GatewayPorts, certificate: ReadCertificate) {
    this.#ports = ports;
    this.#certificate = certificate;
  }

  async send(request: NginxRequest): Promise<NginxAnswer> {
    const answer = await this.#sendOnce(request);
    if (request.jar === true) {
      for (const cookie of [answer.headers?.['set-cookie'] ?? []].flat()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (name !== undefined) this.#jar.set(name, value ?? '');
      }
    }
    return answer;
  }

  #sendOnce(request: NginxRequest): Promise<NginxAnswer> {
    if (request.kind === 'tcp') return this.#tcp(request);
    if (request.kind === 'udp') return this.#udp(request);
    if (request.kind === 'raw') return this.#raw(request);
    return request.http2 === true ? this.#http2(request) : this.#http1(request);
  }

  #http1(request: NginxRequest): Promise<NginxAnswer> {
    const isSecure = request.scheme === 'https';
    const body = bodyOf(request);
    const headers: Record<string, string | string[] | number> = {
      host: request.host,
      ...request.headers,
    };
    if (request.jar === true && this.#jar.size > 0)
      headers.cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ');
    if (body !== undefined && request.chunked !== true) headers['content-length'] = body.length;
    const options: RequestOptions = {
      host: '127.0.0.1',
      port: isSecure ? this.#ports.https : this.#ports.http,
      method: request.method ?? 'GET',
      path: request.path ?? '/',
      headers,
      localAddress: request.from ?? '127.0.0.1',
      agent: false,
      setHost: false,
      timeout: patienceMs,
      insecureHTTPParser: true,
      ...(isSecure && this.#tlsOptions(request)),
    };
    return new Promise((resolve) => {
      let serverName: string | undefined;
      const sent = (isSecure ? httpsRequest : httpRequest)(options);
      sent.on('socket', (socket) =>
        socket.on('secureConnect', () => {
          serverName = (socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined;
        }),
      );
      const tls = () => (isSecure && serverName ? { tls: { serverCN: serverName } } : {});
      sent.on('response', (response) => {
        void collect(response).then((text) =>
          resolve({ ...headOf(response), body: text, ...tls() }),
        );
      });
      sent.on('upgrade', (response, socket, head) => {
        let got = head.toString('latin1');
        const done = () => {
          socket.destroy();
          resolve({ ...headOf(response), body: got });
        };
        socket.on('data', (data) => {
          got += data.toString('latin1');
          if (got.length >= echoed.length) done();
        });
        socket.on('error', done);
        socket.on('close', done);
        socket.write(echoed);
      });
      sent.on('timeout', () => sent.destroy(new Error('client timeout')));
      sent.on('error', (error: NodeJS.ErrnoException) =>
        resolve({ error: error.code ?? error.message }),
      );
      if (body !== undefined && request.chunked === true) {
        for (let at = 0; at < body.length; at += 16_384) sent.write(body.subarray(at, at + 16_384));
        sent.end();
      } else {
        sent.end(body);
      }
    });
  }

  #tlsOptions(request: NginxRequest): object {
    const { clientCert } = request;
    return {
      servername: request.sni ?? nameOf(request.host),
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...request.tls,
      ...(clientCert !== undefined && {
        cert: this.#certificate(`${clientCert}.crt`),
        key: this.#certificate(`${clientCert}.key`),
      }),
    };
  }

  #http2(request: NginxRequest): Promise<NginxAnswer> {
    return new Promise((resolve) => {
      const session = connectHttp2(`https://127.0.0.1:${this.#ports.https}`, {
        rejectUnauthorized: false,
        servername: request.sni ?? nameOf(request.host),
      });
      const failed = (error: NodeJS.ErrnoException) => {
        resolve({ error: error.code ?? error.message });
        session.destroy();
      };
      session.on('error', failed);
      const stream = session.request({
        ':method': request.method ?? 'GET',
        ':path': request.path ?? '/',
        ':authority': request.host,
        ':scheme': 'https',
        ...request.headers,
      });
      let head: Record<string, unknown> = {};
      const chunks: Buffer[] = [];
      stream.on('response', (headers) => {
        head = headers;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', failed);
      stream.setTimeout(patienceMs, () => failed(new Error('client timeout')));
      stream.on('end', () => {
        const named = Object.entries(head).filter(([name]) => !name.startsWith(':'));
        resolve({
          status: Number(head[':status']),
          headers: Object.fromEntries(named) as Record<string, string | string[]>,
          body: Buffer.concat(chunks).toString('latin1'),
        });
        session.close();
      });
      stream.end(bodyOf(request));
    });
  }

  /** A request as bytes, for what an HTTP library would not send. */
  async #raw(request: NginxRequest): Promise<NginxAnswer> {
    const port = request.port === 443 ? this.#ports.https : this.#ports.http;
    const { data, error } = await exchangeBytes(port, request.data ?? '', request.wait ?? 1_500);
    if (error !== undefined) return { error };
    const [head = '', ...rest] = data.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const raw = lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const status = Number(first.split(' ')[1]) || null;
    return { status, headers: headersOf(raw), body: rest.join('\r\n\r\n') };
  }

  async #tcp(request: NginxRequest): Promise<NginxAnswer> {
    const port = this.#ports.streams.get(request.port ?? 0) ?? request.port ?? 0;
    const { data, error } = await exchangeBytes(port, request.data ?? '', request.wait ?? 500);
    return error === undefined ? { data } : { error };
  }

  #udp(request: NginxRequest): Promise<NginxAnswer> {
    const port = this.#ports.streams.get(request.port ?? 0) ?? request.port ?? 0;
    return new Promise((resolve) => {
      const socket = createSocket('udp4');
      const done = (data: string | null) => {
        clearTimeout(timer);
        socket.close();
        resolve({ data });
      };
      const timer = setTimeout(done, request.wait ?? 500, null);
      socket.on('message', (message) => done(message.toString()));
      socket.send(request.data ?? '', port, '127.0.0.1');
    });
  }
}

/** What is said over an upgraded connection. */
const echoed = 'ping-over-upgrade';

/** Sends bytes, and gives what came until the other side closed or nothing more came for a while. */
function exchangeBytes(
  port: number,
  data: string,
  waitMs: number,
): Promise<{ readonly data: string; readonly error?: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(data, 'latin1'));
    let got = '';
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ data: got });
    };
    const timer = setTimeout(done, waitMs);
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
    });
    socket.on('end', done);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ data: got, error: error.code ?? error.message });
    });
  });
}

function headOf(response: IncomingMessage): Pick<NginxAnswer, 'status' | 'headers'> {
  return { status: response.statusCode ?? null, headers: headersOf(response.rawHeaders) };
}

function collect(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks).toString('latin1'));
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', done);
    response.on('error', done);
    response.on('close', done);
  });
}

function bodyOf({ body, bodySize }: NginxRequest): Buffer | undefined {
  if (bodySize !== undefined) return Buffer.alloc(bodySize, 'x');
  return body === undefined ? undefined : Buffer.from(body);
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '');
}
