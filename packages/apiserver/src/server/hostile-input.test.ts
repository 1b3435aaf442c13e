import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
const path = '/api/v1/namespaces/default/configmaps';

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.stop());

test('a body over 3 MiB is refused', async () => {
  const body = JSON.stringify({
    metadata: { name: 'big' },
    data: { k: 'x'.repeat(3 * 1024 * 1024) },
  });
  const result = await server.request('POST', path, body).catch(() => ({ status: 413 }));
  expect(result.status).toBe(413);
});

test('nesting that would exhaust a stack is refused', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  expect((await server.request('POST', path, deep)).status).toBe(400);
});

test('a key that reaches for the prototype is refused', async () => {
  const body = '{"metadata":{"name":"p"},"data":{"__proto__":"x"}}';
  expect((await server.request('POST', path, body)).status).toBe(400);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('duplicate keys are refused when asked to be strict', async () => {
  const body = '{"metadata":{"name":"d"},"data":{"k":"1","k":"2"}}';
  const { status, body: answer } = await server.request(
    'POST',
    `${path}?fieldValidation=Strict`,
    body,
  );
  expect(status).toBe(400);
  expect((answer as { message: string }).message).toContain('duplicate field "data.k"');
});

test('bytes that are not UTF-8 are refused', async () => {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.adminToken}`, 'Content-Type': 'application/json' },
    body: Buffer.concat([
      Buffer.from('{"metadata":{"name":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ]),
  });
  expect(response.status).toBe(400);
});

test.each([
  ['labelSelector', 'a,'.repeat(50_000)],
  ['labelSelector', `a in (${'b,'.repeat(20_000)}c)`],
  ['fieldSelector', 'a=b,'.repeat(30_000)],
])('a huge %s is answered quickly', async (name, value) => {
  const start = process.cpuUsage();
  const { status } = await server.request('GET', `${path}?${name}=${encodeURIComponent(value)}`);
  expect([200, 400, 414, 431]).toContain(status);
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});

test('what is not HTTP does not disturb the others', async () => {
  const { port } = server;
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end('\x16\x03\x01garbage\r\n\r\n'));
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
  });
  expect((await server.request('GET', '/readyz')).status).toBe(200);
});

test('idle watches cost little and go with their connections', async () => {
  const count = 500;
  const controller = new AbortController();
  const before = process.memoryUsage().heapUsed;
  const watches = await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${server.url}${path}?watch=1&resourceVersion=1`, {
        headers: { Authorization: `Bearer ${server.adminToken}` },
        signal: controller.signal,
      }),
    ),
  );
  expect(watches.every((watch) => watch.status === 200)).toBe(true);
  expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(200 * 1024);
  controller.abort();
  await vi.waitFor(async () => {
    expect((await server.request('GET', '/readyz')).status).toBe(200);
  }, patience);
});
