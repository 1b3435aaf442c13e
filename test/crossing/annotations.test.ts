import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  ingress,
  keyAuth,
  kong,
  object,
  ours,
  plugin,
  service,
  slice,
} from '../ingress/kind-row.ts';
import { crossingSuite, httpRoute, type Row } from './row.ts';

const host = 'example.com';
const on = (annotations: Record<string, string>, more: object = {}) =>
  ingress(
    host,
    Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        key.includes('/') ? key : `konghq.com/${key}`,
        value,
      ]),
    ),
    more,
  );
const regex = (path: string) => ({ path, pathType: 'ImplementationSpecific' });
const secret = (name: string, data: object, meta: object = {}) =>
  object('v1', 'Secret', name, { stringData: data }, meta);

/** On an Ingress. */
const routeRows: readonly Row[] = [
  {
    name: 'strip-path',
    objects: [on({ 'strip-path': 'true' }, { path: '/api' })],
    asks: [
      { path: '/api/users?a=b', sees: { url: '/users?a=b' } },
      { path: '/api', sees: { url: '/' } },
    ],
  },
  {
    name: 'no strip-path',
    objects: [on({}, { path: '/api' })],
    asks: [{ path: '/api/users', sees: { url: '/api/users' } }],
  },
  {
    name: 'preserve-host',
    objects: [on({ 'preserve-host': 'false' })],
    asks: [{ sees: { headers: { host: /^127\.0\.0\.1:/, 'x-forwarded-host': host } } }],
  },
  {
    name: 'methods',
    objects: [on({ methods: 'GET,post' })],
    asks: [
      { sees: { method: 'GET' } },
      { method: 'POST', body: 'x', sees: { method: 'POST', body: 'x' } },
      { method: 'DELETE', status: 404, sees: 'none' },
    ],
  },
  {
    name: 'headers',
    objects: [on({ 'headers.x-kind': 'a,b' })],
    asks: [
      { headers: { 'X-Kind': 'a' }, sees: {} },
      { headers: { 'X-Kind': 'b' }, sees: {} },
      { headers: { 'X-Kind': 'c' }, status: 404, sees: 'none' },
      { status: 404, sees: 'none' },
    ],
  },
  {
    name: 'headers-separator',
    objects: [on({ 'headers.x-kind': 'a,b;c', 'headers-separator': ';' })],
    asks: [
      { headers: { 'X-Kind': 'a,b' }, sees: {} },
      { headers: { 'X-Kind': 'c' }, sees: {} },
      { headers: { 'X-Kind': 'a' }, status: 404 },
    ],
  },
  {
    name: 'host-aliases',
    objects: [on({ 'host-aliases': 'alias.test,*.wild.test' })],
    asks: [
      { host: 'alias.test', sees: { headers: { host: 'alias.test' } } },
      { host: 'a.wild.test', sees: {} },
      { sees: {} },
      { host: 'other.test', status: 404 },
    ],
  },
  {
    name: 'protocols and https-redirect-status-code',
    objects: [on({ protocols: 'https', 'https-redirect-status-code': '308' })],
    asks: [
      { path: '/a?b=c', status: 308, sees: 'none', gets: { location: `https://${host}/a?b=c` } },
      {
        path: '/a',
        serverName: host,
        sees: { url: '/a', headers: { 'x-forwarded-proto': 'https' } },
      },
    ],
  },
  {
    name: 'force-ssl-redirect',
    objects: [on({ 'ingress.kubernetes.io/force-ssl-redirect': 'true' })],
    asks: [
      { status: 302, sees: 'none', gets: { location: /^https:/ } },
      { serverName: host, sees: {} },
    ],
  },
  {
    name: 'snis',
    objects: [on({ snis: 'secure.test', protocols: 'https' })],
    asks: [
      { serverName: 'secure.test', sees: {} },
      { serverName: 'other.test', status: 404, sees: 'none' },
    ],
  },
  {
    name: 'regex-prefix',
    objects: [on({ 'regex-prefix': '/@' }, regex('/@/v[0-9]+$'))],
    asks: [
      { path: '/v12', sees: { url: '/v12' } },
      { path: '/vx', status: 404 },
    ],
  },
  {
    name: 'regex-priority',
    objects: [
      on({ 'regex-priority': '10', rewrite: '/high' }, regex('/~/[a-z]+$')),
      {
        ...on({ 'regex-priority': '1', rewrite: '/low' }, regex('/~/[a-x]+[a-z]*$')),
        metadata: {
          name: 'other',
          annotations: { 'konghq.com/regex-priority': '1', 'konghq.com/rewrite': '/low' },
        },
      },
    ],
    asks: [{ path: '/abc', sees: { url: '/high' } }],
    only: 'traditional_compatible',
  },
  {
    name: 'segment-prefix',
    objects: [
      httpRoute([{ matches: [{ path: { type: 'RegularExpression', value: '/@/a/*/c' } }] }], {
        annotations: { 'konghq.com/segment-prefix': '/@' },
      }),
    ],
    asks: [
      { path: '/a/b/c', sees: { url: '/a/b/c' } },
      { path: '/a/b/d', status: 404 },
    ],
    only: 'expressions',
  },
  {
    name: 'path-handling v1',
    objects: [on({ 'path-handling': 'v1', 'strip-path': 'true' }, { path: '/api' })],
    service: { 'konghq.com/path': '/base/' },
    asks: [{ path: '/api/x', sees: { url: '/base/x' } }],
    only: 'traditional_compatible',
  },
  {
    name: 'rewrite',
    objects: [on({ rewrite: '/new/$1/x/$2' }, regex('/~/old/(\\w+)/(.*)$'))],
    asks: [
      { path: '/old/a/b/c?d=e', sees: { url: '/new/a/x/b/c?d=e' } },
      { path: '/old/a/', sees: { url: '/new/a/x/' } },
    ],
  },
  {
    name: 'rewrite with a dollar sign',
    objects: [on({ rewrite: '/costs/\\$5' })],
    asks: [{ path: '/x', sees: { url: '/costs/$5' } }],
  },
  {
    name: 'request-buffering and response-buffering',
    objects: [on({ 'request-buffering': 'false', 'response-buffering': 'false' })],
    asks: [{ method: 'POST', body: 'hello', sees: { body: 'hello' } }],
  },
  {
    name: 'plugins',
    objects: [
      on({ plugins: 'one, two' }),
      plugin('one', 'correlation-id', { header_name: 'X-One' }),
      plugin('two', 'response-transformer', { add: { headers: ['X-Two-Added:yes'] } }),
    ],
    asks: [{ sees: { headers: { 'x-one': /./ } }, gets: { 'x-two-added': 'yes' } }],
  },
  {
    name: 'tags',
    objects: [on({ tags: 'team-a' })],
    asks: [{ sees: {} }],
  },
];

