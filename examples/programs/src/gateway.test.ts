import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gateway } from '@waygate/gateway';
import { afterEach, expect, test } from 'vitest';

// A gateway in a test: what one's own service sees and answers behind the plugins that it will have.

const upstream = createServer((request, response) => {
  response.end(JSON.stringify({ path: request.url, user: request.headers['x-consumer-username'] }));
});
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  upstream.close();
});

test('the service is behind a key, and is told who asks', async () => {
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.address() as AddressInfo;
  gateway = new Gateway({
    admin: false,
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 'orders',
          url: `http://127.0.0.1:${port}`,
          routes: [{ name: 'orders', paths: ['/orders'] }],
          plugins: [{ name: 'key-auth' }],
        },
      ],
      consumers: [{ username: 'ann', keyauth_credentials: [{ key: 'anns-key' }] }],
    },
  });
  const { proxy } = await gateway.start();
  const url = `http://127.0.0.1:${proxy[0]?.port}/orders/7`;

  expect((await fetch(url)).status).toBe(401);
  const answer = await fetch(url, { headers: { apikey: 'anns-key' } });
  expect(await answer.json()).toEqual({ path: '/7', user: 'ann' });
  expect((await fetch(url.replace('orders', 'other'))).status).toBe(404);
});
