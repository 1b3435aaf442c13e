import { FakeClock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import type { GatewaySync } from '../sync/gateway-sync.ts';
import { resolveOptions } from '../translate/options.ts';
import { ConfigurationLoop } from './configuration-loop.ts';

/** Its Service is not there. */
function ingress(name: string): KubeObject {
  const backend = { service: { name: `no-${name}`, port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ingressClassName: 'kong',
      rules: [{ http: { paths: [{ path: `/${name}`, pathType: 'Prefix', backend }] } }],
    },
  } as KubeObject;
}

test('who waits for its turn looks for itself, not too often; who comes to write does not wait for it', async () => {
  const clock = new FakeClock();
  const told: string[] = [];
  let isActive = false;
  let syncs = 0;
  const sync: GatewaySync = {
    protocol: 'deck',
    sync: async () => {
      syncs += 1;
      return { kind: 'unchanged' };
    },
    needsFullSync: async () => false,
    forget: () => {},
  };
  const names = (problems: readonly { readonly object: { readonly name?: string } }[]) =>
    [...new Set(problems.map(({ object }) => object.name))].sort().join();
  const loop = new ConfigurationLoop({
    options: resolveOptions(),
    sync,
    clock,
    settleMs: 2,
    maxPauseMs: 3_000,
    resyncCheckMs: 3_000,
    isActive: () => isActive,
    onPass: ({ snapshot }) => told.push(`pass ${names(snapshot?.problems ?? [])}`),
    onLook: (problems) => told.push(`look ${names(problems)}`),
    onError: (error) => expect.fail(String(error)),
  });
  const stop = new AbortController();
  loop.change({ type: 'put', object: ingress('one') });
  const running = loop.run(stop.signal);
  await clock.advance(10);
  expect(told).toEqual(['look one']);
  // A storm of changes is looked at once it may be, and its last state is seen.
  for (const name of ['two', 'three']) {
    loop.change({ type: 'put', object: ingress(name) });
    await clock.advance(100);
  }
  expect(told.length).toBe(1);
  await clock.advance(1_000);
  expect(told.slice(1)).toEqual(['look one,three,two']);
  // Nothing changed: there is nothing to look at.
  await clock.advance(60_000);
  expect(told.length).toBe(2);
  expect(syncs).toBe(0);
  // Right after a look it is its turn to write: at once.
  loop.change({ type: 'delete', object: ingress('two') });
  await clock.advance(10);
  isActive = true;
  loop.takeOver();
  await clock.advance(10);
  expect(told.slice(3)).toEqual(['pass one,three']);
  expect(syncs).toBe(1);
  // It lost its turn: what it said stands until it has looked, without a change.
  isActive = false;
  await clock.advance(4_100);
  expect(told.slice(4)).toEqual(['look one,three']);
  await clock.advance(60_000);
  expect(told.length).toBe(5);
  stop.abort();
  await running;
  expect(clock.timerCount).toBe(0);
});
