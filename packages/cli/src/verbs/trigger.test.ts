import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookPath } from '@waygate/gitops';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

const answers: number[] = [];
const seen: { path: string; signature: string; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const signature = String(request.headers['x-signature'] ?? '');
    seen.push({ path: request.url ?? '', signature, body });
    response.writeHead(answers.shift() ?? 200).end();
  });
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const words = (...more: string[]): string[] => [
  'trigger',
  'receiver',
  'push',
  '--token',
  't',
  ...more,
];

test('a receiver is triggered at its own path, again where it is not there yet', async () => {
  answers.push(404);
  const { exitCode, stderr } = await runInProcess(
    words('--url', `${url}/`, '--retry-delay', '1ms'),
  );
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('✔ Receiver flux-system/push')]);
  expect(seen.splice(0)).toEqual([
    { path: webhookPath('t', 'push', 'flux-system'), signature: '', body: '{}' },
    { path: webhookPath('t', 'push', 'flux-system'), signature: '', body: '{}' },
  ]);
});

test('a request can be signed, and a refusal is final and does not tell the path', async () => {
  answers.push(401);
  const refused = await runInProcess(
    words('--url', url, '-n', 'apps', '--type', 'generic-hmac', '--payload', '{"a":1}'),
  );
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(/failed with status 401\n$/);
  expect(refused.stderr).not.toContain('/hook/');
  const [request] = seen.splice(0);
  expect(request?.path).toBe(webhookPath('t', 'push', 'apps'));
  expect(request?.signature).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test.each([
  [words(), '--url is required'],
  [['trigger', 'ks', 'push', '--url', 'http://127.0.0.1:1'], 'only a receiver is triggered'],
  [['trigger', 'receiver', 'push', '--url', 'http://127.0.0.1:1'], '--token is required'],
  [[...words(), '--url', 'flux.example'], '--url must be an address such as https://flux.example'],
  [[...words(), '--url', 'http://a b'], '--url must be an address such as https://flux.example'],
])('%j is wrong usage', async (line, problem) => {
  const { exitCode, stderr } = await runInProcess(line);
  expect([exitCode, stderr]).toEqual([64, expect.stringContaining(problem)]);
});
