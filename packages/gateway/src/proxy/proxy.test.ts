import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';

type Answer = (request: IncomingMessage, reply: import('node:http').ServerResponse) => void;

let backend: Server;
let answer: Answer;
let backendPort: number;
let served: number;
const gateways: Gateway[] = [];

beforeEach(async () => {
  served = 0;
  answer = (_request, reply) => reply.end('ok');
  backend = createServer((request, reply) => {
    served += 1;
    answer(request, reply);
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  backendPort = (backend.address() as AddressInfo).port;
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(options: Partial<GatewayOptions> = {}): Promise<number> {
  const config = {
    _format_version: '3.0',
    services: [
      {
        name: 's',
        host: '127.0.0.1',
        port: backendPort,
        read_timeout: 500,
        routes: [{ name: 'r', paths: ['/'] }],
      },
    ],
  };
  const gateway = new Gateway({
    config,
    proxy: [{ host: '127.0.0.1', port: 0 }],
    admin: false,
    ...options,
  });
  gateways.push(gateway);
  const { proxy } = await gateway.start();
  return proxy[0]?.port ?? 0;
}

/** Sends bytes as they are, and returns all that comes back until the connection is closed. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.setTimeout(3_000, () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('what could be read in two ways is refused', () => {
  const head = 'Host: a.test\r\n';
  test.each([
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `POST / HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length with a sign', `POST / HTTP/1.1\r\n${head}Content-Length: +1\r\n\r\na`],
    [
      'chunked, but not last',
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an unknown encoding',
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a folded header', `GET / HTTP/1.1\r\n${head}X-A: 1\r\n 2\r\n\r\n`],
    ['a space before the colon', `GET / HTTP/1.1\r\n${head}Content-Length : 3\r\n\r\nabc`],
    ['a bare carriage return', `GET / HTTP/1.1\r\n${head}X-A: 1\rX-B: 2\r\n\r\n`],
    [
      'a broken chunk size',
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    ],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${head}X-A: a\0b\r\n\r\n`],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a host with a slash', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a path above the root', `GET /../x HTTP/1.1\r\n${head}\r\n`],
    ['a lower-case method', `get / HTTP/1.1\r\n${head}\r\n`],
  ])('%s', async (_name, bytes) => {
    const port = await start();
    const text = await exchange(port, bytes.replace('\r\n', '\r\nConnection: close\r\n'));
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('headers that are too long', async () => {
    const port = await start();
    const text = await exchange(
      port,
      `GET / HTTP/1.1\r\n${head}X-A: ${'a'.repeat(40_000)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 494 /);
    expect(served).toBe(0);
  });
});

describe('a connection', () => {
  test('carries requests that are sent ahead, one after the other', async () => {
    answer = (request, reply) => {
      setTimeout(() => reply.end(`for ${request.url}`), request.url === '/1' ? 50 : 0);
    };
    const port = await start();
    const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const text = await exchange(port, one('/1') + one('/2') + one('/3', 'Connection: close\r\n'));
    expect(text.match(/for \/\d/g)).toEqual(['for /1', 'for /2', 'for /3']);
  });

  test('carries very many refused requests without running out of stack', async () => {
    const port = await start({ config: { _format_version: '3.0' } });
    const many = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3_000);
    const last = 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const text = await exchange(port, many + last);
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(3_001);
  });

  test('skips a body that nobody read, and goes on', async () => {
    const port = await start({ config: { _format_version: '3.0' } });
    const body = 'x'.repeat(200_000);
    const text = await exchange(
      port,
      `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        'GET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(2);
  });

  test('ends when a body was announced that nobody asked for', async () => {
    const port = await start({ config: { _format_version: '3.0' } });
    const text = await exchange(
      port,
      'POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n' +
        'GET /y HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    expect(text).toMatch(/Connection: close/);
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(1);
  });

  test('of HTTP/1.0 gets no chunks, and ends with its answer', async () => {
    answer = (_request, reply) => {
      reply.write('a');
      reply.end('b');
    };
    const port = await start();
    const text = await exchange(port, 'GET / HTTP/1.0\r\n\r\n');
    expect(text).toMatch(/Connection: close\r\n/);
    expect(text).not.toMatch(/chunked/i);
    expect(text).toMatch(/\r\n\r\nab$/);
  });

  test('that says no more still gets its answer', async () => {
    answer = (_request, reply) => {
      setTimeout(() => reply.end('late'), 50);
    };
    const port = await start();
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
        socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      );
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
      });
      socket.on('end', () => resolve(received));
    });
    expect(text).toMatch(/late$/);
  });
});

describe('the proxy', () => {
  test('passes on trailers of requests', async () => {
    answer = (request, reply) => {
      request.resume();
      request.on('end', () => reply.end(JSON.stringify(request.trailers)));
    };
    const port = await start();
    const text = await exchange(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n',
    );
    expect(text).toMatch(/\{"x-sum":"7"\}/);
  });

  test('sends a short body again when the upstream closed an idle connection', async () => {
    const bodies: string[] = [];
    let isFirst = true;
    answer = (request, reply) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        bodies.push(body);
        if (isFirst) {
          isFirst = false;
          request.socket.destroy();
        } else {
          reply.end('done');
        }
      });
    };
    const port = await start();
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'PUT', body: 'short' });
    expect(await response.text()).toBe('done');
    expect(bodies).toEqual(['short', 'short']);
  });

  test('keeps line ends out of headers, whatever plugins make of them', async () => {
    const port = await start({
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 's',
            host: '127.0.0.1',
            port: backendPort,
            routes: [{ name: 'r', paths: ['/'] }],
            plugins: [
              {
                name: 'response-transformer',
                config: { add: { headers: ['X-A:1\r\nX-Evil: 1', 'X-B:\u010d\u010aX-Evil: 2'] } },
              },
            ],
          },
        ],
      },
    });
    const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text).not.toMatch(/^X-Evil/m);
  });

  test('passes on a method that Node does not know', async () => {
    const port = await start();
    const text = await exchange(port, 'FOO /x HTTP/1.1\r\nHost: a.test\r\n\r\n');
    // The service behind is Node too, and does not know it: the answer is its own.
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('X-Kong-Upstream-Latency');
  });

  test('drops what belongs to one connection, and spoofed addresses', async () => {
    let headers: IncomingMessage['headers'] = {};
    answer = (request, reply) => {
      headers = request.headers;
      reply.setHeader('Keep-Alive', 'timeout=1').setHeader('X-Kept', '1').end();
    };
    const port = await start();
    const lines =
      'Connection: close, x-hop\r\nX-Hop: 1\r\nX-Forwarded-Proto: https\r\nX-Real-IP: 9.9.9.9\r\n';
    const text = await exchange(port, `GET / HTTP/1.1\r\nHost: a.test\r\n${lines}\r\n`);
    expect(headers['x-hop']).toBeUndefined();
    expect(headers['x-forwarded-proto']).toBe('http');
    expect(headers['x-real-ip']).toBe('127.0.0.1');
    expect(text).toContain('X-Kept: 1');
    expect(text).not.toContain('timeout=1');
  });

  test('believes a trusted proxy', async () => {
    let headers: IncomingMessage['headers'] = {};
    answer = (request, reply) => {
      headers = request.headers;
      reply.end();
    };
    const port = await start({ trustedIps: ['127.0.0.0/8'] });
    await fetch(`http://127.0.0.1:${port}/`, {
      headers: { 'X-Forwarded-Proto': 'https', 'X-Real-IP': '9.9.9.9', 'X-Forwarded-Port': '444' },
    });
    expect(headers).toMatchObject({
      'x-forwarded-proto': 'https',
      'x-real-ip': '9.9.9.9',
      'x-forwarded-port': '444',
    });
  });

  test('streams bodies both ways without holding them', async () => {
    answer = (request, reply) => {
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => reply.end(hash.digest('hex')));
    };
    const port = await start();
    const body = Buffer.alloc(20_000_000, 'x');
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    expect(await response.text()).toBe(createHash('sha256').update(body).digest('hex'));
  });

  test('stops reading from the upstream when the client does not read', async () => {
    let written = 0;
    answer = (_request, reply) => {
      const chunk = Buffer.alloc(65_536);
      const push = () => {
        for (let isFree = true; isFree && written < 200_000_000; written += chunk.length) {
          isFree = reply.write(chunk);
        }
      };
      reply.on('drain', push);
      push();
    };
    const port = await start();
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    );
    socket.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const isSettled = written === before && written > 0;
          before = written;
          return isSettled;
        },
        { timeout: 8_000, interval: 300 },
      )
      .toBe(true);
    expect(written).toBeLessThan(50_000_000);
    socket.destroy();
  });

  test('says 504 when the upstream is silent, and 502 when it breaks off', async () => {
    const port = await start();
    answer = () => undefined;
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).status).toBe(504);
    answer = (request) => request.socket.destroy();
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).status).toBe(502);
  });

  test('does not send a POST twice that may have arrived', async () => {
    const port = await start();
    answer = (request) => request.socket.destroy();
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
    expect(served).toBe(1);
  });

  test('joins WebSockets', async () => {
    backend.on('upgrade', (_request, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      );
      socket.on('data', (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`));
    });
    const port = await start();
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
        ),
      );
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        if (received.endsWith('\r\n\r\n')) socket.write('hello');
      });
      socket.on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    expect(text).toMatch(/echo hello$/);
  });

  test('reads who the client is from a PROXY header', async () => {
    let ip: string | undefined;
    answer = (request, reply) => {
      ip = String(request.headers['x-real-ip']);
      reply.end();
    };
    const port = await start({ proxy: [{ host: '127.0.0.1', port: 0, isProxyProtocol: true }] });
    const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    await exchange(port, `PROXY TCP4 192.0.2.7 127.0.0.1 4000 80\r\n${request}`);
    expect(ip).toBe('192.0.2.7');
    // Without one it is cut off, so that nobody takes the request for received.
    await expect(exchange(port, request)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('carries gRPC with its trailers', async () => {
    const grpc = createHttp2Server();
    grpc.on('stream', (stream) => {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.on('data', (chunk: Buffer) => stream.end(chunk));
    });
    await new Promise<void>((resolve) => grpc.listen(0, '127.0.0.1', resolve));
    const config = {
      _format_version: '3.0',
      services: [
        {
          name: 'g',
          protocol: 'grpc',
          host: '127.0.0.1',
          port: (grpc.address() as AddressInfo).port,
          routes: [{ name: 'g', protocols: ['grpc'], paths: ['/'], strip_path: false }],
        },
      ],
    };
    const port = await start({
      config,
      proxy: [{ host: '127.0.0.1', port: 0, isHttp2Only: true }],
    });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const call = session.request({
      ':method': 'POST',
      ':path': '/pkg.Service/Method',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let body = '';
    call.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    const trailers = new Promise((resolve) => call.on('trailers', resolve));
    call.end('message');
    expect(await trailers).toMatchObject({ 'grpc-status': '0' });
    expect(body).toBe('message');
    session.close();
    grpc.close();
  });
});
