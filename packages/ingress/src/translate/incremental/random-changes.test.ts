import type { KubeObject } from '@waygate/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ResolvedOptions, resolveOptions } from '../options.ts';
import type { ObjectChange } from './cluster-translator.ts';
import { IncrementalTranslator } from './incremental-translator.ts';

/** Objects of every kind with few names, so that they refer to each other, clash and miss each other. */

const name = fc.constantFrom('a', 'b');
const namespace = fc.constantFrom('one', 'two');
const created = fc.constantFrom('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z');
const className = fc.constantFrom('kong', 'other');

const annotations = fc
  .record(
    {
      'kubernetes.io/ingress.class': className,
      'konghq.com/plugins': fc.constantFrom('a', 'b', 'a,b', 'two:a'),
      'konghq.com/strip-path': fc.constantFrom('true', 'x'),
      'konghq.com/protocols': fc.constantFrom('http', 'grpc', 'bogus'),
      'konghq.com/upstream-policy': name,
      'konghq.com/override': name,
      'konghq.com/rewrite': fc.constantFrom('/$1', '/$x'),
      'konghq.com/host-aliases': fc.constantFrom('x.example.com', '*.example.com'),
      'konghq.com/read-timeout': fc.constantFrom('1', '2'),
    },
    { requiredKeys: [] },
  )
  .map((record) => record as Record<string, string>);

const clusterScoped = new Set(['KongClusterPlugin', 'KongVault']);

function object(
  apiVersion: string,
  kind: string,
  body: fc.Arbitrary<object>,
  labels: fc.Arbitrary<object> = fc.constant({}),
): fc.Arbitrary<KubeObject> {
  return fc.record({ name, namespace, created, annotations, body, labels }).map((parts) => ({
    apiVersion,
    kind,
    metadata: {
      name: parts.name,
      ...(clusterScoped.has(kind) ? {} : { namespace: parts.namespace }),
      uid: `${kind}-${parts.namespace}-${parts.name}`,
      creationTimestamp: parts.created,
      annotations: parts.annotations,
      labels: parts.labels as Record<string, string>,
    },
    ...parts.body,
  }));
}

const port = fc.constantFrom({ number: 80 }, { name: 'http' }, {});
const backend = fc.oneof(
  fc.record({ service: fc.record({ name, port }) }),
  name.map((facade) => ({
    resource: {
      apiGroup: 'incubator.ingress-controller.konghq.com',
      kind: 'KongServiceFacade',
      name: facade,
    },
  })),
);
const host = fc.constantFrom('a.example.com', 'b.example.com', '*.example.com', '');
const path = fc.record({
  path: fc.constantFrom('/', '/foo', '/~/bar/\\d+'),
  pathType: fc.constantFrom('Prefix', 'Exact', 'ImplementationSpecific'),
  backend,
});
const tls = fc.record({ hosts: fc.array(host, { maxLength: 2 }), secretName: name });