/** On a Service. */
const serviceRows: readonly Row[] = [
  {
    name: 'path',
    service: { 'konghq.com/path': '/base' },
    objects: [on({})],
    asks: [{ path: '/x?y=z', sees: { url: '/base/x?y=z' } }],
  },
  {
    name: 'host-header',
    service: { 'konghq.com/host-header': 'inner.test' },
    objects: [on({ 'preserve-host': 'false' })],
    asks: [{ sees: { headers: { host: 'inner.test' } } }],
  },
  {
    name: 'protocol https',
    service: { 'konghq.com/protocol': 'https' },
    to: ['secure'],
    objects: [on({})],
    asks: [{ path: '/x', sees: { by: 'secure', url: '/x' } }],
  },
  {
    name: 'client-cert',
    service: { 'konghq.com/protocol': 'https', 'konghq.com/client-cert': 'shown' },
    to: ['secure'],
    objects: ({ client }) => [
      on({}),
      {
        ...secret('shown', { 'tls.crt': client.cert, 'tls.key': client.key }),
        type: 'kubernetes.io/tls',
      },
    ],
    asks: [{ sees: { by: 'secure', clientName: 'gateway-client' } }],
  },
  {
    name: 'tls-verify, with the authority in a Secret',
    service: {
      'konghq.com/protocol': 'https',
      'konghq.com/tls-verify': 'true',
      'konghq.com/tls-verify-depth': '2',
      'konghq.com/host-header': 'localhost',
      'konghq.com/ca-certificates-secrets': 'trust',
    },
    to: ['secure'],
    objects: ({ authority }) => [
      on({ 'preserve-host': 'false' }),
      secret(
        'trust',
        { id: '0f0e0d0c-0000-4000-8000-000000000001', cert: authority },
        { labels: { 'konghq.com/ca-cert': 'true' }, annotations: ours },
      ),
    ],
    asks: [{ sees: { by: 'secure' } }],
  },
  {
    name: 'tls-verify, with another authority in a ConfigMap',
    service: {
      'konghq.com/protocol': 'https',
      'konghq.com/tls-verify': 'true',
      'konghq.com/host-header': 'localhost',
      'konghq.com/ca-certificates-configmaps': 'trust',
    },
    to: ['secure'],
    objects: ({ authority }) => [
      // The name in the certificate is another one than the host that is asked for.
      on({ 'host-aliases': 'wrong.test' }),
      object(
        'v1',
        'ConfigMap',
        'trust',
        { data: { id: '0f0e0d0c-0000-4000-8000-000000000002', 'ca.crt': authority } },
        { labels: { 'konghq.com/ca-cert': 'true' }, annotations: ours },
      ),
    ],
    asks: [{ host: 'wrong.test', status: 502, sees: 'none' }],
  },
  {
    name: 'read-timeout',
    service: { 'konghq.com/read-timeout': '100' },
    objects: [on({})],
    asks: [{ path: '/hang', status: 504 }],
  },
  {
    name: 'connect-timeout and write-timeout',
    service: { 'konghq.com/connect-timeout': '5000', 'konghq.com/write-timeout': '5000' },
    objects: [on({})],
    asks: [{ method: 'POST', body: 'x', sees: { body: 'x' } }],
  },
  {
    name: 'retries',
    service: { 'konghq.com/retries': '3' },
    to: ['dead', 'one'],
    objects: [on({})],
    asks: [{ sees: { by: 'one' } }, { sees: { by: 'one' } }, { sees: { by: 'one' } }],
  },
  {
    name: 'no retries',
    service: { 'konghq.com/retries': '0' },
    to: ['dead'],
    objects: [on({})],
    asks: [{ status: 502, sees: 'none' }],
  },
  {
    name: 'override',
    service: { 'konghq.com/override': 'o' },
    objects: [
      on({ 'preserve-host': 'false' }),
      object(`${kong}/v1`, 'KongIngress', 'o', { upstream: { host_header: 'from.override' } }),
    ],
    asks: [{ sees: { headers: { host: 'from.override' } } }],
  },
  {
    name: 'upstream-policy',
    service: { 'konghq.com/upstream-policy': 'p' },
    to: ['one', 'two'],
    objects: [
      on({}),
      object(`${kong}/v1beta1`, 'KongUpstreamPolicy', 'p', {
        spec: { algorithm: 'consistent-hashing', hashOn: { cookie: 'sticky', cookiePath: '/' } },
      }),
    ],
    asks: [{ sees: {}, gets: { 'set-cookie': /^sticky=.*path=\//i } }],
  },
  {
    name: 'plugins of a Service',
    service: { 'konghq.com/plugins': 'auth' },
    objects: [on({}), keyAuth],
    asks: [{ status: 401, sees: 'none' }],
  },
  {
    name: 'service-upstream',
    objects: ({ one }) => [
      on({}),
      service('web', { 'ingress.kubernetes.io/service-upstream': 'true' }),
      ...slice('web', [one]),
    ],
    // Its name is asked of the cluster's DNS, which is not here.
    asks: [{ status: 503, sees: 'none' }],
  },
];

const rows = [...routeRows, ...serviceRows];
crossingSuite('annotations', rows);

describe('annotations', () => {
  test('every one that the translator reads has a row', () => {
    const folder = fileURLToPath(new URL('../../packages/ingress/src/translate', import.meta.url));
    const read = new Set<string>(['connect-timeout', 'read-timeout', 'write-timeout', 'retries']);
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
      const text = readFileSync(`${folder}/${file}`, 'utf8');
      for (const [, key = ''] of text.matchAll(/\bannotation(?:List)?\([^']*?,\s*'([a-z-]+)'/g)) {
        read.add(key);
      }
    }
    const place = new Proxy({}, { get: () => ({ cert: '', key: '' }) });
    const used = JSON.stringify(
      rows.map(({ objects, service: own }) => [
        typeof objects === 'function' ? objects(place as never) : objects,
        own,
      ]),
    );
    expect(read.size).toBeGreaterThan(25);
    expect([...read].filter((key) => !used.includes(`konghq.com/${key}"`))).toEqual([]);
  });
});
