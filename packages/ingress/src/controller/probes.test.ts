import { startTestServer } from '@waygate/apiserver';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { IngressController } from './ingress-controller.ts';

test('who waits for a gateway is alive and not ready, and has metrics', async () => {
  await using server = await startTestServer();
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  // Nothing listens on port 1.
  const kongAdmin = new AdminClient({ url: 'http://127.0.0.1:1' });
  const listen = { host: '127.0.0.1', port: 0 };
  const controller = new IngressController({
    client,
    kongAdmin,
    health: listen,
    metrics: { ...listen, isRestricted: false },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  try {
    const { health, metrics } = await vi.waitFor(() => {
      const { addresses } = controller;
      expect(addresses.metrics).toBeDefined();
      return addresses;
    }, patience);
    const status = async (port: number | undefined, path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect(await status(health?.port, '/healthz')).toBe(200);
    expect(await status(health?.port, '/readyz')).toBe(500);
    expect(await status(metrics?.port, '/metrics')).toBe(200);
  } finally {
    stop.abort();
    await running;
    await kongAdmin.close();
    await client.close();
  }
  expect(controller.addresses).toEqual({});
});
