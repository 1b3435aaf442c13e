import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Person } from '@waygate/dashboard';
import { AdminClient } from '@waygate/kong';
import { expect, test } from 'vitest';
import { gatewayTraceEngine } from './gateway-trace-engine.ts';

const nobody = {} as Person;
const question = { url: 'http://shop.test/' };
const { signal } = new AbortController();

test('a gateway that stands still is said to, before the person has gone', async () => {
  const frozen = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  const { port } = frozen.address() as AddressInfo;
  const admin = new AdminClient({ url: `http://127.0.0.1:${port}` });
  try {
    const engine = gatewayTraceEngine(() => admin, 50);
    await expect(engine.trace(question, nobody, signal)).rejects.toMatchObject({
      code: 'WG_DASHBOARD_UPSTREAM',
      message: 'the gateway did not answer within 0.05 s',
    });
  } finally {
    await admin.close();
    frozen.closeAllConnections();
    frozen.close();
  }
});

test('without a gateway nothing is asked', async () => {
  const engine = gatewayTraceEngine(() => undefined);
  await expect(engine.trace(question, nobody, signal)).rejects.toMatchObject({
    code: 'WG_DASHBOARD_UPSTREAM',
    message: 'no gateway answers',
  });
});
