import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

/** Messages in JSON, which the plugin turns into those of a .proto file and back. */

const proto = `syntax = "proto3";
package hello;
message Request { string name = 1; bool loud = 2; }
message Reply { string text = 1; repeated int32 counts = 2; }
service Hello { rpc Say (Request) returns (Reply); rpc Many (stream Request) returns (stream Reply); }`;

let backend: Http2Server;
let gateway: Gateway;
let directory: string;
let url: string;
let seen: { headers: IncomingHttpHeaders; body: string }[] = [];
/** The bodies of answers, as the pieces in which they are sent. */
let pieces: readonly string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'grpc-web-json-'));
  writeFileSync(join(directory, 'hello.proto'), proto);
  backend = createServer();
  backend.on('stream', serve);
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const route = (name: string, config: object, more: object = {}) => ({
    name,
    protocols: ['http', 'https'],
    paths: [`/${name}`],
    plugins: [{ name: 'grpc-web', config }],
    ...more,
  });
  const file = join(directory, 'hello.proto');
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
            route('hello.Hello', { proto: file }),
            route('stripped', { proto: file, pass_stripped_path: true }),
            route('kept', { proto: file }),
            route('bare', {}),
            route('missing', { proto: join(directory, 'nothing.proto') }),
          ],
        },
      ],
    },
  } as never);
  url = `http://127.0.0.1:${(await gateway.start()).proxy[0]?.port}`;
});

afterAll(async () => {
  await gateway.stop();
  await new Promise((resolve) => backend.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => {
  seen = [];
  pieces = [frame('0a026869').toString('hex')];
});

function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    seen.push({ headers, body: Buffer.concat(chunks).toString('hex') });
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }),
    );
    for (const piece of pieces) stream.write(Buffer.from(piece, 'hex'));
    stream.end();
  });
}

/** A message with gRPC's head before it. */
function frame(message: string, encoding: BufferEncoding = 'hex'): Buffer {
  const bytes = Buffer.from(message, encoding);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

async function ask(type: string | undefined, body: string | Buffer, path = '/hello.Hello/Say') {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: type === undefined ? {} : { 'content-type': type },
    body: new Uint8Array(Buffer.from(body)),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The messages of a body, those with trailers as text after `trailers `. */
function messagesOf(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    const text = bytes.toString('utf8', at + 5, end);
    messages.push(bytes[at] === 0x80 ? `trailers ${text}` : text);
    at = end;
  }
  return messages;
}

const you = frame('0a03796f751001').toString('hex');
const youJson = '{"name":"you","loud":true}';
const trailers = 'trailers grpc-status:0\r\ngrpc-message:fine\r\n';

describe('JSON in grpc-web', () => {
  test('a plain body is one message, and its answer has neither frames nor trailers', async () => {
    const answer = await ask('application/json', youJson);
    expect([answer.status, answer.type, answer.bytes.toString()]).toEqual([
      200,
      'application/json',
      '{"text":"hi"}',
    ]);
    expect(seen).toMatchObject([
      { headers: { 'content-type': 'application/grpc', te: 'trailers' }, body: you },
    ]);
    expect(seen[0]?.headers['grpc-accept-encoding']).toBeUndefined();
  });

  test('a framed body is answered in frames, trailers last', async () => {
    const answer = await ask('application/grpc-web+json', frame(youJson, 'utf8'));
    expect(answer.type).toBe('application/grpc-web+json');
    expect(messagesOf(answer.bytes)).toEqual(['{"text":"hi"}', trailers]);
    expect(seen[0]?.body).toBe(you);
  });

  test('with text, both ways are base64', async () => {
    const body = frame(youJson, 'utf8').toString('base64');
    const answer = await ask('application/grpc-web-text+json', body);
    const parts = answer.bytes.toString('latin1').match(/[^=]+={0,2}/g) ?? [];
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
    expect(messagesOf(bytes)).toEqual(['{"text":"hi"}', trailers]);
    expect(seen[0]?.body).toBe(you);
  });

  test('many messages in each direction, however they are cut', async () => {
    const [one, two] = [frame('0a0131'), frame('0a01321203010203')];
    const all = Buffer.concat([one, two]).toString('hex');
    pieces = [all.slice(0, 6), all.slice(6, 18), all.slice(18)];
    const body = Buffer.concat([frame('{"name":"a"}', 'utf8'), frame('{"name":"b"}', 'utf8')]);
    const answer = await ask('application/grpc-web+json', body, '/hello.Hello/Many');
    expect(messagesOf(answer.bytes)).toEqual([
      '{"text":"1"}',
      '{"text":"2","counts":[1,2,3]}',
      trailers,
    ]);
    expect(seen[0]?.body).toBe(Buffer.concat([frame('0a0161'), frame('0a0162')]).toString('hex'));
  });

  test('messages of protobuf pass as they are beside it, with and without the file', async () => {
    for (const path of ['/hello.Hello/Say', '/bare/Say']) {
      const answer = await ask('application/grpc-web+proto', Buffer.from(you, 'hex'), path);
      expect(messagesOf(answer.bytes)).toEqual(['\n\u0002hi', trailers]);
    }
    expect(seen.map(({ body }) => body)).toEqual([you, you]);
  });

  test.each([
    ['no JSON', 'application/json', '{', 'failed to encode payload'],
    ['nothing', 'application/json', '', 'failed to encode payload'],
    ['another type', 'application/json', '{"loud":"perhaps"}', 'failed to encode payload'],
    [
      'half a frame',
      'application/grpc-web+json',
      frame(youJson, 'utf8').subarray(0, 9),
      'failed to encode payload',
    ],
    ['a stranger’s type', 'text/plain', 'x', 'the content type is neither of gRPC-Web nor JSON'],
  ])('%s is refused, and the service hears nothing', async (_what, type, body, why) => {
    const answer = await ask(type, body);
    expect([answer.status, answer.bytes.toString()]).toEqual([400, why]);
    expect(seen).toEqual([]);
    // The next one is read from its own start.
    expect((await ask('application/json', youJson)).status).toBe(200);
  });

  test.each([
    ['/bare/Say', 400, 'transcoding requests require a .proto file defining the service'],
    ['/hello.Hello/Nothing', 400, 'Unkown path "/hello.Hello/Nothing"'],
    ['/kept/hello.Hello/Say', 400, 'Unkown path "/kept/hello.Hello/Say"'],
    ['/stripped/hello.Hello/Say', 200, '{"text":"hi"}'],
  ])('%s', async (path, status, body) => {
    const answer = await ask('application/json', youJson, path);
    expect([answer.status, answer.bytes.toString()]).toEqual([status, body]);
    const paths = seen.map(({ headers }) => headers[':path']);
    expect(paths).toEqual(status === 200 ? ['/hello.Hello/Say'] : []);
  });

  test('a file that is not there fails its own route and no other', async () => {
    expect((await ask('application/json', youJson, '/missing/x')).status).toBe(500);
    expect((await ask('application/json; charset=utf-8', youJson)).status).toBe(200);
  });

  test('a message that is none is null', async () => {
    pieces = [frame('ff').toString('hex')];
    expect((await ask('application/json', youJson)).bytes.toString()).toBe('null');
  });
});
