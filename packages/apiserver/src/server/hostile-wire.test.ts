import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const path = '/api/v1/namespaces/default/configmaps';
const object = (more: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}${more}}`;

describe('hostile input', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: {
        Authorization: `Bearer ${server.adminToken}`,
        'Content-Type': 'application/json',
        ...headers,
      },
    });

  test('a body over the limit is refused, with a length and without', async () => {
    const body = object(`,"data":{"k":"${'x'.repeat(3 * 1024 * 1024)}"}`);
    const answer = await post(body);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
    });
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 64; i++) controller.enqueue(new Uint8Array(64 * 1024).fill(120));
        controller.close();
      },
    });
    const streamed = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { Authorization: `Bearer ${server.adminToken}`, 'Content-Type': 'application/json' },
    } as RequestInit).then(
      (each) => each.status,
      () => 413,
    );
    expect(streamed).toBe(413);
  });

  test('a body that grows when it is unpacked is refused', async () => {
    const { gzipSync } = await import('node:zlib');
    const body = gzipSync(object(`,"data":{"k":"${'x'.repeat(64 * 1024 * 1024)}"}`));
    expect(body.length).toBeLessThan(128 * 1024);
    expect((await post(body, { 'Content-Encoding': 'gzip' })).status).toBe(413);
  });

  test.each([
    ['objects in JSON', 'application/json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['lists in JSON', 'application/json', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['lists in YAML', 'application/yaml', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['open lists', 'application/json', '['.repeat(1_000_000)],
  ])('deep nesting of %s is refused', async (_what, type, text) => {
    const nested = type.endsWith('yaml')
      ? `apiVersion: v1\nkind: ConfigMap\ndata: ${text}\n`
      : object(`,"data":${text}`);
    const answer = await post(nested, { 'Content-Type': type });
    expect(answer.status).toBe(400);
    expect((await answer.text()).length).toBeLessThan(8192);
  });

  test('deep nesting in a patch is refused', async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    await server.request('POST', path, object('').replace('"m"', '"patched"'));
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
      const headers = { 'Content-Type': `application/${type}` };
      const url = `${path}/patched?fieldManager=x`;
      const { status } = await server.request('PATCH', url, `{"data":${deep}}`, headers);
      expect(status, type).toBeGreaterThanOrEqual(400);
      expect(status, type).toBeLessThan(500);
    }
  });

  test('many aliases in YAML do not become many objects', async () => {
    const levels = Array.from({ length: 30 }, (_, i) =>
      i === 0
        ? 'l0: &l0 [x]'
        : `l${i}: &l${i} [${Array(10)
            .fill(`*l${i - 1}`)
            .join(',')}]`,
    );
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n${levels.join('\n')}\n`;
    const answer = await post(text, { 'Content-Type': 'application/yaml' });
    expect(answer.status).toBe(400);
  });

  test('a key named __proto__ is refused or kept, and changes nothing else', async () => {
    const body = object(',"data":{"__proto__":"x"},"__proto__":{"polluted":true}');
    await post(body.replace('"m"', '"proto"'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    await server.request('PATCH', `${path}/proto`, '{"__proto__":{"polluted":true}}', merge);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    [
      'a label selector',
      'labelSelector',
      Array.from({ length: 2000 }, (_, i) => `k${i}=v`).join(','),
    ],
    [
      'a set',
      'labelSelector',
      `k in (${Array.from({ length: 5000 }, (_, i) => `v${i}`).join(',')})`,
    ],
    ['nonsense', 'labelSelector', '('.repeat(30_000)],
    ['a field selector', 'fieldSelector', Array(2000).fill('metadata.name=x').join(',')],
    ['a continue token', 'continue', 'A'.repeat(30_000)],
  ])('%s of tens of kilobytes is answered at once', async (_what, key, value) => {
    const started = process.cpuUsage();
    const { status } = await server.request('GET', `${path}?${key}=${encodeURIComponent(value)}`);
    expect([200, 400]).toContain(status);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  test('headers beyond the limit are refused', async () => {
    const answer = await raw(
      server,
      `GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(400_000)}\r\n\r\n`,
    );
    expect(answer === '' || /^HTTP\/1.1 4/.test(answer)).toBe(true);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
  });

  test.each(['GET /a b HTTP/1.1\r\n\r\n', '\0\0\0\0', 'GET //\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\n'])(
    'nonsense on the wire harms nobody (%j)',
    async (text) => {
      await raw(server, text);
      expect((await server.request('GET', '/readyz')).status).toBe(200);
    },
  );

  test.each([
    '//',
    '/api/v1/namespaces/%zz/pods',
    '/api/v1/namespaces/../../pods',
    '/%00',
    `/${'a/'.repeat(20_000)}`,
  ])('a strange path is answered (%#)', async (strange) => {
    const request = `GET ${strange} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.adminToken}\r\nConnection: close\r\n\r\n`;
    expect(await raw(server, request)).toMatch(/^HTTP\/1.1 [234]/);
  });
});

/** Resolves when a socket is gone, also when it went with an error. */
function closed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function raw(server: TestServer, text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk));
  socket.on('error', () => undefined);
  const closing = closed(socket);
  socket.end(text);
  await closing;
  return answer;
}

test('connections that send their request drop by drop are cut off, and others are served', async () => {
  const server = await startTestServer({
    clientTimeouts: { headersMs: 200, requestMs: 400, checkMs: 50 },
  });
  try {
    const slow = Array.from({ length: 200 }, (): Socket => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      return socket;
    });
    const ends = slow.map(closed);
    slow.forEach((socket, index) => {
      // Half of them never finish the headers, half never finish the body.
      socket.write(
        index % 2 === 0
          ? 'GET / HTTP/1.1\r\nHost: localhost\r\nA: '
          : `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Length: 100\r\n\r\n{`,
      );
      socket.resume();
    });
    const drops = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('x');
    }, 20);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    await Promise.all(ends);
    clearInterval(drops);
  } finally {
    await server.stop();
  }
});

test('a watch whose client reads nothing is cut off, and holds no more than its share', async () => {
  const server = await startTestServer();
  try {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET ${path}?watch=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.adminToken}\r\n\r\n`,
    );
    await once(socket, 'readable');
    socket.pause();
    const big = (i: number) => ({ data: { k: `${i}`.padEnd(900_000, 'x') } });
    await server.request('POST', path, JSON.parse(object('')));
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    for (let i = 0; i < 40; i++) await server.request('PATCH', `${path}/m`, big(i), merge);
    socket.resume();
    let received = 0;
    socket.on('data', (chunk) => (received += chunk.length));
    await closed(socket);
    expect(received).toBeLessThan(36_000_000);
  } finally {
    await server.stop();
  }
});
