import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ controllers: [] });
});

afterAll(() => server.stop());

/** CBOR's own mark, and an empty map: bytes that are no text. */
const bytes = new Uint8Array([0xd9, 0xd9, 0xf7, 0xa0]);
const maps = '/api/v1/namespaces/default/configmaps';
const unknown = 'the body of the request was in an unknown format';
const noText = 'the body of the request is not valid UTF-8';

test.each([
  ['POST', maps, 'application/cbor', 415, unknown],
  ['PUT', `${maps}/kube-root-ca.crt`, 'application/cbor', 415, unknown],
  ['PATCH', '/api/v1/namespaces/default', 'application/cbor', 415, 'Unsupported Media Type'],
  ['POST', maps, 'text/plain', 415, unknown],
  ['POST', maps, 'application/json', 400, noText],
  ['POST', maps, 'application/yaml; charset=utf-8', 400, noText],
])('%s %s with bytes that are said to be %s', async (method, path, type, code, why) => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    body: bytes,
    headers: { Authorization: `Bearer ${server.adminToken}`, 'Content-Type': type },
  });
  const { message } = (await response.json()) as { message: string };
  expect([response.status, message]).toEqual([code, expect.stringContaining(why)]);
});
