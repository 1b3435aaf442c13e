import { entityKinds, type JsonObject, type KongRoute } from '@waygate/kong';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { BalancerRegistry } from '../../balancer/balancer-registry.ts';
import { DnsCache } from '../../balancer/dns-cache.ts';
import { toUpdate } from '../../configuration/entity-difference.ts';
import { EntityReplica } from '../../configuration/entity-replica.ts';
import { StoreSource } from '../../configuration/store-source.ts';
import { GatewayMetrics } from '../../metrics/gateway-metrics.ts';
import { pluginMap } from '../../plugins/built-in-plugins.ts';
import type { RouteRequest } from '../../router/route-match.ts';
import { Snapshot } from '../../snapshot/snapshot.ts';
import { makeCertificate } from '../../testing/make-certificate.ts';
import type { CertificatePair } from '../../tls/default-certificate.ts';
import type { CheckedEntities } from './checked-entities.ts';
import { loadDeclarative } from './load-declarative.ts';

const settings = {
  flavor: 'traditional_compatible' as const,
  plugins: pluginMap({}, new GatewayMetrics()),
};
const validation = { now: () => 1_700_000_000_000 };

let pairs: readonly CertificatePair[];
beforeAll(async () => {
  pairs = await Promise.all([makeCertificate('one.test'), makeCertificate('two.test')]);
});

/** An id of its own out of few, or none: so that ids, names and owners change hands. */
const ownId = (kind: number) =>
  fc.option(
    fc.nat(2).map((index) => `00000000-0000-4000-8000-0000000${kind}000${index}`),
    { nil: undefined, freq: 2 },
  );
const some = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 3) => fc.array(arbitrary, { maxLength });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const plugin = fc.record({
  id: ownId(1),
  name: fc.constantFrom('cors', 'request-termination', 'correlation-id', 'bot-detection'),
  enabled: fc.boolean(),
});
const route = fc.record({
  id: ownId(2),
  name: maybe(fc.constantFrom('r1', 'r2', 'r3')),
  paths: fc.constantFrom(['/a'], ['/a', '/ab'], ['/b']),
  plugins: some(plugin, 2),
});
const service = fc.record({
  id: ownId(3),
  name: maybe(fc.constantFrom('s1', 's2')),
  host: fc.constantFrom('u1', 'u2', '10.0.0.1'),
  routes: some(route, 2),
  plugins: some(plugin, 1),
});
const consumer = fc.record({
  id: ownId(4),
  username: fc.constantFrom('ann', 'bob', 'eve'),
  keyauth_credentials: some(fc.record({ id: ownId(5), key: fc.constantFrom('k1', 'k2', 'k3') }), 2),
  acls: some(fc.record({ id: ownId(6), group: fc.constantFrom('g1', 'g2') }), 2),
  plugins: some(plugin, 1),
});
const upstream = fc.record({
  id: ownId(7),
  name: fc.constantFrom('u1', 'u2'),
  targets: some(
    fc.record({
      id: ownId(8),
      target: fc.constantFrom('10.0.1.1:80', '10.0.1.2:80', '10.0.1.3:80'),
      weight: fc.constantFrom(10, 100),
    }),
    2,
  ),
});
const name = fc.constantFrom('a.test', 'b.test', '*.test');
const certificate = fc.record({
  id: ownId(9),
  pair: fc.nat(1),
  snis: some(fc.record({ id: ownId(0), name }), 2),
});
const anyDocument = fc.record({
  _format_version: fc.constant('3.0'),
  services: some(service, 2),
  routes: some(route, 2),
  consumers: some(consumer, 2),
  upstreams: some(upstream, 2),
  certificates: some(certificate, 2),
  plugins: some(plugin, 2),
});

/** Undefined is not there, and a certificate is the text that its number stands for. */
function toDocument(value: object): JsonObject {
  const filled = JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    const index = (part as { readonly pair?: number } | null)?.pair;
    if (index === undefined) return part;
    const { pair: _pair, ...rest } = part as { readonly pair: number };
    return { ...rest, ...pairs[index] };
  }) as JsonObject;
  return filled;
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

const byId = (one: { readonly id?: unknown }, two: { readonly id?: unknown }) =>
  String(one.id) < String(two.id) ? -1 : 1;

/** All that a client could notice of a snapshot of this small world. */
function view({ routers, plan, consumers, certificates }: Snapshot): unknown {
  const people = ['ann', 'bob', 'eve'].map((one) => consumers.consumerByUsername(one));
  return {
    people,
    routed: ['/a', '/abc', '/b', '/c'].map((path) => {
      const match = routers.http.match(ask(path));
      const planned = match && plan.forRoute(match.entry.route as KongRoute, match.entry.service);
      return {
        entry: match?.entry,
        plugins: [undefined, ...people].map((one) =>
          planned?.map((each) => each.resolve(one?.id)?.entity),
        ),
      };
    }),
    global: plan.global.map(({ entity }) => entity),
    keys: ['k1', 'k2', 'k3'].map((key) => consumers.credential('keyauth_credentials', 'key', key)),
    groups: people.map((one) => [...consumers.credentialsOf('acls', one?.id ?? '')].sort(byId)),
    served: ['a.test', 'b.test', 'c.test', 'none'].map(
      (one) => certificates.certificate(certificates.certificateIdFor(one))?.cert,
    ),
  };
}

function content(source: StoreSource): unknown {
  return entityKinds.map(({ collection }) => [...source.list(collection)].sort(byId));
}

function newBalancers(): BalancerRegistry {
  const dns = new DnsCache(() => Promise.reject(new Error('no name here')), validation.now);
  return new BalancerRegistry({ dns, random: () => 0.5, now: validation.now, slowStartMs: 0 });
}

function balanced(registry: BalancerRegistry): unknown {
  return ['u1', 'u2'].map((one) =>
    registry
      .find(one)
      ?.states.map(({ target }) => target)
      .sort(byId),
  );
}

describe('a document after other documents', () => {
  test('is what it is when it comes first: in content, here and in a worker', () => {
    let loaded = 0;
    fc.assert(
      fc.property(fc.array(anyDocument, { minLength: 2, maxLength: 5 }), (documents) => {
        const source = new StoreSource(validation, () => undefined);
        const replica = new EntityReplica();
        const balancers = newBalancers();
        let here = Snapshot.of(source, settings);
        let there = Snapshot.of(replica, settings);
        let before: CheckedEntities | undefined;
        for (const document of documents.map(toDocument)) {
          const again = new StoreSource(validation, () => undefined);
          const fresh = loadDeclarative(document, {
            validation,
            store: again.createStore(),
            before: undefined,
          });
          const next = loadDeclarative(document, {
            validation,
            store: source.createStore(),
            before,
          });
          expect(next.kind).toBe(fresh.kind);
          if (next.kind === 'invalid' || fresh.kind === 'invalid') continue;
          loaded += 1;
          before = next.checked;
          const differences = source.replace(next.store);
          again.replace(fresh.store);
          here = here.change(differences);
          there = there.change(replica.apply(differences.map(toUpdate)));
          balancers.change(source, differences);
          const balancersAnew = newBalancers();
          balancersAnew.load(again);
          const anew = view(Snapshot.of(again, settings));
          expect(content(source)).toEqual(content(again));
          expect(view(here)).toEqual(anew);
          expect(view(there)).toEqual(anew);
          expect(balanced(balancers)).toEqual(balanced(balancersAnew));
        }
      }),
      { numRuns: 120 },
    );
    // Most documents must be good ones, or nothing was compared.
    expect(loaded).toBeGreaterThan(60);
  });
});
