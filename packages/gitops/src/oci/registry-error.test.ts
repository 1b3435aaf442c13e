import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { registryError } from './registry-error.ts';

const { signal } = new AbortController();

async function told(body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new OutgoingClient();
  try {
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const response = await client.send({ origin, path: '/', signal });
    const error = await registryError(
      'GET',
      new URL('http://me:secret@shop.example/v2/a'),
      response,
    );
    expect(error.status).toBe(404);
    expect(error.code).toBe('WG_GITOPS_HTTP');
    return error.message;
  } finally {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const one = (error: unknown) => JSON.stringify({ errors: [error] });
const nested = { a: { b: { c: { d: { e: 1 } } } } };

test.each([
  ['', 'unexpected status code 404 Not Found'],
  ['no JSON', 'unexpected status code 404 Not Found'],
  ['[]', 'unexpected status code 404 Not Found'],
  ['{"errors":{}}', 'unexpected status code 404 Not Found'],
  ['{"errors":["x"]}', 'unexpected status code 404 Not Found'],
  [one({ code: 'MANIFEST_UNKNOWN', message: 'unknown' }), 'MANIFEST_UNKNOWN: unknown'],
  [one({ code: 'A' }), 'A: '],
  [one({ code: 'A', message: 'm', detail: null }), 'A: m'],
  [one({ code: 'A', message: 'm', detail: 'd' }), 'A: m; d'],
  [one({ code: 'A', message: 'm', detail: { b: [1, 'x'], a: true } }), 'A: m; map[a:true b:[1 x]]'],
  [one({ code: 'A', message: 'm', detail: nested }), 'A: m; map[a:map[b:map[c:map[d:map[e:…]]]]]'],
  [one({ code: 'A', message: 'm'.repeat(2000) }), `A: ${'m'.repeat(997)}`],
  ['{"errors":[{"code":"A","message":"m"},{"code":"B","message":"n"}]}', 'A: m; B: n'],
])('%s', async (body, said) => {
  expect(await told(body)).toBe(`GET http://shop.example/v2/a: ${said}`);
});

test('ten are enough', async () => {
  const errors = Array.from({ length: 12 }, (_one, index) => ({ code: index, message: 'm' }));
  expect(await told(JSON.stringify({ errors }))).toMatch(/; 9: m$/);
});
