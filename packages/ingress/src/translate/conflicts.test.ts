import { CertificateAuthority, type KeyPairPem } from '@waygate/apiserver';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { IncrementalTranslator } from './incremental/incremental-translator.ts';
import type { Incumbents } from './incremental/unique-claims.ts';
import type { KongState } from './kong-state.ts';
import { resolveOptions } from './options.ts';

const authority = await CertificateAuthority.create(() => Date.now());
const pairs: Record<string, KeyPairPem> = {
  victim: await authority.issueServer(['shared.test']),
  tenant: await authority.issueServer(['shared.test']),
};

type Fields = Record<string, unknown> & { metadata?: Record<string, unknown> };

/** An object of a namespace; those of the victim are older. */
function object(kind: string, namespace: string, name: string, fields: Fields = {}): KubeObject {
  const { metadata, ...rest } = fields;
  return {
    apiVersion: apiVersions[kind],
    kind,
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: `${kind}-${namespace}-${name}`,
      creationTimestamp: `2026-01-0${namespace === 'victim' || name === 'older' ? 1 : 2}T00:00:00Z`,
      annotations: { 'kubernetes.io/ingress.class': 'kong' },
      ...metadata,
    },
    ...rest,
  } as KubeObject;
}

const kong = 'configuration.konghq.com';
const apiVersions: Record<string, string> = {
  Ingress: 'networking.k8s.io/v1',
  KongClusterPlugin: `${kong}/v1`,
  KongConsumer: `${kong}/v1`,
  KongConsumerGroup: `${kong}/v1beta1`,
  KongPlugin: `${kong}/v1`,
  KongVault: `${kong}/v1alpha1`,
  Secret: 'v1',
  Service: 'v1',
  HTTPRoute: 'gateway.networking.k8s.io/v1',
  TCPIngress: `${kong}/v1beta1`,
};

const base64 = (text: string) => Buffer.from(text).toString('base64');

function credential(namespace: string, type: string, data: Record<string, string>): KubeObject[] {
  const encoded = Object.entries(data).map(([key, value]) => [key, base64(value)]);
  return [
    object('KongConsumer', namespace, 'c', { username: namespace, credentials: ['s'] }),
    object('Secret', namespace, 's', {
      metadata: { labels: { 'konghq.com/credential': type } },
      data: Object.fromEntries(encoded),
    }),
  ];
}

function ingress(namespace: string, host: string, spec: object = {}): KubeObject[] {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  return [
    object('Ingress', namespace, 'i', {
      spec: {
        ingressClassName: 'kong',
        rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
        ...spec,
      },
    }),
    object('Service', namespace, 'web', { spec: { ports: [{ port: 80 }] } }),
  ];
}

function tls(namespace: string): KubeObject[] {
  const { certificate, privateKey } = pairs[namespace]!;
  return [
    ...ingress(namespace, `${namespace}.test`, {
      tls: [{ hosts: ['shared.test'], secretName: 'tls' }],
    }),
    object('Secret', namespace, 'tls', {
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': base64(certificate), 'tls.key': base64(privateKey) },
    }),
  ];
}

function taggedWith(namespace: string): (entity: { tags?: string[] }) => boolean {
  return ({ tags }) => tags?.includes(`k8s-namespace:${namespace}`) ?? false;
}

const namespacesOf = (entities: readonly { tags?: string[] }[]) =>
  ['victim', 'tenant'].filter((namespace) => entities.some(taggedWith(namespace)));

const credentials = (state: KongState) =>
  state.consumers.flatMap((one) =>
    Object.values(one).flatMap((value) =>
      Array.isArray(value) && typeof value[0] === 'object' ? (value as { tags?: string[] }[]) : [],
    ),
  );

const routes = (state: KongState) => state.services.flatMap((one) => one.routes ?? []);

/** What can be there once: who asks for it in a namespace, and what becomes of it. */
const rows: Record<
  string,
  { of(namespace: string): KubeObject[]; found(state: KongState): { tags?: string[] }[] }
