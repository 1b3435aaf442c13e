import { describe, expect, test } from 'vitest';
import { noFaults } from '../translate/faults.ts';
import {
  emptyState,
  type KongState,
  type PluginEntity,
  type ServiceEntity,
} from '../translate/kong-state.ts';
import { effectiveState } from './effective-state.ts';
import { entitiesOf } from './entity-key.ts';
import { LastGood } from './last-good.ts';
import { Refusals } from './refusals.ts';

const tagsOf = (kind: string, name: string) => [
  `k8s-name:${name}`,
  'k8s-namespace:shop',
  `k8s-kind:${kind}`,
  'k8s-group:configuration.konghq.com',
  'k8s-version:v1',
];

interface Case {
  readonly good?: Partial<KongState>;
  readonly desired: Partial<KongState>;
  /** Keys of entities of `desired` that are refused, and of `good` that are. */
  readonly refused?: readonly string[];
  readonly refusedOld?: readonly string[];
  readonly incomplete?: readonly string[];
  readonly faulty?: readonly string[];
}

function merged({ good, desired, refused = [], refusedOld = [], incomplete = [], faulty }: Case) {
  const wanted: KongState = { ...emptyState, ...desired };
  const before: KongState = { ...emptyState, ...good };
  const last = new LastGood();
  if (good !== undefined) last.accept(before);
  const refusals = new Refusals();
  const refuse = (state: KongState, keys: readonly string[]) => {
    for (const { key, entity } of entitiesOf(state))
      if (keys.includes(key)) refusals.add(key, entity, []);
  };
  refuse(wanted, refused);
  refuse(before, refusedOld);
  const faults = {
    ...noFaults,
    incomplete: new Set(incomplete),
    objects: new Set(faulty ?? []) as never,
  };
  const { state, kept, leftOut, services } = effectiveState(wanted, faults, refusals, last);
  const names = (list: readonly object[]) =>
    list.map((one) => {
      const { name, username, id, prefix } = one as Record<string, string>;
      return name ?? username ?? prefix ?? id;
    });
  return { state, kept: names(kept), leftOut: names(leftOut), services: [...services] };
}

const service = (more: object = {}): ServiceEntity => ({
  name: 's',
  host: 'u',
  protocol: 'http',
  retries: 1,
  ...more,
});
const before = { name: 'r', paths: ['/old'] };
const after = { name: 'r', paths: ['/new'] };
const good = { services: [service({ routes: [before] })], upstreams: [{ name: 'u', slots: 1 }] };
const wanted = { services: [service({ routes: [after] })], upstreams: [{ name: 'u', slots: 2 }] };

describe('a route', () => {
  test('that is refused stays as it was, at its service as that is now', () => {
    const result = merged({
      good,
      desired: { ...wanted, services: [service({ retries: 2, routes: [after] })] },
      refused: ['routes r'],
    });
    expect(result.state.services).toEqual([service({ retries: 2, routes: [before] })]);
    expect(result.state.upstreams).toEqual(wanted.upstreams);
    expect(result).toMatchObject({ kept: ['r'], leftOut: [], services: ['s'] });
  });

  test('that never was is left out', () => {
    const result = merged({ desired: wanted, refused: ['routes r'] });
    expect(result.state.services).toEqual([service()]);
    expect(result).toMatchObject({ kept: [], leftOut: ['r'], services: ['s'] });
  });

  test('whose old version is refused as well is left out', () => {
    const result = merged({
      good,
      desired: wanted,
      refused: ['routes r'],
      refusedOld: ['routes r'],
    });
    expect(result.state.services).toEqual([service()]);
    expect(result).toMatchObject({ kept: [], leftOut: ['r'] });
  });

  const acl = (config: Record<string, unknown>): PluginEntity => ({
    name: 'acl',
    route: 'r',
    config,
  });
  test('whose plugin is refused stays as it was, with the plugin of then', () => {
    const result = merged({
      good: { ...good, plugins: [acl({ old: 1 })] },
      desired: { ...wanted, plugins: [acl({ now: 1 })] },
      refused: ['plugins acl r   '],
    });
    expect(result.state.services).toEqual([service({ routes: [before] })]);
    expect(result.state.plugins).toEqual([acl({ old: 1 })]);
  });

  test('is not there without a plugin that was good and is refused now', () => {
    const plugins = [acl({ old: 1 })];
    const result = merged({
      good: { ...good, plugins },
      desired: { ...wanted, plugins },
      refused: ['plugins acl r   '],
    });
    expect(result.state.services).toEqual([service()]);
    expect(result.state.plugins).toEqual([]);
    expect(result.leftOut).toEqual(['r']);
  });

  test('whose own plugin is refused stays as it was', () => {
    const routes = [{ ...after, plugins: [{ name: 'cors' }] }];
    const desired = { ...wanted, services: [service({ routes })] };
    const result = merged({ good, desired, refused: ['plugins cors r   '] });
    expect(result.state.services).toEqual([service({ routes: [before] })]);
  });

  test('that lacks a plugin goes with those beside it that are whole', () => {
    const other = { name: 'r2', paths: ['/2'] };
    const desired = { ...wanted, services: [service({ routes: [after, other] })] };
    const result = merged({ good, desired, incomplete: ['route r'] });
    expect(result.state.services).toEqual([service({ routes: [other, before] })]);
    expect(result.state.upstreams).toEqual(wanted.upstreams);
  });

  test('of an object at fault that is not asked for stays with its service and upstream', () => {
    const tags = tagsOf('Ingress', 'web');
    const kept = {
      services: [service({ routes: [{ ...before, tags }] })],
      upstreams: [{ name: 'u' }],
    };
    const gone = merged({ good: kept, desired: {} });
    expect(gone.state).toEqual(emptyState);
    const result = merged({ good: kept, desired: {}, faulty: [faultyId(tags)] });
    expect(result.state.services).toEqual(kept.services);
    expect(result.state.upstreams).toEqual(kept.upstreams);
    expect(result).toMatchObject({ kept: ['r'], services: ['s'] });
  });
});

