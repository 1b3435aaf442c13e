import type { JsonObject, KongRoute } from '@waygate/kong';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EntityDifference, toUpdate } from '../configuration/entity-difference.ts';
import { EntityReplica } from '../configuration/entity-replica.ts';
import { StoreSource } from '../configuration/store-source.ts';
import { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { pluginMap } from '../plugins/built-in-plugins.ts';
import type { RouteRequest } from '../router/route-match.ts';
import { Snapshot } from './snapshot.ts';

const settings = {
  flavor: 'traditional_compatible' as const,
  plugins: pluginMap({}, new GatewayMetrics()),
};

const id = (kind: number, index: number) => `00000000-0000-4000-8000-0000000${kind}000${index}`;
const small = fc.nat(3);

/** A write that may well be refused: to something that is not there, or with a name that is taken. */
const write = fc.oneof(
  fc.record({
    collection: fc.constant('services' as const),
    id: small.map((index) => id(1, index)),
    body: fc.record({ host: fc.constantFrom('one.test', 'two.test'), enabled: fc.boolean() }),
  }),
  fc.record({
    collection: fc.constant('routes' as const),
    id: small.map((index) => id(2, index)),
    body: fc.record({
      paths: fc.constantFrom(['/a'], ['/a', '/ab'], ['/b']),
      service: small.map((index) => ({ id: id(1, index) })),
    }),
  }),
  fc.record({
    collection: fc.constant('consumers' as const),
    id: small.map((index) => id(3, index)),
    body: fc.record({ username: fc.constantFrom('ann', 'bob', 'eve') }),
  }),
  fc.record({
    collection: fc.constant('keyauth_credentials' as const),
    id: small.map((index) => id(4, index)),
    body: fc.record({
      key: fc.constantFrom('k1', 'k2', 'k3'),
      consumer: small.map((index) => ({ id: id(3, index) })),
    }),
  }),
  fc.record({
    collection: fc.constant('acls' as const),
    id: small.map((index) => id(5, index)),
    body: fc.record({
      group: fc.constantFrom('g1', 'g2'),
      consumer: small.map((index) => ({ id: id(3, index) })),
    }),
  }),
  fc.record({
    collection: fc.constant('plugins' as const),
    id: small.map((index) => id(6, index)),
    body: fc.record({
      name: fc.constantFrom('rate-limiting', 'request-termination', 'correlation-id'),
      enabled: fc.boolean(),
      route: fc.option(small.map((index) => ({ id: id(2, index) }))),
      service: fc.option(small.map((index) => ({ id: id(1, index) }))),
      consumer: fc.option(small.map((index) => ({ id: id(3, index) }))),
    }),
  }),
);

const step = fc.record({ write, isDelete: fc.integer({ max: 3, min: 0 }).map((one) => one === 0) });

function bodyOf(body: object): JsonObject {
  const isLimit = (body as { readonly name?: string }).name === 'rate-limiting';
  return { ...body, ...(isLimit ? { config: { minute: 5, policy: 'local' } } : {}) };
}

function ask(path: string): RouteRequest {
  return {
    protocol: 'http',
    method: 'GET',
    path,
    host: 'x.test',
    sni: undefined,
    sourceIp: '10.0.0.1',
    sourcePort: 1,
    destinationIp: '127.0.0.1',
    destinationPort: 80,
    header: () => undefined,
    query: () => undefined,
  };
}

/** All that the proxy could learn from a snapshot about this small world. */
function view(snapshot: Snapshot): unknown {
  const { routers, plan, consumers } = snapshot;
  return {
    routed: ['/a', '/abc', '/b', '/c'].map((path) => {
      const match = routers.http.match(ask(path));
      const planned = match && plan.forRoute(match.entry.route as KongRoute, match.entry.service);
      const people = [undefined, id(3, 0), id(3, 1), id(3, 2), id(3, 3)];
      return {
        entry: match?.entry,
        plugins: people.map((one) => planned?.map((plugin) => plugin.resolve(one)?.entity)),
      };
    }),
    global: plan.global.map(({ entity }) => entity),
    consumers: ['ann', 'bob', 'eve'].map((name) => consumers.consumerByUsername(name)),
    keys: ['k1', 'k2', 'k3'].map((key) => consumers.credential('keyauth_credentials', 'key', key)),
    groups: [0, 1, 2, 3].map((index) =>
      [...consumers.credentialsOf('acls', id(3, index))].sort((one, two) =>
        one.id < two.id ? -1 : 1,
      ),
    ),
  };
}

describe('Snapshot', () => {
  test('one that was changed says what one made anew says, here and in a worker', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 40 }), (steps) => {
        let differences: EntityDifference[] = [];
        const source = new StoreSource({ now: () => 1_700_000_000_000 }, (one) =>
          differences.push(one),
        );
        const replica = new EntityReplica();
        let here = Snapshot.of(source, settings);
        let there = Snapshot.of(replica, settings);
        const seen: { readonly snapshot: Snapshot; readonly view: unknown }[] = [];
        for (const { write: one, isDelete } of steps) {
          differences = [];
          if (isDelete) source.store.delete(one.collection, one.id);
          else source.store.upsert(one.collection, one.id, bodyOf(one.body));
          here = here.change(differences);
          there = there.change(replica.apply(differences.map(toUpdate)));
          const anew = view(Snapshot.of(source, settings));
          expect(view(here)).toEqual(anew);
          expect(view(there)).toEqual(anew);
          seen.push({ snapshot: here, view: anew });
        }
        for (const { snapshot, view: before } of seen) {
          expect(view(snapshot)).toEqual(before);
        }
      }),
      { numRuns: 25 },
    );
  });
});
