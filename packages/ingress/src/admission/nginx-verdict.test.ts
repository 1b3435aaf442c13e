import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { ObjectStore } from '../store/object-store.ts';
import { validateObject } from './object-validator.ts';

const ingressClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'nginx' },
  spec: { controller: 'k8s.io/ingress-nginx' },
};

interface Wish {
  readonly className?: string;
  readonly path?: string;
  readonly pathType?: string;
  readonly second?: number;
}

const prefix = 'nginx.ingress.kubernetes.io';

function ingress(name: string, annotations: Record<string, string>, wish: Wish = {}): KubeObject {
  const { className = 'nginx', path = '/', pathType = 'Prefix', second } = wish;
  const backend = { service: { name: 'web', port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: 'shop',
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`${prefix}/${key}`, value]),
      ),
      ...(second !== undefined && { creationTimestamp: `2026-01-01T00:00:0${second}Z` }),
    },
    spec: {
      ingressClassName: className,
      rules: [{ host: 'a.test', http: { paths: [{ path, pathType, backend }] } }],
    },
  } as unknown as KubeObject;
}

async function verdict(
  object: KubeObject,
  { others = [], data = {} }: { others?: KubeObject[]; data?: Record<string, string> } = {},
): Promise<string> {
  const reader = new ObjectStore();
  const settings = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace: 's', name: 'c' } };
  for (const one of [ingressClass, { ...settings, data }, ...others]) reader.put(one as KubeObject);
  const { isAllowed, message, warnings } = await validateObject(
    { uid: '1', operation: 'CREATE', object },
    {
      reader,
      options: { nginx: { configMap: 's/c', isCatchAllDisabled: true } },
      ingressClass: 'kong',
      entities: { validate: async () => undefined },
    },
  );
  return isAllowed ? ['yes', ...(warnings ?? [])].join(': ') : message;
}

test.each<[string, KubeObject, Record<string, string>, RegExp]>([
  ['a plain Ingress', ingress('a', {}), {}, /^yes$/],
  [
    'a value that is not valid',
    ingress('a', { 'auth-url': 'http://x/"' }),
    {},
    /auth-url contains invalid value/,
  ],
  ['one that only counts for nothing', ingress('a', { 'proxy-buffering': 'maybe' }), {}, /^yes: /],
  [
    'a snippet',
    ingress('a', { 'configuration-snippet': 'return 200;' }),
    {},
    /allow-snippet-annotations is off/,
  ],
  [
    'a risk',
    ingress('a', { 'rewrite-target': '/' }),
    { 'annotations-risk-level': 'Low' },
    /rewrite-target is of risk Medium/,
  ],
  [
    'a word',
    ingress('a', { 'upstream-vhost': 'badword' }),
    { 'annotation-value-word-blocklist': 'badword' },
    /badword/,
  ],
  ['a file', ingress('a', {}, { path: '/etc/nginx/x' }), {}, /invalid value found/],
  [
    'a pattern as a prefix',
    ingress('a', {}, { path: '/a(.*)' }),
    {},
    /cannot be used with pathType/,
  ],
  [
    'a pattern where that is allowed',
    ingress('a', {}, { path: '/a(.*)', pathType: 'ImplementationSpecific' }),
    {},
    /^yes/,
  ],
  [
    'one of another class with all of that',
    ingress('a', { 'configuration-snippet': 'x' }, { className: 'traefik', path: '/etc/nginx' }),
    {},
    /^yes$/,
  ],
])('%s', async (_, object, data, expected) => {
  expect(await verdict(object, { data })).toMatch(expected);
});

test('a path that an older Ingress has is refused; its own, an update and a canary are not', async () => {
  const old = ingress('old', {}, { second: 1 });
  expect(await verdict(ingress('new', {}), { others: [old] })).toBe(
    'host "a.test" and path "/" is already defined in ingress shop/old',
  );
  expect(await verdict(old, { others: [old, ingress('new', {}, { second: 2 })] })).toBe('yes');
  expect(await verdict(ingress('new', { canary: 'true' }), { others: [old] })).toBe('yes');
  const stranger = ingress('old', {}, { className: 'traefik', second: 1 });
  expect(await verdict(ingress('new', {}), { others: [stranger] })).toBe('yes');
});

test('a catch-all is refused where those are disabled', async () => {
  const object = ingress('a', {}) as unknown as { spec: { defaultBackend?: object } };
  object.spec.defaultBackend = { service: { name: 'web', port: { number: 80 } } };
  expect(await verdict(object as unknown as KubeObject)).toContain('--disable-catch-all');
});
