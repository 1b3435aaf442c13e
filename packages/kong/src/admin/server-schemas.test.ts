import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { AdminClient } from './admin-client.ts';
import { prepareSync } from './prepare-sync.ts';

let server: Server | undefined;
let client: AdminClient | undefined;
const asked: string[] = [];

const id = '00000000-0000-4000-8000-000000000001';

/** A Kong of a version in which a service has six retries and a plugin another limit. */
const answers: Readonly<Record<string, unknown>> = {
  '/services': { data: [{ id, name: 'shop', host: 'shop.test', retries: 6 }] },
  '/plugins': { data: [{ id, name: 'limiter', config: { limit: 7, policy: 'local' } }] },
  '/schemas/services': {
    fields: [
      { id: { type: 'string', uuid: true, auto: true } },
      { name: { type: 'string' } },
      { host: { type: 'string' } },
      { retries: { type: 'integer', default: 6 } },
    ],
  },
  '/schemas/plugins/limiter': {
    fields: [
      {
        config: {
          type: 'record',
          required: true,
          fields: [
            { limit: { type: 'integer', default: 7 } },
            { policy: { type: 'string', default: 'local' } },
          ],
        },
      },
    ],
  },
};

afterEach(async () => {
  await client?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

async function operations(version: string): Promise<readonly string[]> {
  asked.length = 0;
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://kong');
    asked.push(pathname);
    const isSchema = pathname.startsWith('/schemas');
    const known = answers[pathname] ?? (isSchema ? undefined : { data: [] });
    response.writeHead(known === undefined ? 404 : 200).end(JSON.stringify(known ?? {}));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  client = new AdminClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const config = {
    services: [{ name: 'shop', host: 'shop.test' }],
    plugins: [{ name: 'limiter' }],
  };
  const { plan } = await prepareSync(client, config, { version });
  return plan.operations.map(({ op, label }) => `${op} ${label}`);
}

it('takes the defaults of the version that it speaks to', async () => {
  expect(await operations('2.8.1')).toEqual([]);
  expect(asked).toContain('/schemas/services');
});

const schemasAsked = () => asked.filter((path) => path.startsWith('/schemas'));

it('asks of the version that is built in for plugins that are not', async () => {
  expect(await operations('3.9.1')).toEqual(['update shop']);
  expect(schemasAsked()).toEqual(['/schemas/plugins/limiter']);
});

it('asks Kong Enterprise, which has fields of its own', async () => {
  expect(await operations('3.9.0.0-enterprise-edition')).toEqual([]);
  expect(schemasAsked().sort()).toEqual([
    '/schemas/plugins',
    '/schemas/plugins/limiter',
    '/schemas/services',
  ]);
});
