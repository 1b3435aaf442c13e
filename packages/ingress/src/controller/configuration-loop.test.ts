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

test('a facade that is taken away takes its routes with it, whoever else is at fault meanwhile', async () => {
  const clock = new FakeClock();
  let routes: readonly string[] = [];
  const sync: GatewaySync = {
    protocol: 'deck',
    sync: async ({ state }) => {
      routes = state().services.flatMap(({ routes: own = [] }) => own.map(({ name }) => name));
      return { kind: 'unchanged' };
    },
    needsFullSync: async () => false,
    forget: () => {},
  };
  const loop = new ConfigurationLoop({
    options: resolveOptions({ features: { kongServiceFacade: true } }),
    sync,
    clock,
    settleMs: 2,
    maxPauseMs: 3_000,
    resyncCheckMs: 3_000,
    isActive: () => true,
    onPass: () => {},
    onError: (error) => expect.fail(String(error)),
  });
  const apiGroup = 'incubator.ingress-controller.konghq.com';
  const withFacade = (name: string, kind: string): KubeObject => {
    const backend = { resource: { apiGroup, kind, name: 'f' } };
    const rules = [{ http: { paths: [{ path: `/${name}`, pathType: 'Prefix', backend }] } }];
    return { ...ingress(name), spec: { ingressClassName: 'kong', rules } } as KubeObject;
  };
  const facade = {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'KongServiceFacade',
    metadata: {
      name: 'f',
      namespace: 'shop',
      annotations: { 'kubernetes.io/ingress.class': 'kong' },
    },
    spec: { backendRef: { name: 'web', port: 80 } },
  } as KubeObject;
  const web = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } };
  const stop = new AbortController();
  for (const object of [web as KubeObject, facade, withFacade('good', 'KongServiceFacade')])
    loop.change({ type: 'put', object });
  const running = loop.run(stop.signal);
  await clock.advance(10);
  expect(routes).toHaveLength(1);
  // A neighbour who cannot be translated, so that from now on all is looked at.
  loop.change({ type: 'put', object: withFacade('bad', 'Nothing') });
  await clock.advance(10);
  expect(routes).toHaveLength(1);
  loop.change({ type: 'delete', object: facade });
  loop.requestFullPass();
  await clock.advance(10);
  expect(routes).toEqual([]);
  stop.abort();
  await running;
});
