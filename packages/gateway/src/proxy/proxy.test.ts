import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exchangeBytes, ProxyStage } from '../testing/proxy-stage.ts';

let stage: ProxyStage;

beforeEach(async () => {
  stage = await ProxyStage.open();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('the proxy', () => {
  test('passes on trailers of requests', async () => {
    stage.answer = (request, reply) => {
      request.resume();
      request.on('end', () => reply.end(JSON.stringify(request.trailers)));
    };
    const port = await stage.start();
    const text = await exchangeBytes(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n',
    );
    expect(text).toMatch(/\{"x-sum":"7"\}/);
  });

  test('sends a short body again when the upstream closed an idle connection', async () => {
    const bodies: string[] = [];
    let isFirst = true;
    stage.answer = (request, reply) => {
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
    const port = await stage.start();
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'PUT', body: 'short' });
    expect(await response.text()).toBe('done');
    expect(bodies).toEqual(['short', 'short']);
  });

  test('keeps line ends out of headers, whatever plugins make of them', async () => {
    const port = await stage.start({
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 's',
            host: '127.0.0.1',
            port: stage.backendPort,
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
    const text = await exchangeBytes(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text).not.toMatch(/^X-Evil/m);
  });

  test('passes on a method that Node does not know', async () => {
    const port = await stage.start();
    const text = await exchangeBytes(port, 'FOO /x HTTP/1.1\r\nHost: a.test\r\n\r\n');
    // The service behind is Node too, and does not know it: the answer is its own.
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('X-Kong-Upstream-Latency');
  });

  test('drops what belongs to one connection, and spoofed addresses', async () => {
    let headers: IncomingMessage['headers'] = {};
    stage.answer = (request, reply) => {
      headers = request.headers;
      reply.setHeader('Keep-Alive', 'timeout=1').setHeader('X-Kept', '1').end();
    };
    const port = await stage.start();
    const lines =
      'Connection: close, x-hop\r\nX-Hop: 1\r\nX-Forwarded-Proto: https\r\nX-Real-IP: 9.9.9.9\r\n';
    const text = await exchangeBytes(port, `GET / HTTP/1.1\r\nHost: a.test\r\n${lines}\r\n`);
    expect(headers['x-hop']).toBeUndefined();
    expect(headers['x-forwarded-proto']).toBe('http');
    expect(headers['x-real-ip']).toBe('127.0.0.1');
    expect(text).toContain('X-Kept: 1');
    expect(text).not.toContain('timeout=1');
  });

  test('believes a trusted proxy', async () => {
    let headers: IncomingMessage['headers'] = {};
    stage.answer = (request, reply) => {
      headers = request.headers;
      reply.end();
    };
    const port = await stage.start({ trustedIps: ['127.0.0.0/8'] });
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
    stage.answer = (request, reply) => {
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => reply.end(hash.digest('hex')));
    };
    const port = await stage.start();
    const body = Buffer.alloc(20_000_000, 'x');
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    expect(await response.text()).toBe(createHash('sha256').update(body).digest('hex'));
  });

  test('stops reading from the upstream when the client does not read', async () => {
    let written = 0;
    stage.answer = (_request, reply) => {
      const chunk = Buffer.alloc(65_536);
      const push = () => {
        for (let isFree = true; isFree && written < 200_000_000; written += chunk.length) {
          isFree = reply.write(chunk);
        }
      };
      reply.on('drain', push);
      push();
    };
    const port = await stage.start();
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
        { timeout: 25_000, interval: 300 },
      )
      .toBe(true);
    expect(written).toBeLessThan(50_000_000);
    socket.destroy();
  });

  test('says 504 when the upstream is silent, and 502 when it breaks off', async () => {
    const port = await stage.start();
    stage.answer = () => undefined;
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).status).toBe(504);
    stage.answer = (request) => request.socket.destroy();
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).status).toBe(502);
  });

  test('does not send a POST twice that may have arrived', async () => {
    const port = await stage.start();
    stage.answer = (request) => request.socket.destroy();
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
    expect(stage.served).toBe(1);
  });

  test('joins WebSockets', async () => {
    stage.backend.on('upgrade', (_request, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      );
      socket.on('data', (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`));
    });
    const port = await stage.start();
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
    stage.answer = (request, reply) => {
      ip = String(request.headers['x-real-ip']);
      reply.end();
    };
    const port = await stage.start({
      proxy: [{ host: '127.0.0.1', port: 0, isProxyProtocol: true }],
    });
    const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    await exchangeBytes(port, `PROXY TCP4 192.0.2.7 127.0.0.1 4000 80\r\n${request}`);
    expect(ip).toBe('192.0.2.7');
    // Without one it is cut off, so that nobody takes the request for received.
    await expect(exchangeBytes(port, request)).rejects.toMatchObject({ code: 'ECONNRESET' });
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
    const port = await stage.start({
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