/** As faults name objects. */
function faultyId(tags: readonly string[]): string {
  const fields = Object.fromEntries(tags.map((tag) => tag.slice(4).split(':')));
  return `${fields.kind} ${fields.namespace}/${fields.name}`;
}

describe('a service', () => {
  test.each<[string, Case]>([
    [
      'is refused',
      {
        good,
        desired: { ...wanted, services: [service({ retries: 9, routes: [after] })] },
        refused: ['services s'],
      },
    ],
    ['lacks a plugin', { good, desired: wanted, incomplete: ['service s'] }],
    [
      'has a plugin that is refused',
      {
        good,
        desired: { ...wanted, plugins: [{ name: 'acl', service: 's' }] },
        refused: ['plugins acl  s  '],
      },
    ],
    [
      'has a plugin of its own that is refused',
      {
        good,
        desired: { ...wanted, services: [service({ plugins: [{ name: 'x' }], routes: [after] })] },
        refused: ['plugins x  s  '],
      },
    ],
    [
      'shows a certificate that is refused',
      {
        good,
        desired: {
          ...wanted,
          services: [service({ client_certificate: 'c', routes: [after] })],
          certificates: [{ id: 'c', cert: 'x', key: 'y' }],
        },
        refused: ['certificates c'],
      },
    ],
    [
      'trusts an authority that is refused',
      {
        good,
        desired: {
          ...wanted,
          services: [service({ ca_certificates: ['a'], routes: [after] })],
          caCertificates: [{ id: 'a', cert: 'x' }],
        },
        refused: ['ca_certificates a'],
      },
    ],
  ])('that %s stays as it was, with its routes', (_what, one) => {
    const { state, services } = merged(one);
    expect(state.services).toEqual([service({ routes: [before] })]);
    expect(state.plugins).toEqual([]);
    expect(services).toEqual(['s']);
  });

  test('with a certificate that is nobody of ours is as it is asked for', () => {
    const services = [service({ client_certificate: 'theirs', routes: [after] })];
    const result = merged({ good, desired: { ...wanted, services }, refused: ['routes x'] });
    expect(result.state.services).toEqual(services);
    expect(result).toMatchObject({ kept: [], leftOut: [], services: [] });
  });

  test('that is refused in both versions is gone with its routes', () => {
    const result = merged({
      good,
      desired: { ...wanted, services: [service({ retries: 9, routes: [after] })] },
      refused: ['services s'],
      refusedOld: ['services s'],
    });
    expect(result.state.services).toEqual([]);
    expect(result.state.upstreams).toEqual([]);
    expect(result.leftOut).toEqual(['s', 'r']);
  });
});

describe('an upstream', () => {
  const targets = [{ target: '10.0.0.2:80' }];
  const old = { name: 'u', slots: 1, targets: [{ target: '10.0.0.1:80' }] };
  const now = { name: 'u', slots: 2, targets };
  const state = (upstream: object) =>
    ({ services: [service({ routes: [after] })], upstreams: [upstream] }) as Partial<KongState>;
  test.each<[string, Case, object]>([
    [
      'refused',
      { good: state(old), desired: state(now), refused: ['upstreams u'] },
      { ...old, targets },
    ],
    [
      'with targets that are refused',
      { good: state(old), desired: state(now), refused: ['targets u'] },
      { ...now, targets: old.targets },
    ],
    ['both', { good: state(old), desired: state(now), refused: ['upstreams u', 'targets u'] }, old],
    [
      'with targets that are refused, and none before',
      { desired: state(now), refused: ['targets u'] },
      { name: 'u', slots: 2 },
    ],
  ])('%s', (_what, one, upstream) => {
    const result = merged(one);
    expect(result.state.upstreams).toEqual([upstream]);
    expect(result.state.services).toEqual(one.desired.services);
    expect(result).toMatchObject({ kept: ['u'], leftOut: [] });
  });

  test('that never was takes its service along', () => {
    const result = merged({ desired: state(now), refused: ['upstreams u'] });
    expect(result.state.upstreams).toEqual([]);
    expect(result.state.services).toEqual([]);
    expect(result.leftOut).toEqual(['u', 's', 'r']);
  });

  test('that is refused in both versions takes its service along', () => {
    const result = merged({
      good: state(old),
      desired: state(now),
      refused: ['upstreams u'],
      refusedOld: ['upstreams u'],
    });
    expect(result.leftOut.slice(0, 2)).toEqual(['u', 's']);
  });
});

