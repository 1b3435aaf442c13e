import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

let backend: Server;
let gateway: Gateway;
let base: string;

const limits = { video: { year: 3 }, image: { year: 2 } };
const configs: Record<string, object> = {
  plain: { limits },
  hidden: { limits, hide_client_headers: true },
  blocking: { limits: { video: { year: 1 } }, block_on_first_violation: true },
  renamed: { limits, header_name: 'x-used' },
};

beforeAll(async () => {
  backend = createServer((request, reply) => {
    const used = new URL(request.url ?? '', 'http://x').searchParams;
    for (const [name, value] of used) reply.appendHeader(name, value);
    reply.end('answer');
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const { port } = backend.address() as AddressInfo;
  const routes = Object.entries(configs).map(([name, config]) => ({
    name,
    paths: [`/${name}`],
    plugins: [{ name: 'response-ratelimiting', config: { policy: 'local', ...config } }],
  }));
  gateway = new Gateway({
    proxy: [{ host: '127.0.0.1', port: 0 }],
    admin: false,
    config: { _format_version: '3.0', services: [{ name: 's', host: '127.0.0.1', port, routes }] },
  });
  const { proxy } = await gateway.start();
  base = `http://127.0.0.1:${proxy[0]?.port}`;
});

afterAll(async () => {
  await gateway.stop();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function ask(path: string) {
  const answer = await fetch(`${base}${path}`);
  const left = (name: string) => answer.headers.get(`x-ratelimit-remaining-${name}`);
  return {
    status: answer.status,
    body: await answer.text(),
    left: [left('video'), left('image')],
    limit: answer.headers.get('x-ratelimit-limit-video-year'),
    used: answer.headers.get('x-kong-limit') ?? answer.headers.get('x-used'),
  };
}

test('what an answer says it used is counted, and told', async () => {
  const asked = '/plain?x-kong-limit=video%3D2,%20image&x-kong-limit=none';
  expect(await ask(asked)).toEqual({
    ...{ status: 200, body: 'answer', left: ['1', '1'], limit: '3', used: null },
  });
  const further = '/plain?x-kong-limit=video%3D1,image%3D-1,image%3Dx,%3D5';
  await expect.poll(async () => (await ask('/plain')).left).toEqual(['1', '1']);
  expect((await ask(further)).left).toEqual(['0', '1']);
  await expect.poll(async () => (await ask('/plain')).left).toEqual(['0', '1']);
  const over = await ask('/plain?x-kong-limit=video');
  expect([over.status, over.body, over.left]).toEqual([429, '', ['0', '1']]);
  expect((await ask('/plain?x-kong-limit=image%3D0')).status).toBe(200);
});

test('clients may be told nothing', async () => {
  const answer = await ask('/hidden?x-kong-limit=video');
  expect(answer).toMatchObject({ status: 200, left: [null, null], limit: null, used: null });
});

test('one that used up anything may be refused at once', async () => {
  expect((await ask('/blocking?x-kong-limit=video')).status).toBe(200);
  await expect.poll(async () => (await ask('/blocking')).status).toBe(429);
  expect((await ask('/blocking')).body).toContain("API rate limit exceeded for 'video'");
});

test('the header has the name that was configured', async () => {
  const answer = await ask('/renamed?x-used=video&x-kong-limit=image');
  expect(answer).toMatchObject({ left: ['2', '2'], used: 'image' });
});
