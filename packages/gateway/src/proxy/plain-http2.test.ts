import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
} from 'node:http2';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

/** Plain ports take HTTP/1 and HTTP/2 alike, as clients of gRPC without TLS expect. */
describe('HTTP/2 on a plain port', () => {
  let gateway: Gateway;
  let upstream: Http2Server;
  let session: ClientHttp2Session;
  let port: number;

  beforeEach(async () => {
    upstream = createServer();
    upstream.on('stream', (stream, headers) => {
      if (headers[':path'] === '/refused') {
        const status = { 'content-type': 'application/grpc', 'grpc-status': '7' };
        stream.respond(status, { endStream: true });
        return;
      }
      stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end('message');
    });
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port: upstreamPort } = upstream.address() as AddressInfo;
    gateway = new Gateway({
      admin: false,
      proxy: [{ host: '127.0.0.1', port: 0 }],
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 'g',
            protocol: 'grpc',
            host: '127.0.0.1',
            port: upstreamPort,
            routes: [
              { name: 'ok', protocols: ['grpc'], paths: ['/ok', '/refused'], strip_path: false },
            ],
          },
          {
            name: 'plain',
            host: '127.0.0.1',
            port: 1,
            routes: [{ name: 'ended', paths: ['/ended'] }],
            plugins: [{ name: 'request-termination', config: { status_code: 200 } }],
          },
        ],
      },
    });
    port = (await gateway.start()).proxy[0]?.port ?? 0;
    session = connect(`http://127.0.0.1:${port}`);
  });

  afterEach(async () => {
    session.destroy();
    await gateway.stop();
    upstream.close();
  });

  async function call(path: string) {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.end();
    let trailers: IncomingHttpHeaders = {};
    stream.on('trailers', (headers) => (trailers = headers));
    const [head, flags] = (await once(stream, 'response')) as [IncomingHttpHeaders, number];
    let body = '';
    for await (const chunk of stream) body += chunk;
    return { head, body, trailers, isOver: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0 };
  }

  test('carries a call with its trailers', async () => {
    const { body, trailers } = await call('/ok');
    expect(body).toBe('message');
    expect(trailers).toMatchObject({ 'grpc-status': '0' });
  });

  test('ends the stream with the head where the upstream did', async () => {
    const { head, isOver } = await call('/refused');
    expect(head['grpc-status']).toBe('7');
    expect(isOver).toBe(true);
  });

  test.each([
    ['/none', 404, '12'],
    ['/ended', 200, undefined],
  ])('answers %s itself with %i', async (path, status, grpcStatus) => {
    const { head } = await call(path);
    expect(head[':status']).toBe(status);
    expect(head['grpc-status']).toBe(grpcStatus);
  });

  test('goes on to serve HTTP/1', async () => {
    const request = httpRequest({ host: '127.0.0.1', port, path: '/none' }).end();
    const [answer] = await once(request, 'response');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['grpc-status']).toBeUndefined();
  });

  test.each(['PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n', 'PRI * HTTP/1.1\r\n\r\n'])(
    'refuses %j, which is neither',
    async (text) => {
      const socket = connectSocket(port, '127.0.0.1');
      socket.end(text);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    },
  );

  test('takes a preface in pieces', async () => {
    const socket = connectSocket(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    for (const piece of [preface.subarray(0, 2), preface.subarray(2, 19), preface.subarray(19)]) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.write(settings);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    // A frame of settings.
    expect(answer[3]).toBe(4);
    socket.destroy();
  });
});
