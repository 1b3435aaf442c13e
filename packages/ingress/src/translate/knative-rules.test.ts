import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import type { KnativeIngress } from '../objects/knative-ingress.ts';
import { knativeCertificateClaims } from './knative-rules.ts';
import { translate } from './translate.ts';

function knative(spec: object, name = 'fn', ingressClass = 'kong'): KubeObject {
  return {
    apiVersion: 'networking.internal.knative.dev/v1alpha1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: 'shop',
      annotations: { 'networking.knative.dev/ingress.class': ingressClass },
    },
    spec,
  } as KubeObject;
}

const service = (name: string, namespace = 'shop') =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: {
      type: 'ExternalName',
      externalName: `${name}.test`,
      ports: [{ port: 80, name: 'http' }],
    },
  }) as KubeObject;

const split = (serviceName: string, more: object = {}) => ({
  serviceName,
  servicePort: 80,
  ...more,
});
const tags = [
  'k8s-name:fn',
  'k8s-namespace:shop',
  'k8s-kind:Ingress',
  'k8s-group:networking.internal.knative.dev',
  'k8s-version:v1alpha1',
];
const route = {
  strip_path: false,
  preserve_host: true,
  request_buffering: true,
  response_buffering: true,
  https_redirect_status_code: 426,
  tags,
};
const traditional = { ...route, regex_priority: 0, path_handling: 'v0' };

test('a path is a route, and its shares are the weights of targets', () => {
  const ingress = knative({
    rules: [
      {
        hosts: ['f.test', 'g.test'],
        http: {
          paths: [
            {
              splits: [split('a', { percent: 70 }), split('b', { percent: 30, servicePort: 80 })],
            },
            {
              path: '/one',
              headers: { 'x-tag': { exact: 't' }, 'x-empty': {} },
              splits: [
                split('a', { servicePort: '80', appendHeaders: { 'x-b': '1', 'x-c': '2' } }),
              ],
              appendHeaders: { 'x-a': '0', 'x-c': '3' },
              rewriteHost: 'inner.test',
            },
            { path: '/none', splits: [{ percent: 100 }] },
            { path: '/nothing' },
          ],
        },
      },
      {
        http: {
          paths: [
            { splits: [split('c', { serviceNamespace: 'other', percent: 5, servicePort: 80 })] },
          ],
        },
      },
      {},
    ],
  });
  const { state } = translate(
    [
      ingress,
      service('a'),
      service('b'),
      service('c', 'other'),
      knative({ rules: [{ http: { paths: [{ splits: [split('a')] }] } }] }, 'x', 'other'),
    ],
    { features: { fillIds: false } },
  );
  const routes = Object.fromEntries(state.services.map((one) => [one.name, one.routes]));
  expect(routes).toEqual({
    'knative.shop.fn.00': [
      { ...traditional, name: 'shop.fn.00', hosts: ['f.test', 'g.test'], paths: ['/'] },
    ],
    'other.c.80': [{ ...traditional, name: 'shop.fn.10', paths: ['/'] }],
    'shop.a.80': [
      {
        ...traditional,
        name: 'shop.fn.01',
        hosts: ['f.test', 'g.test'],
        paths: ['/one'],
        headers: { 'x-tag': ['t'], 'x-empty': [''] },
        plugins: [
          {
            name: 'request-transformer',
            config: {
              add: { headers: ['x-a:0', 'x-b:1', 'x-c:3'] },
              replace: { headers: ['host:inner.test'] },
            },
            tags,
          },
        ],
      },
    ],
  });
  expect(state.services.map(({ host, port, path }) => ({ host, port, path }))).toEqual([
    { host: 'knative.shop.fn.00', port: 80, path: '/' },
    { host: 'c.other.80.svc', port: 80, path: '/' },
    { host: 'a.shop.80.svc', port: 80, path: '/' },
  ]);
  const targets = Object.fromEntries(
    state.upstreams.map((one) => [
      one.name,
      one.targets?.map(({ target, weight }) => `${target} ${weight}`),
    ]),
  );
  expect(targets).toEqual({
    'knative.shop.fn.00': ['a.test:80 70', 'b.test:80 30'],
    'c.other.80.svc': ['c.test:80 undefined'],
    'a.shop.80.svc': ['a.test:80 undefined'],
  });
});

test('shares without a number are all, and headers of one of several do not count', () => {
  const path = { splits: [split('a', { appendHeaders: { x: '1' } }), split('b')] };
  const { state } = translate([
    knative({ rules: [{ http: { paths: [path] } }] }),
    service('a'),
    service('b'),
  ]);
  expect(state.services[0]!.routes![0]!.plugins).toBeUndefined();
  expect(state.upstreams[0]!.targets?.map(({ weight }) => weight)).toEqual([100, 100]);
});

test('with expressions', () => {
  const paths = [
    { path: '/one', headers: { 'x-tag': { exact: 't' } }, splits: [split('a')] },
    { splits: [split('b')], rewriteHost: 'inner.test' },
  ];
  const { state } = translate(
    [knative({ rules: [{ hosts: ['f.test'], http: { paths } }] }), service('a'), service('b')],
    { routerFlavor: 'expressions', features: { fillIds: false } },
  );
  expect(state.services.flatMap(({ routes = [] }) => routes)).toEqual([
    {
      ...route,
      name: 'shop.fn.00',
      expression: '(http.host == "f.test") && (http.path ^= "/one") && (http.headers.x_tag == "t")',
      priority: 4,
    },
    {
      ...route,
      name: 'shop.fn.01',
      expression: '(http.host == "f.test") && (http.path ^= "/")',
      priority: 1,
      plugins: [
        {
          name: 'request-transformer',
          config: { replace: { headers: ['host:inner.test'] } },
          tags,
        },
      ],
    },
  ]);
});

test('numbers that could be read in two ways have a dash', () => {
  const paths = Array.from({ length: 11 }, (_, index) => ({
    path: `/${index}`,
    splits: [split('a')],
  }));
  const rules = Array.from({ length: 11 }, () => ({ http: { paths } }));
  const { state } = translate([knative({ rules }), service('a')]);
  const names = state.services[0]!.routes!.map(({ name }) => name);
  expect(names.length).toBe(121);
  expect(names).toEqual(
    expect.arrayContaining(['shop.fn.99', 'shop.fn.9-10', 'shop.fn.10-0', 'shop.fn.10-10']),
  );
});

test('certificates are of the namespace that is said', () => {
  const ingress = knative({
    tls: [
      { hosts: ['a'], secretName: 's' },
      { hosts: ['b'], secretName: 't', secretNamespace: 'other' },
      { hosts: [], secretName: 'u' },
      { hosts: ['c'] },
    ],
  }) as KnativeIngress;
  expect(knativeCertificateClaims(ingress)).toEqual([
    { namespace: 'shop', secretName: 's', hosts: ['a'], parent: ingress },
    { namespace: 'other', secretName: 't', hosts: ['b'], parent: ingress },
  ]);
});
