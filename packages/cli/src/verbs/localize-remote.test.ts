import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CliContext } from '../context.ts';
import { RemoteFiles } from './localize-remote.ts';

const pages: Record<string, [number, Record<string, string>, string]> = {
  '/a.yaml': [200, { 'content-type': 'text/plain' }, 'kind: A\n'],
  '/moved.yaml': [302, { location: '/a.yaml' }, ''],
  '/page': [200, { 'content-type': 'text/html; charset=utf-8' }, '<p>'],
  '/loop': [302, { location: '/loop' }, ''],
  '/large': [200, { 'content-length': `${33 * 1024 * 1024}` }, ''],
};
const server = createServer((request, response) => {
  const [status, headers, body] = pages[request.url ?? ''] ?? [404, {}, ''];
  response.writeHead(status, headers);
  if (request.url === '/large') response.write(Buffer.alloc(33 * 1024 * 1024));
  else response.end(body);
});
let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function fetched(path: string): Promise<string> {
  const context = { env: {}, signal: new AbortController().signal } as unknown as CliContext;
  const remote = new RemoteFiles(context);
  try {
    const { fileSystem, path: at } = await remote.fetch(`${origin}${path}`);
    return Buffer.from(fileSystem.read(at)).toString();
  } catch (error) {
    return (error as Error).message.replaceAll(origin, '');
  } finally {
    remote.close();
  }
}

test.each([
  ['/a.yaml', 'kind: A\n'],
  ['/moved.yaml', 'kind: A\n'],
  // What is no manifest may be the page of a repository, which this is not.
  ['/page', 'git fetch failed'],
  ['/gone.yaml', 'git fetch failed'],
  ['/loop', '/loop could not be fetched: the server redirects too often'],
  ['/large', '/large could not be fetched: an answer of over 33554432 bytes'],
])('%s is %j', async (path, expected) => {
  expect(await fetched(path)).toContain(expected);
});
