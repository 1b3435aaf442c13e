import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServer, type RunningApiServer } from './api-server.ts';

let server: RunningApiServer;

beforeAll(async () => {
  server = await new ApiServer({ log: () => undefined, bookmarkPeriodMs: 50 }).start();
});

afterAll(() => server.stop());

function session(): ClientHttp2Session {
  const made = connect(server.url, { ca: server.caCertificate });
  made.on('error', () => undefined);
  return made;
}

function open(
  of: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  const stream = of.request({
    ':path': path,
    authorization: `Bearer ${server.adminToken}`,
    ...headers,
  });
  stream.on('error', () => undefined);
  return stream;
}

async function ask(
  of: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: unknown,
): Promise<{ status: number; headers: Record<string, unknown>; body: Record<string, unknown> }> {
  const stream = open(of, path, {
    ...(body === undefined ? {} : { ':method': 'POST', 'content-type': 'application/json' }),
    ...headers,
  });
  if (body !== undefined) stream.end(JSON.stringify(body));
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return { status: Number(answered[':status']), headers: answered, body: JSON.parse(text || '{}') };
}

const configMaps = '/api/v1/namespaces/default/configmaps';

test('requests and many watches share one connection', async () => {
  const one = session();
  const watches = Array.from({ length: 200 }, () => {
    const stream = open(one, `${configMaps}?watch=true`);
    const lines: string[] = [];
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => lines.push(text));
    return { stream, lines };
  });
  await Promise.all(watches.map(({ stream }) => once(stream, 'response')));
  const made = await ask(one, configMaps, {}, { metadata: { name: 'shared' } });
  expect(made.status).toBe(201);
  await expect
    .poll(() => watches.filter(({ lines }) => lines.join('').includes('"shared"')).length)
    .toBe(200);
  expect((await ask(one, `${configMaps}/shared`)).body).toMatchObject({
    metadata: { name: 'shared' },
  });
  const list = await ask(one, '/api/v1/namespaces');
  expect((list.body.items as unknown[]).length).toBe(4);
  one.destroy();
});

test('who asks is known, and who they act as', async () => {
  const one = session();
  const nobody = await ask(one, '/api/v1/secrets', { authorization: undefined });
  expect(nobody.status).toBe(403);
  expect((await ask(one, '/api/v1/secrets', { authorization: 'Bearer wrong' })).status).toBe(401);
  const me = await ask(
    one,
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { 'impersonate-user': 'jane', 'impersonate-group': ['a', 'b'] },
    {},
  );
  expect(me.body.status).toEqual({
    userInfo: { username: 'jane', groups: ['a', 'b', 'system:authenticated'] },
  });
  one.destroy();
});

test('a page of another origin is refused as ever', async () => {
  const one = session();
  const headers = { origin: 'https://evil.example' };
  expect((await ask(one, '/version', headers)).status).toBe(403);
  one.destroy();
});

test('an early answer to an unread body does not end the connection', async () => {
  const one = session();
  const refused = open(one, configMaps, {
    ':method': 'POST',
    'content-length': String(4 * 1024 * 1024),
  });
  refused.write('x');
  const [answered] = (await once(refused, 'response')) as [Record<string, unknown>];
  expect(Number(answered[':status'])).toBe(413);
  expect((await ask(one, '/version')).status).toBe(200);
  one.destroy();
});

/** A frame: its length, type, flags and stream, and what it holds. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** GET https, with a path that is written out; nobody looks at who asks before that. */
const getHead = Buffer.concat([
  Buffer.from([0x82, 0x87, 0x04, configMaps.length]),
  Buffer.from(configMaps),
]);
const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);

/**
 * Asks and takes it back, over and over, until the connection is closed. It writes the frames itself: a
 * client of Node sends nothing of what is taken back before it was written.
 */
async function resetUntilPutOut(): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = connectTls({
    host: hostname,
    port: Number(port),
    ca: server.caCertificate,
    ALPNProtocols: ['h2'],
  });
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'secureConnect');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame(4, 0, 0, Buffer.alloc(0)));
  let stream = 1;
  const flood = () => {
    while (!socket.destroyed && stream < 2 ** 31 - 1) {
      const asked = frame(1, 0b101, stream, getHead);
      const isTaken = socket.write(Buffer.concat([asked, frame(3, 0, stream, cancel)]));
      stream += 2;
      if (!isTaken) return void socket.once('drain', flood);
    }
  };
  flood();
  await gone;
}

test('a client that resets as fast as it asks is put out, and nobody else is', async () => {
  const good = session();
  const watch = open(good, `${configMaps}?watch=true&allowWatchBookmarks=true`);
  await once(watch, 'response');
  await resetUntilPutOut();
  expect((await ask(good, '/version')).status).toBe(200);
  await once(watch, 'data');
  expect(watch.destroyed).toBe(false);
  good.destroy();
});

test('a watch whose client takes nothing is cut off, and its neighbours are not', async () => {
  const one = session();
  const stalled = open(one, `${configMaps}?watch=true`);
  await once(stalled, 'response');
  stalled.pause();
  const other = session();
  const big = (i: number) => ({ data: { k: `${i}`.padEnd(900_000, 'x') } });
  await ask(other, configMaps, {}, { metadata: { name: 'big' } });
  for (let i = 0; i < 30; i++) {
    const stream = open(other, `${configMaps}/big`, {
      ':method': 'PATCH',
      'content-type': 'application/merge-patch+json',
    });
    stream.end(JSON.stringify(big(i)));
    stream.resume();
    await once(stream, 'end');
  }
  stalled.resume();
  await once(stalled, 'close');
  expect((await ask(other, '/version')).status).toBe(200);
  one.destroy();
  other.destroy();
});

test('HTTP/1 is spoken with whoever wants it', async () => {
  const version = await new Promise((resolve, reject) => {
    const request = httpsRequest(
      `${server.url}/version`,
      { ca: server.caCertificate, agent: false },
      (response) => {
        response.resume();
        resolve(response.httpVersion);
      },
    );
    request.on('error', reject);
    request.end();
  });
  expect(version).toBe('1.1');
});
