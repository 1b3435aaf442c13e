import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { ObjectStore } from '../store/object-store.ts';
import type { TranslateOptions } from '../translate/options.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { schemaValidator } from './entity-validator.ts';
import { validateObject } from './object-validator.ts';

const encoded = (text: string) => Buffer.from(text).toString('base64');
const class_ = { 'kubernetes.io/ingress.class': 'kong' };

function object(kind: string, name: string, fields: object, metadata: object = {}): KubeObject {
  const apiVersion = kind === 'Secret' ? 'v1' : 'configuration.konghq.com/v1';
  return { apiVersion, kind, metadata: { name, namespace: 'default', ...metadata }, ...fields };
}

const credential = (name: string, key: string) =>
  object(
    'Secret',
    name,
    { data: { key: encoded(key) } },
    { labels: { 'konghq.com/credential': 'key-auth' } },
  );

const consumer = (name: string, username: string, credentials: string[] = []) =>
  object('KongConsumer', name, { username, credentials }, { annotations: class_ });

async function judge(
  subject: KubeObject,
  cluster: KubeObject[] = [],
  operation: AdmissionRequest['operation'] = 'CREATE',
  options: TranslateOptions = {},
) {
  const reader = new ObjectStore();
  for (const one of cluster) reader.put(one);
  return validateObject(
    { uid: 'u', operation, object: subject },
    {
      reader,
      options,
      ingressClass: 'kong',
      entities: schemaValidator('traditional_compatible'),
    },
  );
}

/** A route that the expressions router could take, and the other one refuses. */
const strangeRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'r', namespace: 'default' },
  spec: {
    parentRefs: [{ name: 'g' }],
    rules: [
      {
        matches: [{ path: { type: 'RegularExpression', value: '/(' } }],
        backendRefs: [{ name: 'web', port: 80 }],
      },
    ],
  },
} as KubeObject;

const gatewayOf = (controllerName: string) =>
  [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'c' },
      spec: { controllerName },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'g', namespace: 'default' },
      spec: { gatewayClassName: 'c', listeners: [{ name: 'l', port: 80, protocol: 'HTTP' }] },
    },
  ] as unknown as KubeObject[];

describe('the admission of objects', () => {
  test('judges routes of our Gateways only', async () => {
    const own = gatewayOf('konghq.com/kic-gateway-controller');
    expect((await judge(strangeRoute, own)).isAllowed).toBe(false);
    expect((await judge(strangeRoute, gatewayOf('istio.io/gateway'))).isAllowed).toBe(true);
    expect((await judge(strangeRoute)).isAllowed).toBe(true);
  });

  test('refuses one key in two credentials of a consumer', async () => {
    const twins = [credential('s', 'k'), credential('t', 'k')];
    const { isAllowed, message } = await judge(consumer('c', 'bob', ['s', 't']), twins);
    expect(isAllowed).toBe(false);
    expect(message).toContain('unique key constraint violated');
    // One that is named twice is still one.
    expect((await judge(consumer('c', 'bob', ['s', 's']), twins)).isAllowed).toBe(true);
  });

  test.each([
    [
      'a plugin that fits its schema',
      object('KongPlugin', 'p', { plugin: 'key-auth', config: { key_names: ['k'] } }),
      [],
    ],
    [
      'a plugin that nobody here knows',
      object('KongPlugin', 'p', { plugin: 'my-own', config: { x: 1 } }),
      [],
    ],
    ['a consumer of another class', object('KongConsumer', 'c', {}), []],
    ['a consumer with its credential', consumer('c', 'bob', ['s']), [credential('s', 'k')]],
    [
      'its own Secret again',
      credential('s', 'k'),
      [consumer('c', 'bob', ['s']), credential('s', 'k')],
    ],
    [
      'a kind that is none of ours',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
      [],
    ],
  ])('allows %s', async (_, subject, cluster) => {
    expect(await judge(subject, cluster)).toEqual({ isAllowed: true, message: '' });
  });

  test.each([
    ['a plugin without a name', object('KongPlugin', 'p', {}), [], 'plugin name cannot be empty'],
    [
      'a plugin against its schema',
      object('KongPlugin', 'p', { plugin: 'key-auth', config: { key_names: 5 } }),
      [],
      'key_names',
    ],
    [
      'a plugin whose Secret is missing',
      object('KongPlugin', 'p', {
        plugin: 'cors',
        configFrom: { secretKeyRef: { name: 's', key: 'k' } },
      }),
      [],
      'Secret default/s not found',
    ],
    [
      'a consumer without a name',
      object('KongConsumer', 'c', {}, { annotations: class_ }),
      [],
      'username',
    ],
    [
      'a second consumer of a name',
      consumer('d', 'bob'),
      [consumer('c', 'bob')],
      'KongConsumer default/c',
    ],
    ['a consumer whose credential is missing', consumer('c', 'bob', ['s']), [], 'default/s'],
    [
      'a key that is in use',
      credential('t', 'TOP-SECRET'),
      [consumer('c', 'bob', ['s']), credential('s', 'TOP-SECRET')],
      "key-auth on 'key'",
    ],
    [
      'a credential without its field',
      object('Secret', 's', { data: {} }, { labels: { 'konghq.com/credential': 'acl' } }),
      [],
      'group',
    ],
  ])('refuses %s, and says why', async (_, subject, cluster, words) => {
    const verdict = await judge(subject, cluster);
    expect(verdict.isAllowed).toBe(false);
    expect(verdict.message).toContain(words);
    expect(verdict.message).not.toContain('TOP-SECRET');
  });

  test('refuses an Ingress whose route the gateway would refuse', async () => {
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name: 'i',
        namespace: 'default',
        annotations: { 'konghq.com/path-handling': 'v9' },
      },
      spec: {
        ingressClassName: 'kong',
        rules: [
          {
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: 's', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    } as KubeObject;
    const verdict = await judge(ingress);
    expect(verdict).toMatchObject({ isAllowed: false });
    expect(verdict.message).toContain('Ingress default/i failed schema validation');
  });

  test('judges a Secret by the plugins that take their configuration from it', async () => {
    const plugin = object('KongPlugin', 'p', {
      plugin: 'key-auth',
      configFrom: { secretKeyRef: { name: 's', key: 'config' } },
    });
    const secret = (text: string) => object('Secret', 's', { data: { config: encoded(text) } });
    expect((await judge(secret('key_names: [k]'), [plugin])).isAllowed).toBe(true);
    const verdict = await judge(secret('key_names: 5'), [plugin]);
    expect(verdict).toMatchObject({ isAllowed: false });
    expect(verdict.message).toContain('KongPlugin default/p');
  });

  test('judges a credential by the rules of the scheme that is in use', async () => {
    const secret = object('Secret', 's', { data: { kongCredType: encoded('key-auth') } });
    expect((await judge(secret)).isAllowed).toBe(true);
    expect(await judge(secret, [], 'CREATE', { naming: 'legacy' })).toMatchObject({
      isAllowed: false,
      message: 'missing required field(s): key',
    });
  });

  test('never stands in the way of a deletion', async () => {
    expect((await judge(object('KongPlugin', 'p', {}), [], 'DELETE')).isAllowed).toBe(true);
  });

  test('warns of what is deprecated', async () => {
    const verdict = await judge(object('KongIngress', 'k', { upstream: {} }));
    expect(verdict).toMatchObject({ isAllowed: true });
    expect(verdict.warnings).toHaveLength(1);
  });
});
