import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { translate } from '../translate/translate.ts';
import { nginxGatewayObjects } from './nginx-gateway-objects.ts';

const prefix = 'nginx.ingress.kubernetes.io/';
const base: KubeObject[] = [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  } as KubeObject,
  ...['web', 'next'].map(
    (name) =>
      ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'shop' },
        spec: { ports: [{ name: 'http', port: 80 }] },
      }) as KubeObject,
  ),
];

function ingress(
  name: string,
  annotations: Readonly<Record<string, string>>,
  path = { path: '/app', pathType: 'Prefix' },
  service = 'web',
): KubeObject {
  const named = Object.entries(annotations).map(([key, value]) => [`${prefix}${key}`, value]);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'shop', uid: name, annotations: Object.fromEntries(named) },
    spec: {
      ingressClassName: 'nginx',
      rules: [
        {
          host: 'shop.test',
          http: {
            paths: [{ ...path, backend: { service: { name: service, port: { number: 80 } } } }],
          },
        },
      ],
    },
  } as KubeObject;
}

function written(...ingresses: readonly KubeObject[]) {
  const made = nginxGatewayObjects([...base, ...ingresses], {}, { gateway: 'infra/public' });
  return made.ingresses.map(({ name, objects, notes }) => ({
    name,
    notes,
    objects,
    routes: objects
      .filter(({ kind }) => kind === 'HTTPRoute')
      .map((object) => (object as KubeObject & { spec: Route }).spec),
  }));
}

interface Route {
  readonly rules: readonly { readonly matches: readonly object[]; readonly backendRefs: unknown }[];
}

const canary = (more: Readonly<Record<string, string>>) =>
  ingress('canary', { canary: 'true', ...more }, undefined, 'next');

describe('Gateway API objects for Ingresses of ingress-nginx', () => {
  test('a prefix is one match, and its host is the route’s', () => {
    const [{ routes } = { routes: [] }] = written(ingress('main', {}));
    expect(routes).toHaveLength(1);
    expect(routes[0]).toMatchObject({
      parentRefs: [{ name: 'public', namespace: 'infra' }],
      hostnames: ['shop.test'],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/app' } }],
          backendRefs: [{ name: 'web', port: 80 }],
        },
      ],
    });
  });

  test.each<[Readonly<Record<string, string>>, object, object]>([
    [{}, { path: '/app', pathType: 'Exact' }, { type: 'Exact', value: '/app' }],
    [
      { 'use-regex': 'true' },
      { path: '/v[0-9]+', pathType: 'ImplementationSpecific' },
      { type: 'RegularExpression', value: '(?i)/v[0-9]+' },
    ],
  ])('%j %j becomes %j', (annotations, path, match) => {
    const [{ routes } = { routes: [] }] = written(ingress('main', annotations, path as never));
    expect(routes.map(({ rules }) => rules[0]?.matches[0])).toContainEqual({ path: match });
  });

  test('a canary by weight is a weight, one by header is said to be left out', () => {
    const weights = written(ingress('main', {}), canary({ 'canary-weight': '20' }));
    const main = weights.find(({ name }) => name === 'main');
    expect(main?.routes[0]?.rules[0]?.backendRefs).toEqual([
      { name: 'web', port: 80, weight: 80 },
      { name: 'next', port: 80, weight: 20 },
    ]);
    expect(main?.notes).toEqual([]);
    const header = written(ingress('main', {}), canary({ 'canary-by-header': 'X-Next' }));
    expect(header.find(({ name }) => name === 'main')?.notes.join()).toContain('left out');
  });

  test('a path whose guard cannot be written is not written', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'users', namespace: 'shop' },
      data: { auth: Buffer.from('a:$apr1$x$y').toString('base64') },
    } as KubeObject;
    const guarded = ingress('main', { 'auth-type': 'basic', 'auth-secret': 'users' });
    const made = nginxGatewayObjects([...base, secret, guarded]);
    expect(made.ingresses[0]?.objects.filter(({ kind }) => kind === 'HTTPRoute')).toEqual([]);
    expect(made.ingresses[0]?.notes.join()).toContain('htpasswd-auth');
    expect(JSON.stringify(made)).not.toContain('$apr1$');
  });

  test('what is written is understood here, without a problem', () => {
    const [one] = written(
      ingress('main', { 'enable-cors': 'true', 'limit-rps': '5', 'auth-url': 'http://auth.test/' }),
    );
    const { state, problems } = translate([...base, ...(one?.objects ?? [])], {
      routerFlavor: 'expressions',
    });
    expect(problems).toEqual([]);
    const plugins = state.plugins.map(({ name }) => name);
    expect(plugins).toEqual(
      expect.arrayContaining(['cors-nginx', 'external-auth', 'nginx-proxy', 'request-rate']),
    );
  });
});