> = {
  username: {
    of: (namespace) => [object('KongConsumer', namespace, 'c', { username: 'bob' })],
    found: ({ consumers }) => consumers,
  },
  'custom id': {
    of: (namespace) => [
      object('KongConsumer', namespace, 'c', { username: namespace, custom_id: '7' }),
    ],
    found: ({ consumers }) => consumers,
  },
  'a custom id that is a username': {
    of: (namespace) => [
      object(
        'KongConsumer',
        namespace,
        'c',
        namespace === 'victim' ? { username: 'bob' } : { custom_id: 'bob' },
      ),
    ],
    found: ({ consumers }) => consumers,
  },
  key: { of: (namespace) => credential(namespace, 'key-auth', { key: 'k' }), found: credentials },
  'basic-auth username': {
    of: (namespace) => credential(namespace, 'basic-auth', { username: 'u', password: namespace }),
    found: credentials,
  },
  'hmac-auth username': {
    of: (namespace) => credential(namespace, 'hmac-auth', { username: 'u', secret: namespace }),
    found: credentials,
  },
  'jwt key': {
    of: (namespace) => credential(namespace, 'jwt', { key: 'k', secret: namespace }),
    found: credentials,
  },
  'oauth2 client': {
    of: (namespace) => credential(namespace, 'oauth2', { client_id: 'x', name: namespace }),
    found: credentials,
  },
  'mtls subject': {
    of: (namespace) => credential(namespace, 'mtls-auth', { subject_name: 'CN=x' }),
    found: credentials,
  },
  'consumer group': {
    of: (namespace) => [object('KongConsumerGroup', namespace, 'gold')],
    found: ({ consumerGroups }) => consumerGroups,
  },
  'rule of a route': { of: (namespace) => ingress(namespace, 'shared.test'), found: routes },
  'host of a certificate': {
    of: tls,
    found: ({ certificates }) => certificates.filter(({ snis }) => snis !== undefined),
  },
  'default backend': {
    of: (namespace) =>
      ingress(namespace, `${namespace}.test`, {
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      }),
    found: (state) => routes(state).filter(({ hosts }) => hosts === undefined),
  },
};

function translatorOf(objects: readonly KubeObject[]): IncrementalTranslator {
  const translator = new IncrementalTranslator(resolveOptions());
  translator.apply(objects.map((one) => ({ type: 'put', object: one })));
  return translator;
}

describe.each(Object.entries(rows))('%s', (_, { of, found }) => {
  const victim = of('victim');
  const tenant = of('tenant');
  const told = (translator: IncrementalTranslator) =>
    translator
      .snapshot()
      .problems.filter(({ isConflict }) => isConflict)
      .map(({ object: one }) => one.namespace);

  test.each([
    ['victim first', [victim, tenant]],
    ['tenant first', [tenant, victim]],
  ])('is the older one’s, whoever came first: %s', (_order, [first, second]) => {
    const translator = translatorOf(first!);
    translator.settle();
    translator.apply(second!.map((one) => ({ type: 'put', object: one })));
    const { state } = translator.snapshot();
    expect(namespacesOf(found(state))).toEqual(['victim']);
    expect(new Set(told(translator))).toEqual(new Set(['tenant']));
  });

  test('goes over to the newer one when the older is deleted, and back', () => {
    const translator = translatorOf([...tenant, ...victim]);
    translator.settle();
    translator.apply(victim.map((one) => ({ type: 'delete', object: one })));
    expect(namespacesOf(found(translator.snapshot().state))).toEqual(['tenant']);
    expect(told(translator)).toEqual([]);
    translator.apply(victim.map((one) => ({ type: 'put', object: one })));
    expect(namespacesOf(found(translator.snapshot().state))).toEqual(['victim']);
  });

  test('stays with the one that has it, although an older one asks for it now', () => {
    const translator = translatorOf([...victim, ...tenant]);
    const holders = new Set(
      [...tenant].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    );
    const held: Incumbents = (index) =>
      index === 'rule'
        ? 'tenant'
        : [...holders].find((one) =>
            index === 'sni'
              ? one.endsWith('/tls')
              : / on '/u.test(index)
                ? one.endsWith('/s')
                : true,
          );
    translator.setIncumbents(held);
    expect(namespacesOf(found(translator.snapshot().state))).toEqual(['tenant']);
    expect(new Set(told(translator))).toEqual(new Set(['victim']));
  });
});

test('who lost a name has no part in plugins of the one who has it', () => {
  const plugin = object('KongPlugin', 'tenant', 'p', {
    plugin: 'request-termination',
    config: { status_code: 418 },
  });
  const annotations = { 'kubernetes.io/ingress.class': 'kong', 'konghq.com/plugins': 'p' };
  for (const name of [{ username: 'bob' }, { custom_id: 'bob' }]) {
    const { state } = translatorOf([
      plugin,
      object('KongConsumer', 'victim', 'c', { username: 'bob' }),
      object('KongConsumer', 'tenant', 'c', { ...name, metadata: { annotations } }),
    ]).snapshot();
    expect(state.plugins).toEqual([]);
  }
});