describe('consumers and groups', () => {
  const bob = (key: string) => ({ username: 'bob', keyauth_credentials: [{ key }] });
  const key = (plugins: readonly PluginEntity[] = []) => plugins.map(({ config }) => config);
  const onBob = (config: Record<string, unknown>): PluginEntity => ({
    name: 'acl',
    consumer: 'bob',
    config,
  });
  test('stay as they were, with the plugins of then', () => {
    const result = merged({
      good: { consumers: [bob('old')], plugins: [onBob({ old: 1 })] },
      desired: { consumers: [bob('new'), { username: 'eve' }], plugins: [onBob({ now: 1 })] },
      refused: ['consumers bob'],
    });
    expect(result.state.consumers).toEqual([bob('old'), { username: 'eve' }]);
    expect(key(result.state.plugins)).toEqual([{ old: 1 }]);
    expect(result.kept).toEqual(['bob']);
  });

  test('are left out when they never were, or when their old plugin is refused now', () => {
    const plugins = [onBob({ old: 1 })];
    const fresh = merged({
      desired: { consumers: [bob('new')], plugins },
      incomplete: ['consumer bob'],
    });
    expect(fresh.state).toEqual(emptyState);
    const refusedPlugin = merged({
      good: { consumers: [bob('old')], plugins },
      desired: { consumers: [bob('new')], plugins },
      refused: ['plugins acl   bob '],
    });
    expect(refusedPlugin.state).toEqual(emptyState);
    expect(refusedPlugin.leftOut).toEqual(['bob']);
  });

  test('of objects at fault stay, unless they are refused', () => {
    const tags = tagsOf('KongConsumer', 'bob');
    const held = { ...bob('old'), tags };
    const faulty = [faultyId(tags)];
    const one = merged({ good: { consumers: [held, { username: 'eve' }] }, desired: {}, faulty });
    expect(one.state.consumers).toEqual([held]);
    expect(one.kept).toEqual(['bob']);
    const refused = merged({
      good: { consumers: [held] },
      desired: {},
      faulty,
      refusedOld: ['consumers bob'],
    });
    expect(refused.state.consumers).toEqual([]);
  });

  test('are members of the groups that are there', () => {
    const groups = [{ name: 'gold' }, { name: 'tin' }];
    const consumers = [
      { username: 'bob', groups },
      { username: 'eve', groups: groups.slice(1) },
    ];
    const result = merged({
      desired: {
        consumers,
        consumerGroups: groups,
        plugins: [
          { name: 'acl', consumer_group: 'tin' },
          { name: 'acl', consumer_group: 'gold' },
          { name: 'cors', route: 'r', consumer_group: 'tin' },
        ],
      },
      refused: ['consumer_groups tin'],
    });
    expect(result.state.consumerGroups).toEqual([{ name: 'gold' }]);
    expect(result.state.consumers).toEqual([
      { username: 'bob', groups: [{ name: 'gold' }] },
      { username: 'eve' },
    ]);
    expect(result.state.plugins).toEqual([{ name: 'acl', consumer_group: 'gold' }]);
  });
});

test('a plugin for all, a certificate and a vault stay as they were', () => {
  const global = (config: Record<string, unknown>): PluginEntity => ({ name: 'cors', config });
  const vault = (description: string) => ({ prefix: 'v', name: 'env', description });
  const certificate = (cert: string) => ({ id: 'c', cert, key: 'k' });
  const state = (text: string) => ({
    plugins: [global({ text })],
    vaults: [vault(text)],
    certificates: [certificate(text)],
  });
  const refused = ['plugins cors    ', 'vaults v', 'certificates c'];
  const result = merged({ good: state('old'), desired: state('new'), refused });
  expect(result.state).toEqual({ ...emptyState, ...state('old') });
  expect(result.kept).toEqual(['c', 'env', 'cors']);
  const never = merged({ desired: state('new'), refused });
  expect(never.state).toEqual(emptyState);
});

test('custom entities go with what they belong to', () => {
  const entities = [
    { uri: '/1', service: { id: 'id-s' } },
    { uri: '/2', service: { id: 'id-t' } },
    { uri: '/3', route: { id: 'id-r' }, more: null },
    { uri: '/4', consumer: { id: 'id-b' } },
    { uri: '/5' },
    { uri: '/6' },
  ];
  const result = merged({
    desired: {
      services: [
        { name: 's', id: 'id-s', host: 'h', protocol: 'http', routes: [{ name: 'r', id: 'id-r' }] },
        { name: 't', id: 'id-t', host: 'h', protocol: 'http' },
      ],
      consumers: [{ id: 'id-b', username: 'bob' }],
      customEntities: { things: entities, others: entities.slice(1, 2) },
    },
    refused: ['services t', 'routes r', 'consumers bob', 'things {"uri":"/6"}'],
  });
  expect(result.state.customEntities).toEqual({ things: [entities[0], entities[4]] });
});
