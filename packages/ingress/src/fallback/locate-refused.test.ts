import { expect, test } from 'vitest';
import { emptyState, type KongState } from '../translate/kong-state.ts';
import { locateRefused, type RefusedEntity } from './locate-refused.ts';

const tagsOf = (kind: string, name: string, namespace = 'shop') => [
  `k8s-name:${name}`,
  `k8s-namespace:${namespace}`,
  `k8s-kind:${kind}`,
  'k8s-group:networking.k8s.io',
  'k8s-version:v1',
];
const web = tagsOf('Ingress', 'web');

const state: KongState = {
  ...emptyState,
  services: [
    {
      name: 's',
      id: 'id-s',
      host: 'h',
      protocol: 'http',
      plugins: [{ name: 'cors' }],
      routes: [
        { name: 'r', id: 'id-r', tags: web, plugins: [{ name: 'acl', tags: web }] },
        { name: 'r2', tags: tagsOf('Ingress', 'web', 'other') },
      ],
    },
  ],
  upstreams: [
    { name: 'u', targets: [{ target: '10.0.0.1:80' }] },
    { name: 'u2', targets: [{ target: '10.0.0.2:80' }] },
  ],
  plugins: [
    { name: 'acl' },
    { name: 'acl', service: 's' },
    { name: 'acl', consumer: 'bob' },
    { name: 'acl', consumer_group: 'gold' },
  ],
  consumers: [
    {
      username: 'bob',
      keyauth_credentials: [{ key: 'k', tags: tagsOf('Secret', 'key') }],
      acls: [{ group: 'g' }],
    },
    { username: 'eve' },
  ],
  consumerGroups: [{ name: 'gold' }],
  certificates: [
    { id: 'c1', cert: 'x', key: 'y', snis: [{ name: 'a.test' }] },
    { id: 'c2', cert: 'x', key: 'y' },
  ],
  caCertificates: [{ id: 'ca', cert: 'z' }],
  vaults: [{ prefix: 'v', name: 'env' } as KongState['vaults'][number]],
  customEntities: { degraphql_routes: [{ uri: '/a' }, { uri: '/b' }] },
};

const rows: readonly [what: string, refused: Partial<RefusedEntity>, found: readonly string[]][] = [
  ['by id', { collection: 'routes', id: 'id-r', name: 'r2' }, ['routes r']],
  ['an id of another collection', { collection: 'services', id: 'id-r' }, []],
  [
    'a plugin on a route',
    { collection: 'plugins', name: 'acl', scope: { route: 'r' } },
    ['plugins acl r   '],
  ],
  [
    'a plugin on a service',
    { collection: 'plugins', name: 'cors', scope: { service: 's' } },
    ['plugins cors  s  '],
  ],
  [
    'a plugin of the list, on a consumer',
    { collection: 'plugins', name: 'acl', scope: { consumer: 'bob' } },
    ['plugins acl   bob '],
  ],
  [
    'a plugin on a group',
    { collection: 'plugins', name: 'acl', scope: { consumer_group: 'gold' } },
    ['plugins acl    gold'],
  ],
  ['a plugin on nothing', { collection: 'plugins', name: 'acl', scope: {} }, ['plugins acl    ']],
  ['a plugin of another name', { collection: 'plugins', name: 'x', scope: { route: 'r' } }, []],
  ['a service', { collection: 'services', name: 's' }, ['services s']],
  ['a group', { collection: 'consumer_groups', name: 'gold' }, ['consumer_groups gold']],
  ['an upstream', { collection: 'upstreams', entity: { name: 'u2' } }, ['upstreams u2']],
  ['a consumer', { collection: 'consumers', entity: { username: 'eve' } }, ['consumers eve']],
  ['a vault', { collection: 'vaults', entity: { prefix: 'v' } }, ['vaults v']],
  ['a name that is not there', { collection: 'services', name: 'x' }, []],
  ['a service without a name', { collection: 'services' }, []],
  [
    'a target by its upstream',
    { collection: 'targets', scope: { upstream: 'u2' }, entity: { target: '10.0.0.1:80' } },
    ['targets u2'],
  ],
  [
    'a target by its address',
    { collection: 'targets', entity: { target: '10.0.0.1:80' } },
    ['targets u'],
  ],
  ['a name of a certificate', { collection: 'snis', name: 'a.test' }, ['certificates c1']],
  [
    'the same by its content',
    { collection: 'snis', name: 'x', entity: { name: 'a.test' } },
    ['certificates c1'],
  ],
  [
    'a credential by its consumer',
    { collection: 'acls', scope: { consumer: 'bob' }, entity: { group: 'x' } },
    ['consumers bob'],
  ],
  [
    'a credential by its Secret',
    { collection: 'keyauth_credentials', tags: tagsOf('Secret', 'key') },
    ['consumers bob'],
  ],
  ['a credential without tags', { collection: 'acls' }, ['consumers bob']],
  ['a credential of nobody', { collection: 'jwt_secrets' }, []],
  [
    'an authority by what it is',
    { collection: 'ca_certificates', entity: { id: 'ca', cert: 'z', more: 1 } },
    ['ca_certificates ca'],
  ],
  [
    'a custom entity by what it is',
    { collection: 'degraphql_routes', entity: { uri: '/b', id: 'x' } },
    ['degraphql_routes {"uri":"/b"}'],
  ],
  ['a custom entity that is other', { collection: 'degraphql_routes', entity: { uri: '/c' } }, []],
  ['all of an object, by tags', { tags: web }, ['routes r', 'plugins acl r   ']],
  ['an object of another kind', { tags: tagsOf('HTTPRoute', 'web') }, []],
  ['an object of another name', { tags: tagsOf('Ingress', 'web2') }, []],
  ['nothing', {}, []],
];

test.each(rows)('%s', (_what, refused, found) => {
  expect(locateRefused(state, { tags: [], ...refused }).map(({ key }) => key)).toEqual(found);
});