test('what a loser lacks is no fault of the one who has the name', () => {
  const annotations = { 'kubernetes.io/ingress.class': 'kong', 'konghq.com/plugins': 'victim:p' };
  const consumer = (namespace: string, metadata: object = {}) =>
    object('KongConsumer', namespace, 'c', { username: 'bob', metadata: { ...metadata } });
  const group = (namespace: string, metadata: object = {}) =>
    object('KongConsumerGroup', namespace, 'gold', { metadata: { ...metadata } });
  const { faults } = translatorOf([
    consumer('victim'),
    consumer('tenant', { annotations }),
    group('victim'),
    group('tenant', { annotations }),
  ]).snapshot();
  expect([...faults.incomplete]).toEqual([]);
  expect([...faults.objects].sort()).toEqual([
    'KongConsumer tenant/c',
    'KongConsumerGroup tenant/gold',
  ]);
});

test('nobody joins the consumer group of another namespace', () => {
  const group = (namespace: string) => object('KongConsumerGroup', namespace, 'gold');
  const consumer = (namespace: string) =>
    object('KongConsumer', namespace, 'c', { username: namespace, consumerGroups: ['gold'] });
  const translator = translatorOf([
    consumer('tenant'),
    group('tenant'),
    group('victim'),
    consumer('victim'),
  ]);
  const members = () =>
    translator
      .snapshot()
      .state.consumers.filter(({ groups }) => groups !== undefined)
      .map(({ username }) => username);
  expect(members()).toEqual(['victim']);
  translator.apply([{ type: 'delete', object: group('victim') }]);
  expect(members()).toEqual(['tenant']);
});

test('a host is its namespace’s own where hosts are isolated', () => {
  const rule = (namespace: string, path: string, annotations = {}) =>
    object('Ingress', namespace, `i${path.length}`, {
      metadata: { annotations },
      spec: {
        ingressClassName: 'kong',
        rules: [
          {
            host: 'shared.test',
            http: {
              paths: [{ path, backend: { service: { name: 'web', port: { number: 80 } } } }],
            },
          },
        ],
      },
    });
  const objects = [
    rule('victim', '/'),
    rule('victim', '/other'),
    rule('tenant', '/~/.*', { 'konghq.com/regex-priority': '1000' }),
    rule('tenant', '/', { 'konghq.com/methods': 'GET' }),
  ];
  for (const isolatesHosts of [true, false]) {
    const translator = new IncrementalTranslator(resolveOptions({ isolatesHosts }));
    translator.apply(objects.map((one) => ({ type: 'put', object: one })));
    const found = routes(translator.snapshot().state).map(({ paths }) => paths?.[0]);
    const theirs = isolatesHosts ? [] : ['~/.*'];
    expect(found.sort()).toEqual(['/', '/other', ...theirs]);
  }
});

test('of two global plugins of one sort the older is in force', () => {
  const plugin = (name: string) =>
    object('KongClusterPlugin', '', name, {
      plugin: 'key-auth',
      metadata: { labels: { global: 'true' } },
    });
  const translator = translatorOf([plugin('newer'), plugin('older')]);
  const names = () => translator.snapshot().state.plugins.map(({ tags }) => tags?.[0]);
  expect(names()).toEqual(['k8s-name:older']);
  translator.apply([{ type: 'delete', object: plugin('older') }]);
  expect(names()).toEqual(['k8s-name:newer']);
});

test('a namespace that is called like a kind of route takes no names from one that is not', () => {
  const backendRefs = [{ name: 'web', port: 80 }];
  const route = object('HTTPRoute', 'victim', 'r', {
    spec: { hostnames: ['v.test'], rules: [{ backendRefs }] },
  });
  const before = translatorOf([route]).snapshot().state;
  const stream = (name: string) =>
    object('TCPIngress', 'httproute', name, {
      spec: { rules: [{ port: 9000, backend: { serviceName: 'web', servicePort: 80 } }] },
    });
  const { state } = translatorOf([route, stream('victim.r'), stream('victim.r.0')]).snapshot();
  const own = ({ services }: KongState) =>
    services.filter(({ routes: all }) => all?.some(taggedWith('victim')));
  expect(own(state)).toEqual(own(before));
  const names = routes(state).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a tag of a user does not say that an entity is made from another object', () => {
  const annotations = { 'konghq.com/tags': 'mine,k8s-group:apps,k8s-name:x' };
  const [one, service] = ingress('tenant', 't.test');
  const { state } = translatorOf([
    { ...one!, metadata: { ...one!.metadata, annotations } },
    service!,
  ]).snapshot();
  const tags = routes(state)[0]?.tags ?? [];
  expect(tags.filter((tag) => tag.startsWith('k8s-name:'))).toEqual(['k8s-name:i']);
  expect(tags).toContain('mine');
});
