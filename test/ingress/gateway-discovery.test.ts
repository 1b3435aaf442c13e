import { AdminClient } from '@waygate/kong';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answer, core, ingress, ingresses, Stack, service, slice, slices } from './stack.ts';

let stack: Stack;

beforeEach(async () => {
  stack = await Stack.start();
});

afterEach(() => stack.stop());

/** The Pods of the gateways; ports of loopback stand for addresses, one slice for each. */
function adminSlice(name: string, port: number): object {
  return {
    metadata: { name, labels: { 'kubernetes.io/service-name': 'admin' } },
    addressType: 'IPv4',
    ports: [{ name: 'admin-tls', port, appProtocol: 'http' }],
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        conditions: { ready: false },
        targetRef: { kind: 'Pod', name, namespace: 'default' },
      },
    ],
  };
}

test('every gateway behind a Service is fed, those that come later too, and those that left are let go', async () => {
  const [first, second] = [await stack.gateway(), await stack.gateway()];
  await stack.create(slices, adminSlice('one', first.adminPort));
  await stack.create(slices, adminSlice('two', second.adminPort));
  await stack.create(`${core}/services`, service);
  await stack.create(slices, slice(await stack.backend('fed')));
  await stack.create(ingresses, ingress('shop', 'shop.test'));
  const connected: string[] = [];
  const { controller } = stack.controller({
    kongAdmin: {
      service: 'default/admin',
      portNames: ['admin-tls'],
      checkIntervalMs: 100,
      connect: ({ url, tlsServerName }) => {
        connected.push(tlsServerName);
        return new AdminClient({ url: url.replace('10.0.0.1', '127.0.0.1') });
      },
    },
    leaderElection: { namespace: 'default', name: 'leader', identity: 'me', isNeededOnly: true },
  });
  for (const { proxy } of [first, second])
    await until('it is live', async () => (await answer(proxy, 'shop.test')) === 'fed');
  // One writer for all of them: it must hold the lease.
  expect(controller.isLeader).toBe(true);
  expect(connected).toEqual(['pod.admin.default.svc', 'pod.admin.default.svc']);

  const third = await stack.gateway();
  await stack.create(slices, adminSlice('three', third.adminPort));
  await until(
    'the new one is live',
    async () => (await answer(third.proxy, 'shop.test')) === 'fed',
  );

  await first.stop();
  await stack.create(ingresses, ingress('more', 'more.test'));
  for (const { proxy } of [second, third])
    await until('the others go on', async () => (await answer(proxy, 'more.test')) === 'fed');
  await stack.remove(`${slices}/two`);
  await until('it is let go', async () => {
    await stack.remove(`${ingresses}/more`);
    return (await answer(third.proxy, 'more.test')) === '404';
  });
  expect(await answer(second.proxy, 'more.test')).toBe('fed');
});
