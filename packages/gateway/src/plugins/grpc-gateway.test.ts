import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

let backend: Http2Server;
let gateway: Gateway;
let directory: string;
let url: string;
const seen: { headers: IncomingHttpHeaders; body: string }[] = [];

const proto = `syntax = "proto3";
package hello;
message Request { string name = 1; bool loud = 2; Extra extra = 3; }
message Extra { int32 times = 1; }
message Reply { string text = 1; }
service Hello {
  rpc Say (Request) returns (Reply) {
    option (google.api.http) = {
      get: "/v1/hello/{name}"
      additional_bindings { post: "/v1/hello/{name}" body: "extra" }
    };
  }
  rpc Fail (Request) returns (Reply) { option (google.api.http) = { delete: "/v1/hello/{name}" }; }
}`;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'grpc-gateway-'));
  writeFileSync(join(directory, 'hello.proto'), proto);
  backend = createServer();
  backend.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      seen.push({ headers, body: Buffer.concat(chunks).toString('hex') });
      const head = { ':status': 200, 'content-type': 'application/grpc' };
      if (headers[':path'] === '/hello.Hello/Fail') {
        stream.respond(
          { ...head, 'grpc-status': '5', 'grpc-message': 'gone' },
          { endStream: true },
        );
        return;
      }
      stream.respond(head, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      // { text: "hi" } in two pieces
      stream.write(Buffer.from('0000000004', 'hex'));
      stream.end(Buffer.from('0a026869', 'hex'));
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const port = (backend.address() as AddressInfo).port;
  const route = (name: string, path: string, file: string) => ({
    name,
    protocols: ['http', 'https'],
    paths: [path],
    strip_path: false,
    plugins: [{ name: 'grpc-gateway', config: { proto: file } }],
  });
  gateway = new Gateway({
    admin: false,
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          protocol: 'grpc',
          host: '127.0.0.1',
          port,
          routes: [
            route('r', '/v1', join(directory, 'hello.proto')),
            route('missing', '/v2', join(directory, 'nothing.proto')),
            route('edited', '/v3', join(directory, 'edited.proto')),
          ],
        },
      ],
    },
  });
  const { proxy } = await gateway.start();
  url = `http://127.0.0.1:${proxy[0]?.port}`;
});

afterAll(async () => {
  await gateway.stop();
  await new Promise((resolve) => backend.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: string) {
  seen.length = 0;
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('path and query become the message, and the answer becomes JSON', async () => {
  const answer = await ask('GET', '/v1/hello/you?loud=true&extra.times=2&unknown=1');
  expect([answer.status, answer.text]).toEqual([200, '{"text":"hi"}']);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(seen[0]).toMatchObject({
    headers: {
      ':method': 'POST',
      ':path': '/hello.Hello/Say',
      'content-type': 'application/grpc',
      te: 'trailers',
    },
    // name 1: "you", loud 2: true, extra 3: { times 1: 2 }
    body: `000000000b${'0a03796f75'}${'1001'}${'1a020802'}`,
  });
});

test('a body becomes the field that the rule names', async () => {
  const answer = await ask('POST', '/v1/hello/you', '{"times":3}');
  expect([answer.status, answer.text]).toEqual([200, '{"text":"hi"}']);
  expect(seen[0]?.body).toBe(`0000000009${'0a03796f75'}${'1a020803'}`);
});

test('a status of gRPC becomes one of HTTP', async () => {
  const answer = await ask('DELETE', '/v1/hello/you');
  expect(answer.status).toBe(404);
});

test.each([
  ['PUT', '/v1/hello/you', undefined, 400, 'failed to transcode .proto file Unknown method "put"'],
  ['GET', '/v1/other', undefined, 400, 'failed to transcode .proto file Unknown path "/v1/other"'],
  ['POST', '/v1/hello/you', '{', 400, 'decode json err'],
  ['POST', '/v1/hello/you', '{"times":"x"}', 400, 'failed to encode payload'],
  ['OPTIONS', '/v1/hello/you', undefined, 200, 'OK'],
  ['GET', '/v2/x', undefined, 500, 'An unexpected error occurred'],
])('%s %s %s: %i %s', async (method, path, body, status, text) => {
  const answer = await ask(method, path, body);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
  expect(seen).toEqual([]);
});

test('a file that is broken and mended again is read each time, and its neighbour goes on', async () => {
  const file = join(directory, 'edited.proto');
  const good = readFileSync(join(directory, 'hello.proto'), 'utf8').replaceAll('/v1/', '/v3/');
  const status = async () => (await ask('GET', '/v3/hello/you')).status;
  writeFileSync(file, 'message {');
  expect([await status(), await status()]).toEqual([500, 500]);
  expect((await ask('GET', '/v1/hello/you')).status).toBe(200);
  writeFileSync(file, good);
  await expect.poll(status).toBe(200);
  writeFileSync(file, 'message {{');
  await expect.poll(status).toBe(500);
  rmSync(file);
  expect(await status()).toBe(500);
  writeFileSync(file, good);
  await expect.poll(status).toBe(200);
});
