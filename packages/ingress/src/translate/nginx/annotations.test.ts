import type { KubeObject } from '@waygate/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translate } from '../translate.ts';
import { annotationTable } from './annotation-table.ts';

function objects(annotations: Readonly<Record<string, string>>): KubeObject[] {
  const list = [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'nginx' },
      spec: { controller: 'k8s.io/ingress-nginx' },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'system', name: 'nginx' },
      data: { 'allow-snippet-annotations': 'true', 'annotations-risk-level': 'Critical' },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'one', namespace: 'shop', uid: 'one', annotations },
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            host: 'a.test',
            http: {
              paths: [
                {
                  path: '/x',
                  pathType: 'Prefix',
                  backend: { service: { name: 'a', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
  ];
  return list as unknown as KubeObject[];
}

describe('annotations of ingress-nginx', () => {
  test.each(['auth-request-redirect', 'auth-cache-duration', 'auth-always-set-cookie'])(
    '%s that is not valid closes the paths',
    (name) => {
      const annotations = {
        'nginx.ingress.kubernetes.io/auth-url': 'http://auth.test/ok',
        [`nginx.ingress.kubernetes.io/${name}`]: '"bad"',
      };
      const options = {
        routerFlavor: 'expressions',
        nginx: { configMap: 'system/nginx' },
      } as const;
      const { state, problems } = translate(objects(annotations), options);
      const routes = state.services
        .filter(({ tags }) => tags?.includes('k8s-name:one'))
        .flatMap(({ routes: list = [] }) => list);
      expect(routes.length).toBeGreaterThan(0);
      for (const { plugins = [] } of routes)
        expect(plugins.find((one) => one.name === 'nginx-return')?.config).toMatchObject({
          status: 503,
        });
      expect(problems.map(({ message }) => message).join()).toContain(name);
    },
  );

  const options = { routerFlavor: 'expressions', nginx: { configMap: 'system/nginx' } } as const;
  const prefix = 'nginx.ingress.kubernetes.io/';
  const hash = 'd'.repeat(32);
  const further = [
    { kind: 'ConfigMap', name: 'params', data: { SCRIPT_FILENAME: '$document_root/x', A: 'é' } },
    { kind: 'ConfigMap', name: 'evil', data: { A: 'a\r\nb' } },
    {
      kind: 'Secret',
      name: 'users',
      data: {
        auth: Buffer.from(`ann:shop:${hash}\nbob:${hash}\ncid:{PLAIN}x\n`).toString('base64'),
      },
    },
    { kind: 'Service', name: 'a', spec: { ports: [{ port: 80, targetPort: 80 }] } },
  ].map(({ name, ...rest }) => ({
    ...{ apiVersion: 'v1', metadata: { namespace: 'shop', name }, ...rest },
  })) as unknown as KubeObject[];
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: 'a', labels: { 'kubernetes.io/service-name': 'a' } },
    addressType: 'IPv4',
    ports: [{ port: 80 }],
    endpoints: [{ addresses: ['10.0.0.1'] }],
  } as unknown as KubeObject;

  /** The configurations of a plugin on the paths of the Ingress, or why they are closed. */
  function made(name: string, annotations: Readonly<Record<string, string>>): unknown[] {
    const full = Object.entries(annotations).map(([key, value]) => [`${prefix}${key}`, value]);
    const list = [...objects(Object.fromEntries(full)), ...further, slice];
    const { state } = translate(list, options);
    return state.services
      .filter(({ tags }) => tags?.includes('k8s-name:one'))
      .flatMap(({ routes = [] }) => routes.filter(({ name: own }) => own?.includes('a.test')))
      .flatMap(({ plugins = [] }) =>
        plugins
          .filter((one) => one.name === name || one.name === 'nginx-return')
          .map((one) => (one.name === name ? one.config : { closed: one.config?.status })),
      )
      .slice(0, 1);
  }

  test.each([
    ['cors-allow-methods', /^([A-Za-z]+,?\s?)+$/],
    ['cors-expose-headers', /^(([A-Za-z0-9\-_]+|\*),?\s?)+$/],
  ])('%s takes what the pattern of the original takes, in linear time', (name, original) => {
    const { check } = annotationTable.find((row) => row.name === name) ?? expect.fail(name);
    const text = fc.string({ unit: fc.constantFrom('G', 'x', ',', ' ', '*', '-'), maxLength: 10 });
    fc.assert(
      fc.property(text, (value) => {
        expect((check as RegExp).test(value)).toBe(original.test(value));
      }),
      { numRuns: 2_000 },
    );
    expect((check as RegExp).test(`${'G'.repeat(100_000)}!`)).toBe(false);
  });

  test.each([
    [{ 'limit-rate': '2' }, [{ bytes_per_second: 2_048, free_bytes: 0 }]],
    [
      { 'limit-rate': '1', 'limit-rate-after': '3' },
      [{ bytes_per_second: 1_024, free_bytes: 3_072 }],
    ],
    [{ 'limit-rate': '0', 'limit-rate-after': '3' }, []],
    [{ 'limit-rate': '-1' }, []],
    [{ 'limit-rate': '1k' }, []],
    [{ 'limit-rate': '' }, []],
    [{ 'limit-rate': '1', 'limit-rate-after': '-5' }, [{ bytes_per_second: 1_024, free_bytes: 0 }]],
  ])('the rate of %j', (annotations, expected) => {
    expect(made('response-rate', annotations as Record<string, string>)).toEqual(expected);
  });

  const params = [
    { name: 'SCRIPT_FILENAME', value: '$document_root/x' },
    { name: 'A', value: 'é' },
  ];
  test.each([
    [{ 'backend-protocol': 'FCGI' }, [{ params: [] }]],
    [
      {
        'backend-protocol': 'fcgi',
        'fastcgi-index': 'i.php',
        'fastcgi-params-configmap': 'params',
      },
      [{ index: 'i.php', params }],
    ],
    [{ 'backend-protocol': 'FCGI', 'fastcgi-params-configmap': 'shop/params' }, [{ params }]],
    // The whole group is left out, the index with it.
    [
      {
        'backend-protocol': 'FCGI',
        'fastcgi-index': 'i',
        'fastcgi-params-configmap': 'other/params',
      },
      [{}],
    ],
    [{ 'backend-protocol': 'FCGI', 'fastcgi-params-configmap': 'none' }, [{ closed: 503 }]],
    [{ 'backend-protocol': 'FCGI', 'fastcgi-params-configmap': 'evil' }, [{ closed: 503 }]],
    [{ 'backend-protocol': 'HTTP', 'fastcgi-params-configmap': 'none' }, [{ closed: 503 }]],
    [{ 'backend-protocol': 'HTTP', 'fastcgi-index': 'i.php' }, []],
    // An index that is not valid leaves the Ingress out.
    [{ 'backend-protocol': 'FCGI', 'fastcgi-index': 'a/b' }, []],
  ])('FastCGI of %j', (annotations, expected) => {
    expect(made('fastcgi', annotations as Record<string, string>)).toEqual(expected);
  });

  test.each([
    [{ 'auth-type': 'digest', 'auth-realm': 'shop' }, 'digest', [`ann:shop:${hash}`]],
    [{ 'auth-type': 'basic' }, 'basic', ['cid:{PLAIN}x']],
  ])('names and passwords of %j', (annotations, type, users) => {
    const all = { ...annotations, 'auth-secret': 'users' };
    expect(made('htpasswd-auth', all)).toEqual([expect.objectContaining({ type, users })]);
  });
});
