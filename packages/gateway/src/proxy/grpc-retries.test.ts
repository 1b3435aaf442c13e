import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import { ownPort } from '../testing/own-port.ts';

/** How an upstream treats one call whose body it was told up to here. */
type Serve = (stream: ServerHttp2Stream, body: string) => void;

let gateway: Gateway | undefined;
let client: ClientHttp2Session | undefined;
const servers: { server: Http2Server; sessions: Set<ServerHttp2Session> }[] = [];

afterEach(async () => {
  client?.destroy();
  await gateway?.stop();
  for (const { server, sessions } of servers.splice(0)) {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** An upstream that notes what reaches it, and answers when a call's body is whole. */
async function upstream(serve: Serve): Promise<{ port: number; bodies: string[] }> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  const bodies: string[] = [];
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream) => {
    let body = '';
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    stream.on('end', () => {
      bodies.push(body);
      serve(stream, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({ server, sessions });
  return { port: (server.address() as AddressInfo).port, bodies };
}

const fine: Serve = (stream) => {
  stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end('fine');
};
const status =
  (code: number): Serve =>
  (stream) =>
    void stream.respond(
      { ':status': code, 'content-type': 'application/grpc' },
      { endStream: true },
    );
const refuse: Serve = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);
const cut: Serve = (stream) => stream.session?.destroy();
const silent: Serve = () => undefined;

/** A gateway whose balancer meets the ports in their order, and a neighbour that has one target. */
async function start(
  ports: readonly number[],
  plugins: readonly object[] = [],
  service: object = {},
): Promise<void> {
  const neighbour = await upstream(fine);
  const route = (name: string) => ({
    name,
    protocols: ['grpc', 'grpcs'],
    paths: [`/${name}`],
  });
  gateway = new Gateway({
    admin: false,
    proxy: [{ host: '127.0.0.1', port: 0 }],
    config: {
      _format_version: '3.0',
      upstreams: [{ name: 'up', targets: ports.map((port) => ({ target: `127.0.0.1:${port}` })) }],
      services: [
        {
          name: 'tried',
          protocol: 'grpc',
          host: 'up',
          read_timeout: 400,
          retries: 3,
          ...service,
          routes: [{ ...route('tried'), plugins }],
        },
        {
          name: 'neighbour',
          protocol: 'grpc',
          host: '127.0.0.1',
          port: neighbour.port,
          routes: [route('neighbour')],
        },
      ],
    },
  } as never);
  client = connect(`http://127.0.0.1:${(await gateway.start()).proxy[0]?.port}`);
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function call(body: readonly string[] = ['message'], method = 'POST', path = '/tried') {
  const stream = (client as ClientHttp2Session).request({
    ':method': method,
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    let code = 0;
    let text = '';
    stream.on('response', (headers) => {
      code = Number(headers[':status']);
    });
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.on('error', reject);
    stream.on('close', () => resolve({ status: code, body: text }));
  });
  for (const part of body) {
    stream.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stream.end();
  return answer;
}

const nginx = (conditions: readonly string[], more: object = {}) => [
  { name: 'nginx-proxy', config: { next_upstream: { conditions, tries: 3, ...more } } },
];
const route = (codes: readonly number[], more: object = {}) => [
  { name: 'http-route-retry', config: { codes, ...more } },
];
const unsafe = { non_idempotent: true };

describe('a gRPC call', () => {
  interface Row {
    readonly what: string;
    readonly first: Serve;
    readonly plugins?: readonly object[];
    readonly method?: string;
    readonly expected: Answer['status'];
  }

  const rows: readonly Row[] = [
    // As Kong's nginx: what an upstream may have acted on is not sent again.
    { what: 'with a 503, in Kong’s manner', first: status(503), expected: 503 },
    { what: 'that is cut off, in Kong’s manner', first: cut, expected: 502 },
    { what: 'that nobody answers, in Kong’s manner', first: silent, expected: 504 },
    { what: 'that was refused unseen, in Kong’s manner', first: refuse, expected: 200 },
    // A policy names what is tried again, and POST is only where it says so.
    {
      what: 'with a 503 that is named',
      first: status(503),
      plugins: nginx(['http_503'], unsafe),
      expected: 200,
    },
    {
      what: 'with a 503, POST not being safe',
      first: status(503),
      plugins: nginx(['http_503']),
      expected: 503,
    },
    {
      what: 'with a 503, where 502 is named',
      first: status(503),
      plugins: nginx(['http_502'], unsafe),
      expected: 503,
    },
    {
      what: 'that is cut, where errors are named',
      first: cut,
      plugins: nginx(['error'], unsafe),
      expected: 200,
    },
    {
      what: 'that is cut, where timeouts are named',
      first: cut,
      plugins: nginx(['timeout'], unsafe),
      expected: 502,
    },
    {
      what: 'without an answer, timeouts named',
      first: silent,
      plugins: nginx(['timeout'], unsafe),
      expected: 200,
    },
    {
      what: 'without an answer, errors named',
      first: silent,
      plugins: nginx(['error'], unsafe),
      expected: 504,
    },
    {
      what: 'with one try in all',
      first: status(503),
      plugins: nginx(['http_503'], { ...unsafe, tries: 1 }),
      expected: 503,
    },
    {
      what: 'with retries off',
      first: status(503),
      plugins: nginx(['off', 'http_503'], unsafe),
      expected: 503,
    },
    {
      what: 'PUT, with a rule’s code',
      first: status(503),
      plugins: route([503]),
      method: 'PUT',
      expected: 200,
    },
    { what: 'POST, with a rule’s code', first: status(503), plugins: route([503]), expected: 503 },
    {
      what: 'PUT, with another code',
      first: status(500),
      plugins: route([503]),
      method: 'PUT',
      expected: 500,
    },
    {
      what: 'PUT, without another attempt',
      first: status(503),
      plugins: route([503], { attempts: 0 }),
      method: 'PUT',
      expected: 503,
    },
    {
      what: 'PUT, with no time left',
      first: silent,
      plugins: route([503], { total_ms: 100, attempts: 5 }),
      method: 'PUT',
      expected: 504,
    },
  ];

  test.each(rows)('$what', async ({ first, plugins, method, expected }) => {
    const one = await upstream(first);
    const two = await upstream(fine);
    await start([one.port, two.port], plugins);
    // Wherever the balancer begins, one of two calls meets the first target at first.
    const answers = [await call(['message'], method), await call(['message'], method)];
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, expected].sort());
    // The next call after one that was made again begins with the first target, too.
    expect([1, expected === 200 ? 2 : 1]).toContain(one.bodies.length);
    expect(new Set(one.bodies)).toEqual(new Set(['message']));
    expect(two.bodies).toEqual(Array(expected === 200 ? 2 : 1).fill('message'));
    expect(await call(['x'], 'POST', '/neighbour')).toEqual({ status: 200, body: 'fine' });
  });

  test('reaches the next target whole, in whatever pieces it came', async () => {
    const one = await upstream(status(503));
    const two = await upstream(fine);
    await start([one.port, two.port], nginx(['http_503'], unsafe));
    for (let index = 0; index < 2; index += 1)
      expect(await call(['a', 'b', 'c'.repeat(10_000)])).toEqual({ status: 200, body: 'fine' });
    const whole = `ab${'c'.repeat(10_000)}`;
    expect(two.bodies).toEqual([whole, whole]);
    expect(new Set(one.bodies)).toEqual(new Set([whole]));
  });

  test('is not made again when it is too long to be kept', async () => {
    const one = await upstream(status(503));
    const two = await upstream(fine);
    await start([one.port, two.port], nginx(['http_503'], unsafe));
    const long = ['x'.repeat(60_000), 'y'.repeat(60_000)];
    const answers = [await call(long), await call(long)];
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 503]);
    expect(two.bodies.map((body) => body.length)).toEqual([120_000]);
  });

  test('whose first target answers before it has all goes on to the next with the rest', async () => {
    const early = createServer();
    const sessions = new Set<ServerHttp2Session>();
    early.on('session', (session) => sessions.add(session));
    early.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.once('data', () => stream.respond({ ':status': 503 }));
    });
    early.listen(0, '127.0.0.1');
    await once(early, 'listening');
    servers.push({ server: early, sessions });
    const two = await upstream(fine);
    await start([(early.address() as AddressInfo).port, two.port], nginx(['http_503'], unsafe));
    for (let index = 0; index < 2; index += 1)
      expect((await call(['first', 'second', 'third'])).status).toBe(200);
    expect(two.bodies).toEqual(['firstsecondthird', 'firstsecondthird']);
  });

  test('goes past targets that cannot be reached, and ends where all have failed', async () => {
    const two = await upstream(fine);
    await start([await ownPort(), two.port]);
    for (let index = 0; index < 4; index += 1) expect((await call()).status).toBe(200);
    expect(two.bodies).toHaveLength(4);
    await gateway?.stop();
    client?.destroy();
    await start([await ownPort(), await ownPort()], [], { retries: 1 });
    expect((await call()).status).toBe(502);
  });

  test('that its client gives up is not made again', async () => {
    const one = await upstream(silent);
    const two = await upstream(fine);
    await start([one.port], nginx(['timeout'], unsafe), { read_timeout: 60_000 });
    const stream = (client as ClientHttp2Session).request({
      ':method': 'POST',
      ':path': '/tried',
      'content-type': 'application/grpc',
    });
    stream.on('error', () => undefined);
    stream.end('message');
    await expect.poll(() => one.bodies).toEqual(['message']);
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
    expect(await call(['x'], 'POST', '/neighbour')).toEqual({ status: 200, body: 'fine' });
    expect([one.bodies.length, two.bodies.length]).toEqual([1, 0]);
  });
});
