import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { ObjectStore } from '../store/object-store.ts';
import { emptyState } from '../translate/kong-state.ts';
import { type HeldConfig, stateOfHeld, waitingServiceName, withPasswords } from './held-config.ts';
import { LastGood } from './last-good.ts';

const tagsOf = (kind: string, name: string) => [
  `k8s-name:${name}`,
  'k8s-namespace:shop',
  `k8s-kind:${kind}`,
  'k8s-version:v1',
];
const secret = (name: string, data: Record<string, string>) =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'shop' },
    data: Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    ),
  }) as KubeObject;

test('passwords come back from the Secrets that they are of', () => {
  const store = new ObjectStore();
  store.put(secret('basic', { password: 'p' }));
  store.put(secret('oauth', { client_secret: 'c' }));
  store.put(secret('empty', {}));
  const basic = (tags?: readonly string[]) => ({
    username: 'u',
    password: 'hash',
    ...(tags && { tags: [...tags] }),
  });
  const oauth = (more: object) => ({
    client_secret: 'hash',
    tags: tagsOf('Secret', 'oauth'),
    ...more,
  });
  const held = {
    services: [],
    consumers: [
      {
        username: 'bob',
        basicauth_credentials: [
          basic(tagsOf('Secret', 'basic')),
          basic(tagsOf('Secret', 'empty')),
          basic(tagsOf('Secret', 'gone')),
          basic(tagsOf('ConfigMap', 'basic')),
          basic(),
        ],
        oauth2_credentials: [
          oauth({ hash_secret: true }),
          oauth({}),
          oauth({ hash_secret: false }),
        ],
      },
      { username: 'eve' },
    ],
  } as HeldConfig;
  const { consumers, ...rest } = withPasswords(held, store);
  expect(rest).toEqual({ services: [] });
  expect(consumers![0]!.basicauth_credentials!.map(({ password }) => password)).toEqual([
    'p',
    'hash',
    'hash',
    'hash',
    'hash',
  ]);
  expect(consumers![0]!.oauth2_credentials!.map((one) => one.client_secret)).toEqual([
    'c',
    'hash',
    'hash',
  ]);
  expect(consumers![1]).toEqual({ username: 'eve' });
  expect(withPasswords({}, store)).toEqual({ consumers: [] });
});

test('a state has every plugin in the one list of them', () => {
  const plugin = (name: string) => ({ name });
  const held = {
    services: [
      {
        name: 's',
        host: 'h',
        plugins: [plugin('a')],
        routes: [{ name: 'r', paths: ['/'], plugins: [plugin('b')] }],
      },
      { name: 't', host: 'h' },
      { name: waitingServiceName, host: 'h', routes: [{ name: 'w' }] },
    ],
    upstreams: [{ name: 'u' }],
    plugins: [plugin('c')],
    consumers: [
      { username: 'bob', plugins: [plugin('d')] },
      { custom_id: '7', plugins: [plugin('e')] },
    ],
    consumer_groups: [{ name: 'gold', plugins: [plugin('f')] }],
    certificates: [{ id: 'c', cert: 'x', key: 'y' }],
    ca_certificates: [{ id: 'a', cert: 'x' }],
    vaults: [{ prefix: 'v', name: 'env' }],
  } as unknown as HeldConfig;
  expect(stateOfHeld(held)).toEqual({
    ...emptyState,
    services: [
      { name: 's', host: 'h', routes: [{ name: 'r', paths: ['/'] }] },
      { name: 't', host: 'h' },
    ],
    upstreams: [{ name: 'u' }],
    plugins: [
      { name: 'c' },
      { name: 'a', service: 's' },
      { name: 'b', route: 'r' },
      { name: 'd', consumer: 'bob' },
      { name: 'e', consumer: '7' },
      { name: 'f', consumer_group: 'gold' },
    ],
    consumers: [{ username: 'bob' }, { custom_id: '7' }],
    consumerGroups: [{ name: 'gold' }],
    certificates: held.certificates,
    caCertificates: held.ca_certificates,
    vaults: held.vaults,
  });
  expect(stateOfHeld({})).toEqual(emptyState);
});

test('what a gateway has belongs to the object that it is tagged with', () => {
  const good = new LastGood();
  const { incumbents } = good;
  expect(good.isKnown).toBe(false);
  expect(incumbents('route', 'r')).toBeUndefined();
  const web = tagsOf('Ingress', 'web');
  good.accept({
    ...emptyState,
    services: [
      {
        name: 's',
        host: 'h',
        protocol: 'http',
        routes: [
          { name: 'r', hosts: ['a.test'], paths: ['/'], tags: web },
          { name: 'shop.web', paths: ['/'], tags: web },
          { name: 'untagged', hosts: ['b.test'] },
        ],
      },
    ],
    consumers: [
      {
        username: 'bob',
        custom_id: '7',
        tags: tagsOf('KongConsumer', 'b'),
        keyauth_credentials: [{ key: 'k', tags: tagsOf('Secret', 'key') }],
        acls: [{ group: 'g', tags: tagsOf('Secret', 'acl') }],
      },
    ],
    consumerGroups: [{ name: 'gold', tags: tagsOf('KongConsumerGroup', 'gold') }],
    certificates: [
      { id: 'c', cert: 'x', key: 'y', snis: [{ name: 'a.test' }], tags: tagsOf('Secret', 'tls') },
    ] as never,
  });
  expect(good.isKnown).toBe(true);
  const holders = [
    ['route', 'r'],
    ['route', 'untagged'],
    ['host', 'a.test'],
    ['host', 'b.test'],
    ['username', 'bob'],
    ['custom_id', '7'],
    ['consumer', 'bob'],
    ["key-auth on 'key'", 'k'],
    ["acl on 'group'", 'g'],
    ['consumer_group', 'gold'],
    ['sni', 'a.test'],
    ['default backend', ''],
    ['nothing', 'x'],
  ].map(([index, value]) => `${index} ${value}: ${incumbents(index!, value!)}`);
  expect(holders).toEqual([
    'route r: shop/web',
    'route untagged: undefined',
    'host a.test: shop',
    'host b.test: undefined',
    'username bob: shop/b',
    'custom_id 7: shop/b',
    'consumer bob: shop/b',
    "key-auth on 'key' k: shop/key",
    "acl on 'group' g: undefined",
    'consumer_group gold: shop/gold',
    'sni a.test: shop/tls',
    'default backend : shop/web',
    'nothing x: undefined',
  ]);
  // Single services that were taken since count in the place of those of before.
  const upstream = { name: 'h', slots: 5 };
  const later = { name: 's', host: 'h', routes: [{ name: 'r2', tags: tagsOf('Ingress', 'new') }] };
  good.acceptServices(new Map([['s', [{ service: later, upstream } as never]]]));
  expect([...good.routes().keys()]).toEqual(['r2']);
  expect(incumbents('route', 'r2')).toBe('shop/new');
  expect(incumbents('default backend', '')).toBeUndefined();
  expect(incumbents('host', 'a.test')).toBeUndefined();
  expect(good.upstream('h')).toBe(upstream);
  expect(good.upstream('x')).toBeUndefined();
  good.acceptServices(new Map([['s', []]]));
  expect([...good.routes().keys()]).toEqual([]);
});
