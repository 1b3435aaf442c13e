import { ingress, object } from '../ingress/kind-row.ts';
import { crossingSuite, httpRoute, prefix, type Row } from './row.ts';

const paths = (type: string, value: string) => [
  httpRoute([{ matches: [{ path: { type, value } }] }]),
];
const query = (queryParams: readonly object[]) => [httpRoute([{ matches: [{ queryParams }] }])];
const headers = (list: readonly object[]) => [httpRoute([{ matches: [{ headers: list }] }])];
const path = (pathType: string, value: string) => [
  ingress('example.com', {}, { pathType, path: value }),
];
const found = (value: string) => ({ path: value, sees: { url: value } });
const lost = (value: string) => ({ path: value, status: 404, sees: 'none' as const });

const httpRows: readonly Row[] = [
  {
    name: 'path Exact',
    objects: paths('Exact', '/a/b'),
    asks: [found('/a/b'), found('/a/b?c=d'), lost('/a/b/'), lost('/a/b/c'), lost('/a')],
  },
  {
    name: 'path PathPrefix',
    objects: paths('PathPrefix', '/a'),
    asks: [found('/a'), found('/a/'), found('/a/b'), lost('/ab'), lost('/')],
  },
  {
    name: 'path RegularExpression',
    objects: paths('RegularExpression', '/v[0-9]+/.*'),
    asks: [found('/v12/x'), lost('/vx/x')],
  },
  {
    name: 'no match: everything',
    objects: [httpRoute([{}])],
    asks: [found('/'), found('/any')],
  },
  {
    name: 'method',
    objects: [httpRoute([{ matches: [{ method: 'PUT' }] }])],
    asks: [{ method: 'PUT', body: 'b', sees: { method: 'PUT', body: 'b' } }, lost('/')],
  },
  {
    name: 'header Exact',
    objects: headers([{ name: 'X-Kind', value: 'a' }]),
    asks: [{ headers: { 'x-kind': 'a' }, sees: {} }, lost('/')],
  },
  {
    name: 'header RegularExpression',
    objects: headers([{ name: 'X-Kind', type: 'RegularExpression', value: '^a[0-9]+$' }]),
    asks: [
      { headers: { 'x-kind': 'a12' }, sees: {} },
      { headers: { 'x-kind': 'b12' }, status: 404 },
    ],
  },
  {
    name: 'two headers',
    objects: headers([
      { name: 'X-A', value: '1' },
      { name: 'X-B', value: '2' },
    ]),
    asks: [
      { headers: { 'x-a': '1', 'x-b': '2' }, sees: {} },
      { headers: { 'x-a': '1' }, status: 404 },
    ],
  },
  {
    name: 'query Exact',
    objects: query([{ name: 'q', value: 'x' }]),
    asks: [found('/?q=x'), lost('/?q=y'), lost('/')],
    only: 'expressions',
  },
  {
    name: 'query RegularExpression',
    objects: query([{ name: 'q', type: 'RegularExpression', value: '^x+$' }]),
    asks: [found('/?q=xx'), lost('/?q=xy')],
    only: 'expressions',
  },
  {
    name: 'several matches of a rule',
    objects: [
      httpRoute([
        {
          matches: [
            { path: { type: 'Exact', value: '/a' } },
            { path: { type: 'Exact', value: '/b' }, method: 'POST' },
          ],
        },
      ]),
    ],
    asks: [found('/a'), { method: 'POST', path: '/b', sees: { url: '/b' } }, lost('/b')],
  },
  {
    name: 'the longer prefix first, whatever the order',
    objects: [
      httpRoute([
        { ...prefix('/'), filters: [setHeader('short')] },
        { ...prefix('/long'), filters: [setHeader('long')] },
      ]),
    ],
    asks: [
      { path: '/long/x', sees: { headers: { 'x-rule': 'long' } } },
      { path: '/x', sees: { headers: { 'x-rule': 'short' } } },
    ],
  },
  {
    name: 'wildcard host',
    objects: [httpRoute([{}], {}, { hostnames: ['*.wild.test'] })],
    asks: [{ host: 'a.wild.test', sees: {} }, { host: 'wild.test', status: 404 }, lost('/')],
  },
  {
    name: 'weights, of which one is 0',
    objects: ({ two }) => [
      object('v1', 'Service', 'none', { spec: { ports: [{ name: 'main', port: 80 }] } }),
      object(
        'discovery.k8s.io/v1',
        'EndpointSlice',
        'none-0',
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
          ports: [{ name: 'main', port: two, protocol: 'TCP' }],
        },
        { labels: { 'kubernetes.io/service-name': 'none' } },
      ),
      httpRoute([
        {
          backendRefs: [
            { name: 'web', port: 80, weight: 1 },
            { name: 'none', port: 80, weight: 0 },
          ],
        },
      ]),
    ],
    asks: Array.from({ length: 4 }, () => ({ sees: { by: 'one' } })),
  },
  {
    name: 'a backend that is not there',
    objects: [httpRoute([{ backendRefs: [{ name: 'absent', port: 80 }] }])],
    asks: [{ status: 500, sees: 'none' }],
  },
];

function setHeader(value: string): object {
  return {
    type: 'RequestHeaderModifier',
    requestHeaderModifier: { set: [{ name: 'X-Rule', value }] },
  };
}

const ingressRows: readonly Row[] = [
  {
    name: 'Ingress Exact',
    objects: path('Exact', '/a'),
    asks: [found('/a'), lost('/a/'), lost('/a/b')],
  },
  {
    name: 'Ingress Prefix',
    objects: path('Prefix', '/a'),
    asks: [found('/a'), found('/a/b'), lost('/ab')],
  },
  {
    name: 'Ingress ImplementationSpecific',
    objects: path('ImplementationSpecific', '/a'),
    asks: [found('/a'), found('/ab')],
  },
  {
    name: 'Ingress regular expression',
    objects: path('ImplementationSpecific', '/~/v[0-9]+$'),
    asks: [found('/v1'), lost('/v1/x')],
  },
  {
    name: 'Ingress wildcard host',
    objects: [ingress('*.wild.test')],
    asks: [{ host: 'a.wild.test', sees: {} }, lost('/')],
  },
  {
    name: 'Ingress default backend',
    objects: [
      object('networking.k8s.io/v1', 'Ingress', 'd', {
        spec: {
          ingressClassName: 'kong',
          defaultBackend: { service: { name: 'web', port: { number: 80 } } },
        },
      }),
    ],
    asks: [found('/any'), { host: 'any.test', sees: {} }],
  },
];

crossingSuite('matches', [...httpRows, ...ingressRows]);
