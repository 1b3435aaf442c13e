import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { constants, createDeflate } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import type { PodLogOptions, PodRuntime } from '../core/pod-runtime.ts';
import { spdyDictionary } from '../stream/spdy-headers.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

// What stands behind a pod here: two lines and then whatever is said, and a server that answers in capitals.
let asked: PodLogOptions[];
let say: (line: string) => void;
let target: ReturnType<typeof createServer>;
let server: TestServer;
let namespace: string;

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'x', ports: [{ containerPort: 8080 }] }] },
});

const runtime: PodRuntime = {
  refusal: ({ metadata }) =>
    metadata.name === 'idle' ? 'nothing runs pods here: bind the Service' : undefined,
  async *log(_pod, options) {
    asked.push(options);
    yield 'one\n';
    yield 'two\n';
    if (!options.isFollowing) return;
    const said = await new Promise<string>((resolve) => {
      say = resolve;
      options.signal.addEventListener('abort', () => resolve(''));
    });
    yield said;
  },
  async connect(_pod, port) {
    if (port !== 8080) throw new Error(`no container has the port ${port}`);
    const socket = connect((target.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  },
};

beforeEach(async () => {
  asked = [];
  target = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (data) => socket.write(String(data).toUpperCase()));
    socket.on('end', () => socket.end('bye'));
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  server = await startTestServer({ podRuntime: runtime });
  namespace = await server.namespace();
  for (const name of ['busy', 'idle'])
    await server.request('POST', `/api/v1/namespaces/${namespace}/pods`, pod(name));
});

afterEach(async () => {
  await server.stop();
  target.close();
});

const path = (name: string, rest: string): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}/${rest}`;

test('lines come as they are, and on as they are said', async () => {
  const { status, body } = await server.request('GET', path('busy', 'log?tailLines=5'));
  expect([status, body]).toEqual([200, 'one\ntwo\n']);
  expect(asked[0]).toMatchObject({ container: 'main', isFollowing: false, tailLines: 5 });
  const limited = await server.request('GET', path('busy', 'log?limitBytes=5'));
  expect(limited.body).toBe('one\nt');
  const following = server.request('GET', path('busy', 'log?follow=true'));
  await vi.waitFor(() => expect(asked).toHaveLength(3), patience);
  await vi.waitFor(() => expect(say).toBeTypeOf('function'), patience);
  say('three\n');
  expect((await following).body).toBe('one\ntwo\nthree\n');
});

test.each([
  ['idle', 'log', 'nothing runs pods here: bind the Service'],
  ['idle', 'portforward', 'nothing runs pods here: bind the Service'],
  ['idle', 'exec?command=sh', 'nothing runs pods here: bind the Service'],
  [
    'busy',
    'exec?command=sh',
    'pod busy is a process of this machine: there is no container to enter',
  ],
  ['busy', 'portforward', 'unable to upgrade: expected SPDY/3.1'],
  ['busy', 'log?container=other', 'container other is not valid for pod busy'],
  ['busy', 'log?tailLines=all', 'tailLines must be a whole number'],
  ['busy', 'log?sinceTime=soon', 'sinceTime soon is no time'],
])('%s/%s fails at once with a sentence', async (name, rest, message) => {
  const { status, body } = await server.request('GET', path(name, rest));
  expect(status).toBe(400);
  expect(body).toMatchObject({ message });
});

/** A client of SPDY/3.1 that says as little as it can. */
class PlainClient {
  readonly #socket: Socket;
  readonly #deflate = createDeflate({
    dictionary: spdyDictionary,
    flush: constants.Z_SYNC_FLUSH,
  });
  readonly data = new Map<number, string>();
  readonly ended = new Set<number>();
  readonly replied: number[] = [];
  pings = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const length = rest.length < 8 ? 0 : rest.readUIntBE(5, 3);
        if (rest.length < 8 + length) return;
        this.#take(rest.subarray(0, 8), rest.subarray(8, 8 + length));
        rest = rest.subarray(8 + length);
      }
    });
  }

  #take(head: Buffer, body: Buffer): void {
    if ((head.readUInt8(0) & 0x80) !== 0) {
      if (head.readUInt16BE(2) === 2) this.replied.push(body.readUInt32BE(0));
      if (head.readUInt16BE(2) === 6) this.pings += 1;
      return;
    }
    const id = head.readUInt32BE(0);
    this.data.set(id, (this.data.get(id) ?? '') + body.toString());
    if (head.readUInt8(4) === 1) this.ended.add(id);
  }

  async open(id: number, headers: Record<string, string>): Promise<void> {
    const sized = (text: string): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      return Buffer.concat([length, Buffer.from(text)]);
    };
    const count = Buffer.alloc(4);
    count.writeUInt32BE(Object.keys(headers).length);
    const plain = Buffer.concat([count, ...Object.entries(headers).flat().map(sized)]);
    const parts: Buffer[] = [];
    const onData = (chunk: Buffer): number => parts.push(chunk);
    this.#deflate.on('data', onData);
    await new Promise<void>((resolve) => this.#deflate.write(plain, () => resolve()));
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#deflate.off('data', onData);
    const fixed = Buffer.alloc(10);
    fixed.writeUInt32BE(id);
    this.control(1, Buffer.concat([fixed, ...parts]));
  }

  control(type: number, body: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(body.length, 5, 3);
    this.#socket.write(Buffer.concat([head, body]));
  }

  send(id: number, text: string, isLast = false): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id);
    head.writeUInt8(isLast ? 1 : 0, 4);
    head.writeUIntBE(text.length, 5, 3);
    this.#socket.write(Buffer.concat([head, Buffer.from(text)]));
  }
}

async function forward(name: string): Promise<{ socket: Socket; head: string }> {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(
    `POST ${path(name, 'portforward')} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n` +
      `Authorization: Bearer ${server.adminToken}\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n` +
      'X-Stream-Protocol-Version: portforward.k8s.io\r\nContent-Length: 0\r\n\r\n',
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  return { socket, head: head.toString() };
}

test('connections are carried, each beside the others; a port that nobody has is named', async () => {
  const { socket, head } = await forward('busy');
  expect(head).toMatch(/^HTTP\/1\.1 101 .*\r\nX-Stream-Protocol-Version: portforward\.k8s\.io/s);
  const client = new PlainClient(socket);
  let id = 1;
  for (const [requestID, port] of [
    ['0', '8080'],
    ['1', '8080'],
    ['2', '9999'],
  ] as const) {
    for (const streamType of ['error', 'data']) {
      await client.open(id, { streamType, port, requestID });
      id += 2;
    }
  }
  await vi.waitFor(() => expect(client.replied).toEqual([1, 3, 5, 7, 9, 11]), patience);
  client.send(3, 'hello');
  client.send(7, 'there');
  client.control(6, Buffer.from([0, 0, 0, 1]));
  await vi.waitFor(() => expect(client.data.get(3)).toBe('HELLO'), patience);
  await vi.waitFor(() => expect(client.data.get(7)).toBe('THERE'), patience);
  await vi.waitFor(() => expect(client.pings).toBe(1), patience);
  await vi.waitFor(
    () => expect(client.data.get(9)).toBe('no container has the port 9999'),
    patience,
  );
  // The half that is closed is closed alone: the answer still comes.
  client.send(3, '', true);
  await vi.waitFor(() => expect(client.data.get(3)).toBe('HELLObye'), patience);
  await vi.waitFor(() => expect([...client.ended].sort()).toContain(1), patience);
  client.send(7, ' again');
  await vi.waitFor(() => expect(client.data.get(7)).toBe('THERE AGAIN'), patience);
  socket.destroy();
});

test('a client that speaks nonsense loses its connection, and the others keep theirs', async () => {
  const { socket } = await forward('busy');
  socket.write(
    Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 14, ...Array.from({ length: 14 }, () => 0xff)]),
  );
  await once(socket, 'close');
  expect((await server.request('GET', path('busy', 'log'))).status).toBe(200);
});

test('a pod that nothing runs refuses the change of protocol with its sentence', async () => {
  const { socket, head } = await forward('idle');
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(head).toContain('nothing runs pods here: bind the Service');
  await once(socket, 'close');
});