const ingressSpec = fc.record(
  {
    ingressClassName: className,
    defaultBackend: backend,
    rules: fc.array(
      fc.record({ host, http: fc.record({ paths: fc.array(path, { maxLength: 2 }) }) }),
      { maxLength: 2 },
    ),
    tls: fc.array(tls, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const backendRef = fc.record({
  kind: fc.constant('Service'),
  group: fc.constant(''),
  name,
  port: fc.constant(80),
  namespace: fc.option(namespace, { nil: null }),
  weight: fc.option(fc.constantFrom(0, 1, 30), { nil: null }),
});
const parentRefs = fc.constant([{ name: 'a' }]);
const hostnames = fc.array(fc.constantFrom('a.example.com', '*.example.com'), { maxLength: 2 });
const httpRule = fc.record({
  matches: fc.array(
    fc.record({
      path: fc.record({
        type: fc.constantFrom('PathPrefix', 'Exact'),
        value: fc.constantFrom('/', '/foo'),
      }),
    }),
    { maxLength: 2 },
  ),
  backendRefs: fc.array(backendRef, { maxLength: 2 }),
  filters: fc.array(
    fc.constantFrom(
      { type: 'RequestMirror' },
      { type: 'RequestHeaderModifier', requestHeaderModifier: { remove: ['x'] } },
      {
        type: 'ExtensionRef',
        extensionRef: { group: 'configuration.konghq.com', kind: 'KongPlugin', name: 'a' },
      },
    ),
    { maxLength: 1 },
  ),
});
const routeSpec = (rule: fc.Arbitrary<object>) =>
  fc.record({
    spec: fc.record({ parentRefs, hostnames, rules: fc.array(rule, { maxLength: 2 }) }),
  });
const streamRule = fc.record({ backendRefs: fc.array(backendRef, { maxLength: 2 }) });
const streamIngress = fc.record({
  spec: fc.record({
    rules: fc.array(
      fc.record({
        port: fc.constant(9000),
        host,
        backend: fc.record({ serviceName: name, servicePort: fc.constant(80) }),
      }),
      { maxLength: 2 },
    ),
    tls: fc.array(tls, { maxLength: 1 }),
  }),
});
const plugin = fc.record({
  plugin: fc.constantFrom('cors', 'key-auth', ''),
  config: fc.constantFrom({}, { a: 1 }, null),
  configFrom: fc.option(
    name.map((secret) => ({ secretKeyRef: { name: secret, key: 'key', namespace: 'one' } })),
  ),
});
const encoded = (text: string) => Buffer.from(text).toString('base64');
const configuration = 'configuration.konghq.com/v1';
const gateway = 'gateway.networking.k8s.io/v1';

const randomObject: fc.Arbitrary<KubeObject> = fc.oneof(
  object('networking.k8s.io/v1', 'Ingress', fc.record({ spec: ingressSpec })),
  object(
    'v1',
    'Service',
    fc.record({
      spec: fc.constantFrom<object>(
        { ports: [{ port: 80, name: 'http' }] },
        { ports: [] },
        { type: 'ExternalName', externalName: 'x.example.com' },
      ),
    }),
  ),
  object(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    fc.record({
      ports: fc.constant([{ name: 'http', port: 8080, protocol: 'TCP' }]),
      endpoints: fc.array(
        fc.constantFrom('10.0.0.1', '10.0.0.2').map((address) => ({ addresses: [address] })),
        { maxLength: 2 },
      ),
    }),
    name.map((service) => ({ 'kubernetes.io/service-name': service })),
  ),
  object(
    'v1',
    'Secret',
    fc.record({
      data: fc.constantFrom<object>(
        { key: encoded('{"a":1}') },
        { key: encoded('same'), username: encoded('u') },
        { id: encoded('x'), cert: encoded('bad') },
      ),
    }),
    fc.constantFrom<object>(
      {},
      { 'konghq.com/credential': 'key-auth' },
      { 'konghq.com/credential': 'basic-auth' },
      { 'konghq.com/ca-cert': 'true' },
    ),
  ),
  object(configuration, 'KongPlugin', plugin),
  object(
    configuration,
    'KongClusterPlugin',
    plugin,
    fc.constantFrom<object>({}, { global: 'true' }),
  ),
  object(
    configuration,
    'KongConsumer',
    fc.record({
      username: fc.constantFrom('bob', 'eve', ''),
      custom_id: fc.constantFrom('1', ''),
      credentials: fc.array(name, { maxLength: 2 }),
      consumerGroups: fc.array(name, { maxLength: 1 }),
    }),
  ),
  object('configuration.konghq.com/v1beta1', 'KongConsumerGroup', fc.constant({})),
  object(
    'configuration.konghq.com/v1beta1',
    'KongUpstreamPolicy',
    fc.record({ spec: fc.constantFrom({ algorithm: 'least-connections' }, { slots: 10 }) }),
  ),
  object(configuration, 'KongIngress', fc.constant({ upstream: { slots: 20 } })),
  object('configuration.konghq.com/v1beta1', 'TCPIngress', streamIngress),
  object('configuration.konghq.com/v1beta1', 'UDPIngress', streamIngress),
  object(
    'configuration.konghq.com/v1alpha1',
    'KongVault',
    fc.record({ spec: fc.constant({ backend: 'env', prefix: 'p' }) }),
  ),
  object(
    'configuration.konghq.com/v1alpha1',
    'KongCustomEntity',
    fc.record({
      spec: fc.record({
        type: fc.constantFrom('degraphql_routes', 'sessions'),
        controllerName: className,
        fields: fc.constant({ a: 1 }),
        parentRef: name.map((parent) => ({ kind: 'KongPlugin', name: parent })),
      }),
    }),
  ),
  object(
    'incubator.ingress-controller.konghq.com/v1alpha1',
    'KongServiceFacade',
    fc.record({ spec: fc.record({ backendRef: fc.record({ name, port: fc.constant(80) }) }) }),
  ),
  object(gateway, 'HTTPRoute', routeSpec(httpRule)),
  object(gateway, 'GRPCRoute', routeSpec(streamRule)),
  object('gateway.networking.k8s.io/v1alpha2', 'TLSRoute', routeSpec(streamRule)),
  object('gateway.networking.k8s.io/v1alpha2', 'TCPRoute', routeSpec(streamRule)),
  object(
    gateway,
    'Gateway',
    fc.record({
      spec: fc.record({
        listeners: fc.array(
          fc.constantFrom<object>(
            { name: 'http', protocol: 'HTTP', port: 80 },
            { name: 'https', protocol: 'HTTPS', port: 443, hostname: 'a.example.com' },
            { name: 'tcp', protocol: 'TCP', port: 9000 },
          ),
          { maxLength: 2 },
        ),
      }),
    }),
  ),
  object(
    'gateway.networking.k8s.io/v1beta1',
    'ReferenceGrant',
    fc.record({
      spec: fc.record({
        from: fc.constant([
          { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'one' },
          { group: 'networking.k8s.io', kind: 'Ingress', namespace: 'one' },
        ]),
        to: fc.constantFrom(
          [{ group: '', kind: 'Service' }],
          [{ group: 'configuration.konghq.com', kind: 'KongPlugin' }],
        ),
      }),
    }),
  ),
  fc
    .record({ name: className, created, isDefault: fc.boolean(), hasParameters: fc.boolean() })
    .map(({ name: own, created: creationTimestamp, isDefault, hasParameters }) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: {
        name: own,
        creationTimestamp,
        annotations: { 'ingressclass.kubernetes.io/is-default-class': String(isDefault) },
      },
      spec: hasParameters
        ? {
            parameters: {
              apiGroup: 'configuration.konghq.com',
              kind: 'IngressClassParameters',
              namespace: 'one',
              name: 'a',
            },
          }
        : {},
    })),
  object(
    'configuration.konghq.com/v1alpha1',
    'IngressClassParameters',
    fc.record({ spec: fc.record({ serviceUpstream: fc.boolean() }) }),
  ),
);

function fromNothing(objects: Iterable<KubeObject>, options: ResolvedOptions) {
  const translator = new IncrementalTranslator(options);
  translator.apply([...objects].map((object) => ({ type: 'put', object })));
  return comparable(translator);
}

function comparable(translator: IncrementalTranslator) {
  // Asked first: what it keeps from the time before must be as true as what is made anew.
  const state = translator.state();
  const { state: again, problems, translated } = translator.snapshot();
  expect(again).toEqual(state);
  return {
    state,
    problems: problems.map((problem) => JSON.stringify(problem)).sort(),
    translated: [...translated].map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
  };
}

const idOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace} ${metadata.name}`;

describe('an incremental translation', () => {
  for (const routerFlavor of ['traditional', 'expressions'] as const) {
    const options = resolveOptions({
      routerFlavor,
      features: { kongServiceFacade: true, rewriteUris: true },
      now: () => new Date('2026-01-01T00:00:00Z'),
    });

    test(`equals one from nothing after any changes (${routerFlavor})`, () => {
      const change = fc.record({ object: randomObject, isDelete: fc.boolean() });
      fc.assert(
        fc.property(
          fc.array(fc.array(change, { maxLength: 12 }), { minLength: 1, maxLength: 8 }),
          (batches) => {
            const cluster = new Map<string, KubeObject>();
            const translator = new IncrementalTranslator(options);
            for (const batch of batches) {
              const changes: ObjectChange[] = batch.map(({ object, isDelete }) => {
                if (isDelete) cluster.delete(idOf(object));
                else cluster.set(idOf(object), object);
                return { type: isDelete ? 'delete' : 'put', object };
              });
              translator.apply(changes);
              expect(comparable(translator)).toEqual(fromNothing(cluster.values(), options));
            }
          },
        ),
        { numRuns: 150 },
      );
    });
  }
});
