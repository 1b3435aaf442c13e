import { createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

let backend: Http2Server;
let gateway: Gateway;
let seen: { headers: IncomingHttpHeaders; body: Buffer } | undefined;
let url: string;

const message = (text: string) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
};

beforeEach(async () => {
  seen = undefined;
  backend = createServer();
  backend.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      seen = { headers, body: Buffer.concat(chunks) };
      if (headers[':path'] === '/pkg.Service/Fails') {
        stream.respond(
          { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' },
          { endStream: true },
        );
        return;
      }
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-more': 'y' }));
      stream.write(message('one'));
      stream.end(message('two'));
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  gateway = new Gateway({
    admin: false,
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          protocol: 'grpc',
          host: '127.0.0.1',
          port: (backend.address() as AddressInfo).port,
          routes: [
            {
              name: 'r',
              protocols: ['http', 'https'],
              paths: ['/'],
              plugins: [{ name: 'grpc-web' }],
            },
          ],
        },
      ],
    },
  });
  const { proxy } = await gateway.start();
  url = `http://127.0.0.1:${proxy[0]?.port}`;
});

afterEach(async () => {
  await gateway.stop();
  await new Promise((resolve) => backend.close(resolve));
});

async function call(type: string, body: Buffer | string, path = '/pkg.Service/Echo') {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(Buffer.from(body)),
  });
  return { answer, body: Buffer.from(await answer.arrayBuffer()) };
}

function trailersOf(body: Buffer): string {
  const at = body.lastIndexOf(0x80);
  return body.toString('utf8', at + 5);
}

describe('grpc-web', () => {
  test('brings messages to the service and its answers back, with trailers as the last one', async () => {
    const { answer, body } = await call('application/grpc-web+proto', message('hello'));
    expect(seen?.body).toEqual(message('hello'));
    expect(seen?.headers['content-type']).toBe('application/grpc');
    expect(answer.headers.get('content-type')).toBe('application/grpc-web+proto');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const expected = Buffer.concat([message('one'), message('two')]);
    expect(body.subarray(0, expected.length)).toEqual(expected);
    expect(body[expected.length]).toBe(0x80);
    expect(trailersOf(body)).toBe('grpc-status:0\r\ngrpc-message:\r\nx-more:y\r\n');
  });

  test('speaks base64 with clients that cannot read bytes', async () => {
    const text = [message('he'), message('llo!')].map((one) => one.toString('base64')).join('');
    const { answer, body } = await call('application/grpc-web-text', text);
    expect(seen?.body).toEqual(Buffer.concat([message('he'), message('llo!')]));
    expect(answer.headers.get('content-type')).toBe('application/grpc-web-text');
    const pieces = body.toString('latin1').match(/[^=]+={0,2}/g) ?? [];
    const decoded = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
    expect(trailersOf(decoded)).toContain('grpc-status:0');
  });

  test('tells the status of a call that has no messages', async () => {
    const { body } = await call('application/grpc-web', message('x'), '/pkg.Service/Fails');
    expect(trailersOf(body)).toContain('grpc-status:5');
  });

  test('answers preflights, and refuses what it would have to transcode', async () => {
    const preflight = await fetch(url, { method: 'OPTIONS' });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST');
    const { answer, body } = await call('application/json', '{}');
    expect(answer.status).toBe(400);
    expect(body.toString()).toBe('transcoding requests require a .proto file defining the service');
  });
});
