import type { ListenerKeyPair } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { makeServingPair } from '../../admission/webhook-certificate.ts';
import type { KongState, RouteEntity } from '../kong-state.ts';
import { resolveOptions, type TranslateOptions } from '../options.ts';
import { translate } from '../translate.ts';
import { LegacyTranslator } from './legacy-translator.ts';

interface Meta {
  readonly [field: string]: unknown;
}

function made(kind: string, name: string, fields: object = {}, metadata: Meta = {}): KubeObject {
  const groups: Record<string, string> = {
    Ingress: 'networking.k8s.io/v1beta1',
    TCPIngress: 'configuration.konghq.com/v1beta1',
    KnativeIngress: 'networking.internal.knative.dev/v1alpha1',
    EndpointSlice: 'discovery.k8s.io/v1',
  };
  const isKong = kind.startsWith('Kong');
  return {
    apiVersion: groups[kind] ?? (isKong ? 'configuration.konghq.com/v1' : 'v1'),
    kind: kind.replace('KnativeIngress', 'Ingress'),
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...metadata },
    ...fields,
  } as KubeObject;
}

const to = (serviceName: string, servicePort: number | string = 80) => ({
  serviceName,
  servicePort,
});
const rule = (host: string, ...paths: readonly (readonly [string, object])[]) => ({
  ...(host && { host }),
  http: { paths: paths.map(([path, backend]) => ({ path, backend })) },
});
const annotated = (annotations: Record<string, string>, rest: Meta = {}): Meta => ({
  annotations,
  ...rest,
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (name: string, data: Record<string, string>, metadata: Meta = {}) =>
  made(
    'Secret',
    name,
    { data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])) },
    metadata,
  );

function legacy(objects: readonly KubeObject[], options: TranslateOptions = {}) {
  return translate(objects, { naming: 'legacy', ...options });
}

const plainService = {
  protocol: 'http',
  port: 80,
  path: '/',
  connect_timeout: 60_000,
  read_timeout: 60_000,
  write_timeout: 60_000,
  retries: 5,
};
const plainRoute = {
  strip_path: false,
  preserve_host: true,
  protocols: ['http', 'https'],
  regex_priority: 0,
  https_redirect_status_code: 426,
  path_handling: 'v0',
};

describe('rules', () => {
  test('of an Ingress are a route each, under names of their numbers', () => {
    const ingress = made('Ingress', 'web', {
      spec: {
        rules: [
          rule('a.test', ['/', to('one')], ['', to('two', 'http')]),
          rule('', ['/x', to('one')]),
          { host: 'nothing.test' },
        ],
      },
    });
    const { state } = legacy([ingress]);
    expect(state.services).toEqual([
      {
        ...plainService,
        name: 'shop.one.80',
        host: 'one.shop.80.svc',
        routes: [
          { ...plainRoute, name: 'shop.web.00', hosts: ['a.test'], paths: ['/'] },
          { ...plainRoute, name: 'shop.web.10', paths: ['/x'] },
        ],
      },
      {
        ...plainService,
        name: 'shop.two.http',
        host: 'two.shop.http.svc',
        routes: [{ ...plainRoute, name: 'shop.web.01', hosts: ['a.test'], paths: ['/'] }],
      },
    ]);
    expect(state.upstreams).toEqual([
      { name: 'one.shop.80.svc', algorithm: 'round-robin' },
      { name: 'two.shop.http.svc', algorithm: 'round-robin' },
    ]);
  });

  test('of today are read as those of then, and the oldest default backend counts', () => {
    const service = (name: string, port: object) => ({ service: { name, port } });
    const today = (name: string, age: string, spec: object) => ({
      ...made('Ingress', name, { spec }, { creationTimestamp: age }),
      apiVersion: 'networking.k8s.io/v1',
    });
    const { state } = legacy([
      today('young', '2026-02-02T00:00:00Z', {
        defaultBackend: service('young', { number: 80 }),
        rules: [{ http: { paths: [{ backend: service('one', { name: 'http' }) }] } }],
      }),
      today('old', '2026-01-01T00:00:00Z', {
        ingressClassName: 'kong',
        defaultBackend: service('old', { number: 81 }),
      }),
      today('other', '2025-01-01T00:00:00Z', {
        ingressClassName: 'another',
        defaultBackend: service('other', { number: 80 }),
      }),
    ]);
    const { path: _path, ...withoutPath } = plainService;
    expect(state.services).toEqual([
      {
        ...withoutPath,
        name: 'shop.old.81',
        host: 'old.shop.81.svc',
        routes: [{ ...plainRoute, name: 'shop.old', paths: ['/'] }],
      },
      {
        ...plainService,
        name: 'shop.one.http',
        host: 'one.shop.http.svc',
        routes: [{ ...plainRoute, name: 'shop.young.00', paths: ['/'] }],
      },
    ]);
  });

  test('whose numbers read the same have names of their own', () => {
    const paths = Array.from({ length: 12 }, (_, index) => [`/${index}`, to('one')] as const);
    const rules = Array.from({ length: 12 }, () => rule('', ...paths));
    const { state } = legacy([made('Ingress', 'web', { spec: { rules } })]);
    const names = state.services[0]!.routes!.map(({ name }) => name);
    expect(new Set(names).size).toBe(144);
    expect(names.filter((name) => name.includes('-'))).toEqual(['shop.web.11-0', 'shop.web.11-1']);
  });

  test('of TCP have a service beside that of HTTP, and count when they are whole', () => {
    const bad = [
      { port: 0, backend: to('one') },
      { port: 65_536, backend: to('one') },
      { port: 1, backend: { servicePort: 80 } },
      { port: 1, backend: { serviceName: 'one', servicePort: 0 } },
      { port: 1 },
    ];
    const { state } = legacy([
      made('Ingress', 'web', { spec: { rules: [rule('', ['/', to('one')])] } }),
      made('TCPIngress', 'tcp', {
        spec: {
          rules: [
            ...bad,
            { port: 65_535, backend: to('one') },
            { port: 1, host: 'h', backend: to('one', 1) },
          ],
        },
      }),
    ]);
    const { path: _path, ...withoutPath } = plainService;
    const tcpRoute = {
      protocols: ['tcp', 'tls'],
      https_redirect_status_code: 426,
      path_handling: 'v0',
    };
    expect(state.services.slice(0, 1)).toEqual([
      {
        ...withoutPath,
        protocol: 'tcp',
        name: 'shop.one.1',
        host: 'one.shop.1.svc',
        routes: [{ ...tcpRoute, name: 'shop.tcp.6', snis: ['h'], destinations: [{ port: 1 }] }],
      },
    ]);
    expect(state.services.map(({ name }) => name)).toEqual([
      'shop.one.1',
      'shop.one.80',
      'shop.one.80.tcp',
    ]);
    expect(state.services[2]!.routes).toEqual([
      { ...tcpRoute, name: 'shop.tcp.5', destinations: [{ port: 65_535 }] },
    ]);
  });

  test('of Knative lead to the largest share, with its headers', () => {
    const split = (serviceName: string, percent?: number, appendHeaders?: object) => ({
      serviceNamespace: 'shop',
      serviceName,
      servicePort: 80,
      ...(percent !== undefined && { percent }),
      ...(appendHeaders && { appendHeaders }),
    });
    const knative = (name: string, metadata: Meta, rules: readonly object[]) =>
      made('KnativeIngress', name, { spec: { rules } }, metadata);
    const ofClass = annotated({ 'networking.knative.dev/ingress.class': 'kong' });
    const { state } = legacy([
      knative('fn', ofClass, [
        {
          hosts: ['f.test'],
          http: {
            paths: [
              {
                splits: [split('none'), split('less', 40), split('more', 60, { z: '1' })],
                appendHeaders: { b: '2', z: '3' },
              },
              { path: '/x', splits: [] },
            ],
          },
        },
        { http: { paths: [{ path: '/y', splits: [split('more', 1, { other: '1' })] }] } },
      ]),
      knative('other', annotated({ 'networking.knative.dev/ingress.class': 'x' }), [
        { http: { paths: [{ splits: [split('other', 1)] }] } },
      ]),
    ]);
    expect(state.services).toEqual([
      {
        ...plainService,
        name: 'shop.more.80',
        host: 'more.shop.80.svc',
        routes: [
          { ...plainRoute, name: 'shop.fn.00', hosts: ['f.test'], paths: ['/'] },
          { ...plainRoute, name: 'shop.fn.10', paths: ['/y'] },
        ],
        plugins: [
          {
            name: 'request-transformer',
            config: { add: { headers: ['b:2', 'z:3'] } },
            enabled: true,
            protocols: ['http', 'https'],
          },
        ],
      },
    ]);
  });
});

describe('what a Kong of another version does not know', () => {
  const ingress = made('Ingress', 'web', { spec: { rules: [rule('', ['/', to('one')])] } });
  const global = made('KongPlugin', 'p', { plugin: 'cors' }, { labels: { global: 'true' } });
  test.each([
    { version: '0.35', isEnterprise: true, route: {}, algorithm: undefined, run: 'first' },
    {
      version: '0.36-1',
      isEnterprise: true,
      route: { https_redirect_status_code: 426 },
      run: 'first',
    },
    { version: '1.0', route: {}, run: 'first' },
    { version: '1.1', route: {}, run: 'first', protocols: true },
    {
      version: '1.2',
      route: { https_redirect_status_code: 426 },
      run: 'first',
      protocols: true,
    },
    {
      version: '1.3',
      route: { https_redirect_status_code: 426 },
      algorithm: 'round-robin',
      run: 'first',
      protocols: true,
    },
    {
      version: '2.0',
      route: { https_redirect_status_code: 426, path_handling: 'v0' },
      algorithm: 'round-robin',
      protocols: true,
    },
  ])('$version', ({ version, isEnterprise = false, route, algorithm, run, protocols }) => {
    const { state } = legacy([ingress, global], {
      kongVersion: version,
      isKongEnterprise: isEnterprise,
    });
    const { https_redirect_status_code, path_handling, ...always } = plainRoute;
    expect(state.services[0]!.routes).toEqual([
      { ...always, ...route, name: 'shop.web.00', paths: ['/'] },
    ]);
    expect(state.upstreams).toEqual([{ name: 'one.shop.80.svc', ...(algorithm && { algorithm }) }]);
    expect(state.plugins).toEqual([
      {
        name: 'cors',
        enabled: true,
        ...(run && { run_on: run }),
        ...(protocols && { protocols: ['http', 'https'] }),
      },
    ]);
  });
});

describe('overrides', () => {
  const ingress = (metadata: Meta = {}) =>
    made('Ingress', 'web', { spec: { rules: [rule('', ['/', to('one')])] } }, metadata);
  const service = (annotations: Record<string, string>) =>
    made('Service', 'one', { spec: { ports: [{ port: 80 }] } }, annotated(annotations));
  const kongIngress = (name: string, fields: object) => made('KongIngress', name, fields);
  const routeOf = ({ services }: KongState): RouteEntity => services[0]!.routes![0]!;
  const routeRows: readonly {
    what: string;
    objects: readonly KubeObject[];
    route: Partial<RouteEntity>;
    without?: string;
  }[] = [
    {
      what: 'a KongIngress of the same name',
      objects: [
        ingress(),
        kongIngress('web', {
          route: {
            methods: ['GET'],
            headers: {},
            protocols: [],
            strip_path: true,
            preserve_host: null,
            regex_priority: 7,
            paths: ['/no'],
          },
        }),
      ],
      route: { methods: ['GET'], headers: {}, strip_path: true, regex_priority: 7 },
    },
    {
      what: 'the KongIngress that is named, under the older name of the annotation',
      objects: [
        ingress(annotated({ 'configuration.konghq.com': 'k' })),
        kongIngress('web', { route: { regex_priority: 1 } }),
        kongIngress('k', { route: { regex_priority: 2 } }),
      ],
      route: { regex_priority: 2 },
    },
    {
      what: 'the one of its name, when the named one is not there',
      objects: [
        ingress(annotated({ 'konghq.com/override': 'gone' })),
        kongIngress('web', { route: { regex_priority: 1 } }),
      ],
      route: { regex_priority: 1 },
    },
    {
      what: 'annotations',
      objects: [
        ingress(
          annotated({
            'configuration.konghq.com/protocols': 'tcp,tls',
            'konghq.com/protocols': 'https',
            'configuration.konghq.com/strip-path': 'TRUE',
            'konghq.com/preserve-host': 'false',
            'konghq.com/https-redirect-status-code': '301',
          }),
        ),
      ],
      route: {
        protocols: ['https'],
        strip_path: true,
        preserve_host: false,
        https_redirect_status_code: 301,
      },
    },
    {
      what: 'annotations without sense',
      objects: [
        ingress(
          annotated({
            'konghq.com/protocols': 'http,udp',
            'konghq.com/strip-path': 'maybe',
            'konghq.com/preserve-host': '1',
            'konghq.com/https-redirect-status-code': '303',
          }),
        ),
      ],
      route: {},
    },
    {
      what: 'gRPC, of which no path is taken off',
      objects: [ingress(annotated({ 'konghq.com/protocols': 'grpc,grpcs' }))],
      route: { protocols: ['grpc', 'grpcs'] },
      without: 'strip_path',
    },
    {
      what: 'gRPC with HTTP, which is HTTP',
      objects: [ingress(annotated({ 'konghq.com/protocols': 'grpc,http' }))],
      route: { protocols: ['http', 'https'] },
      without: 'strip_path',
    },
  ];
  test.each(routeRows)('of a route: $what', ({ objects, route, without }) => {
    const expected: Record<string, unknown> = {
      ...plainRoute,
      name: 'shop.web.00',
      paths: ['/'],
      ...route,
    };
    if (without !== undefined) delete expected[without];
    expect(routeOf(legacy(objects).state)).toEqual(expected);
  });

  test.each([
    {
      annotations: { 'konghq.com/protocol': 'https', 'konghq.com/path': '/p' },
      fields: { protocol: 'https', path: '/p' },
    },
    { annotations: { 'konghq.com/protocol': 'udp', 'konghq.com/path': 'p' }, fields: {} },
    {
      annotations: { 'konghq.com/protocol': 'grpc' },
      fields: { protocol: 'grpc', path: undefined },
    },
    {
      annotations: { 'konghq.com/protocol': 'grpcs' },
      fields: { protocol: 'grpcs', path: undefined },
    },
    {
      annotations: { 'konghq.com/override': 'k' },
      fields: { protocol: 'tls', retries: 1 },
      upstream: { slots: 10, hash_on: 'ip' },
    },
    { annotations: { 'konghq.com/override': 'gone' }, fields: {} },
  ])('of a service: $annotations', ({ annotations, fields, upstream }) => {
    const { state } = legacy([
      ingress(),
      service(annotations as Record<string, string>),
      kongIngress('k', {
        proxy: { protocol: 'tls', retries: 1, host: 'no', path: null },
        upstream: { slots: 10, hash_on: 'ip', name: 'no' },
      }),
    ]);
    const { routes: _routes, ...entity } = state.services[0]!;
    expect(entity).toEqual({
      ...plainService,
      name: 'shop.one.80',
      host: 'one.shop.80.svc',
      ...fields,
    });
    expect(state.upstreams).toEqual([
      { name: 'one.shop.80.svc', algorithm: 'round-robin', ...upstream },
    ]);
  });
});

describe('targets', () => {
  const ingress = (port: number | string) =>
    made('Ingress', 'web', { spec: { rules: [rule('', ['/', to('one', port)])] } });
  const service = (spec: object, annotations: Record<string, string> = {}) =>
    made('Service', 'one', { spec }, annotated(annotations));
  const http = { ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
  const address = [{ ip: '10.0.0.2' }, { ip: '10.0.0.1' }, { ip: 'fd00::1' }];
  const endpoints = made('Endpoints', 'one', {
    subsets: [
      {
        addresses: address,
        ports: [
          { name: 'http', port: 8080 },
          { name: 'other', port: 9 },
          { name: 'http', port: 53, protocol: 'UDP' },
        ],
      },
      { addresses: address.slice(0, 1), ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] },
      {},
    ],
  });
  const slice = made(
    'EndpointSlice',
    'one-x',
    {
      ports: [
        { name: 'http', port: 8081 },
        { name: 'other', port: 9 },
        { name: 'http', port: 53, protocol: 'UDP' },
      ],
      endpoints: [
        { addresses: ['10.0.0.4'], conditions: { ready: true } },
        { addresses: ['10.0.0.3'] },
        { addresses: ['10.0.0.5'], conditions: { ready: false } },
        { addresses: [] },
      ],
    },
    { labels: { 'kubernetes.io/service-name': 'one' } },
  );
  const all = ['10.0.0.1:8080', '10.0.0.2:8080', '[fd00::1]:8080'];
  test.each<{ what: string; port: number | string; objects: KubeObject[]; targets: string[] }>([
    { what: 'no Service', port: 80, objects: [endpoints], targets: [] },
    { what: 'by number', port: 80, objects: [service(http), endpoints, slice], targets: all },
    { what: 'by name', port: 'http', objects: [service(http), endpoints], targets: all },
    { what: 'by target port', port: 8080, objects: [service(http), endpoints], targets: all },
    { what: 'no such port', port: 81, objects: [service(http), endpoints], targets: [] },
    {
      what: 'a port without a name is every port',
      port: 80,
      objects: [service({ ports: [{ port: 80 }] }), endpoints],
      targets: [
        '10.0.0.1:8080',
        '10.0.0.1:9',
        '10.0.0.2:8080',
        '10.0.0.2:9',
        '[fd00::1]:8080',
        '[fd00::1]:9',
      ],
    },
    {
      what: 'only slices',
      port: 80,
      objects: [service(http), slice],
      targets: ['10.0.0.3:8081', '10.0.0.4:8081'],
    },
    {
      what: 'the Service itself',
      port: 'http',
      objects: [service(http, { 'ingress.kubernetes.io/service-upstream': 'true' }), endpoints],
      targets: ['one.shop.svc:80'],
    },
    {
      what: 'another name',
      port: 443,
      objects: [service({ type: 'ExternalName', externalName: 'e.test' })],
      targets: ['e.test:443'],
    },
    {
      what: 'another name with ports',
      port: 80,
      objects: [service({ type: 'ExternalName', externalName: 'e.test', ...http })],
      targets: ['e.test:8080'],
    },
    {
      what: 'another name and no number',
      port: 'http',
      objects: [service({ type: 'ExternalName', externalName: 'e.test' })],
      targets: [],
    },
  ])('$what', ({ port, objects, targets }) => {
    const { state } = legacy([ingress(port), ...objects]);
    expect(state.upstreams).toEqual([
      {
        name: `one.shop.${port}.svc`,
        algorithm: 'round-robin',
        ...(targets.length > 0 && { targets: targets.map((target) => ({ target })) }),
      },
    ]);
  });
});

test('consumers have the credentials that they list and those that name them', () => {
  const consumer = (name: string, fields: object, metadata: Meta = {}) =>
    made('KongConsumer', name, fields, metadata);
  const credential = (name: string, fields: object, metadata: Meta = {}) =>
    made('KongCredential', name, fields, metadata);
  const { state, problems } = legacy([
    consumer('b', {
      username: 'bob',
      custom_id: '7',
      credentials: ['key', 'gone', 'untyped', 'empty', 'oauth', 'mtls', 'odd'],
    }),
    consumer('a', { custom_id: 'alice', credentials: ['jwt'] }),
    consumer('n', {}),
    consumer('o', { username: 'other' }, annotated({ 'kubernetes.io/ingress.class': 'x' })),
    secret('key', { kongCredType: 'key-auth', key: 'k', ttl: '5', more: 'x' }),
    secret('untyped', { key: 'k' }),
    secret('empty', { kongCredType: 'key-auth' }),
    secret('oauth', {
      kongCredType: 'oauth2',
      name: 'n',
      client_id: 'c',
      client_secret: 's',
      hash_secret: 'true',
      redirect_uris: 'https://a,https://b',
    }),
    secret('mtls', { kongCredType: 'mtls-auth', subject_name: 'x' }),
    secret('odd', { kongCredType: 'no-such', key: 'x' }),
    secret('jwt', { kongCredType: 'jwt', key: 'k', secret: 's' }),
    credential('c1', {
      type: 'key-auth',
      consumerRef: 'b',
      config: { key: 'k2', ttl: 9, id: 'i', tags: null },
    }),
    credential('c2', { type: 'key-auth', consumerRef: 'b' }),
    credential('c3', { consumerRef: 'b', config: { key: 'no' } }),
    credential('c4', { type: 'key-auth', consumerRef: 'x', config: { key: 'no' } }),
    credential(
      'c5',
      { type: 'key-auth', consumerRef: 'b', config: { key: 'no' } },
      { namespace: 'y' },
    ),
    credential(
      'c6',
      { type: 'key-auth', consumerRef: 'b', config: { key: 'no' } },
      annotated({ 'kubernetes.io/ingress.class': 'x' }),
    ),
    credential('c7', { type: 'jwt', consumerRef: 'b', config: { key: 'k', algorithm: 'RS256' } }),
  ]);
  expect(state.consumers).toEqual([
    { custom_id: 'alice', jwt_secrets: [{ algorithm: 'HS256', key: 'k', secret: 's' }] },
    {
      username: 'bob',
      custom_id: '7',
      keyauth_credentials: [{ key: 'k' }, { id: 'i', key: 'k2', ttl: 9 }],
      oauth2_credentials: [
        {
          name: 'n',
          client_id: 'c',
          client_secret: 's',
          redirect_uris: ['https://a', 'https://b'],
        },
      ],
      jwt_secrets: [{ algorithm: 'RS256', key: 'k' }],
    },
  ]);
  expect(problems.map(({ object, message }) => `${object.name}: ${message}`)).toEqual([
    'b: credential "gone" failure: Secret not found',
    'n: no username or custom_id specified',
  ]);
});

test('plugins are where annotations put them, and everywhere when they say so', () => {
  const plugin = (name: string, fields: object, metadata: Meta = {}) =>
    made('KongPlugin', name, fields, metadata);
  const global = { labels: { global: 'true' } };
  const cluster = (name: string, fields: object, metadata: Meta = {}) =>
    made('KongClusterPlugin', name, fields, { namespace: undefined, ...metadata });
  const { state, problems, faults } = legacy(
    [
      made(
        'Ingress',
        'web',
        { spec: { rules: [rule('', ['/', to('one')])] } },
        annotated({ 'plugins.konghq.com': 'limit, gone,nameless' }),
      ),
      made('Service', 'one', { spec: {} }, annotated({ 'konghq.com/plugins': 'c' })),
      made('KongConsumer', 'c', { username: 'u' }, annotated({ 'konghq.com/plugins': 'limit' })),
      plugin('limit', {
        plugin: 'rate-limiting',
        config: { minute: 5 },
        run_on: 'all',
        disabled: true,
        protocols: ['http'],
      }),
      plugin('nameless', {}),
      cluster('c', { plugin: 'cors', config: {} }),
      cluster('g', { plugin: 'prometheus' }, global),
      plugin('twice', { plugin: 'zipkin' }, global),
      plugin('twice-2', { plugin: 'zipkin' }, global),
      plugin('acl', { plugin: 'acl' }, global),
      plugin('no', { plugin: 'bot-detection' }, { labels: { global: 'false' } }),
      plugin(
        'other',
        { plugin: 'jwt' },
        { ...global, ...annotated({ 'kubernetes.io/ingress.class': 'x' }) },
      ),
    ],
    {
      pluginSchemas: {
        'rate-limiting': {
          fields: [
            { minute: { type: 'number' } },
            { policy: { default: 'cluster' } },
            { limit_by: {} },
            { redis: { type: 'record', fields: [{ port: { default: 6379 } }] } },
          ],
        },
      },
    },
  ) as ReturnType<typeof legacy> & { faults: { incomplete: ReadonlySet<string> } };
  const limit = {
    name: 'rate-limiting',
    enabled: false,
    protocols: ['http'],
    config: { minute: 5, policy: 'cluster', redis: { port: 6379 } },
  };
  const plain = { enabled: true, protocols: ['http', 'https'] };
  expect(state.plugins).toEqual([
    { ...plain, name: 'cors', service: 'shop.one.80' },
    { ...limit, consumer: 'u', route: 'shop.web.00' },
    { ...plain, name: 'acl' },
    { ...plain, name: 'prometheus' },
  ]);
  expect([...faults.incomplete]).toEqual(['route shop.web.00']);
  expect(problems.map(({ message }) => message)).toEqual([
    'referenced KongPlugin or KongClusterPlugin "gone" does not exist',
  ]);
});

test('certificates have their hosts, the new ones first, and equal pairs are one', async () => {
  const [one, three, four] = await Promise.all(
    ['one', 'three', 'four'].map((name) => makeServingPair([name], Date.now(), 60_000)),
  );
  const pair = (name: string, { cert, key }: ListenerKeyPair, created: string) =>
    secret(name, { 'tls.crt': cert, 'tls.key': key }, { creationTimestamp: created });
  const trimmed = ({ cert, key }: ListenerKeyPair) => ({ cert: cert.trim(), key: key.trim() });
  const tls = (name: string, entries: readonly object[]) =>
    made('Ingress', name, { spec: { tls: entries } });
  const { state } = legacy([
    tls('a', [
      { hosts: ['a', 'b'], secretName: 's1' },
      { hosts: [], secretName: 's1' },
      { hosts: ['c'] },
      { hosts: ['x'], secretName: 'gone' },
      { hosts: ['d'], secretName: 's2' },
    ]),
    tls('b', [{ hosts: ['a', 'e'], secretName: 's1' }]),
    made('TCPIngress', 't', { spec: { tls: [{ hosts: ['f', 'a'], secretName: 's3' }] } }),
    made('Ingress', 'r', { spec: { rules: [rule('', ['/', to('one')])] } }),
    made('Service', 'one', { spec: {} }, annotated({ 'konghq.com/client-cert': 's4' })),
    pair('s1', one!, '2026-01-01T00:00:00Z'),
    pair('s2', one!, '2025-01-01T00:00:00Z'),
    pair('s3', three!, '2026-01-01T00:00:00Z'),
    pair('s4', four!, '2026-01-01T00:00:00Z'),
  ]);
  expect(state.certificates).toEqual([
    {
      id: 'uid-s2',
      ...trimmed(one!),
      snis: [{ name: 'e' }, { name: 'a' }, { name: 'b' }, { name: 'd' }],
    },
    { id: 'uid-s3', ...trimmed(three!), snis: [{ name: 'f' }] },
    { id: 'uid-s4', ...trimmed(four!) },
  ]);
  expect(state.services[0]!.client_certificate).toBe('uid-s4');
});

test('a running translation is made anew for what it looked at, and for nothing else', () => {
  const translator = new LegacyTranslator(resolveOptions({ naming: 'legacy' }));
  const ingress = made('Ingress', 'web', { spec: { rules: [rule('', ['/', to('one')])] } });
  const consumer = made('KongConsumer', 'c', { username: 'u', credentials: ['s'] });
  const knative = made(
    'KnativeIngress',
    'k',
    {},
    annotated({ 'networking.knative.dev/ingress.class': 'kong' }),
  );
  const others = annotated({
    'kubernetes.io/ingress.class': 'x',
    'networking.knative.dev/ingress.class': 'x',
  });
  translator.apply([
    ...[ingress, consumer, knative].map((object) => ({ type: 'put' as const, object })),
    { type: 'put', object: made('Ingress', 'x', {}, others) },
    { type: 'put', object: made('KnativeIngress', 'x', {}, others) },
    {
      type: 'put',
      object: { apiVersion: 'x/v1', kind: 'Unknown', metadata: { name: 'u' } } as KubeObject,
    },
  ]);
  expect(translator.settle()).toBe(1);
  expect(translator.settle()).toBe(0);
  expect([...translator.snapshot().translated]).toEqual([ingress, consumer, knative]);
  expect(translator.takeChanges()).toEqual({ services: new Set(), isServicesOnly: false });
  expect(translator.takeChanges()).toEqual({ services: new Set(), isServicesOnly: true });
  // Of the kinds that are brought when they are asked for.
  expect(translator.takeMissing().map(({ kind, name }) => `${kind} ${name}`)).toEqual(['Secret s']);
  expect(translator.takeMissing()).toEqual([]);
  translator.apply([{ type: 'put', object: made('Service', 'two', {}) }]);
  expect(translator.settle()).toBe(0);
  translator.apply([{ type: 'put', object: made('Service', 'one', { spec: {} }) }]);
  expect(translator.settle()).toBe(1);
  translator.apply([{ type: 'delete', object: ingress }]);
  expect(translator.state().services).toEqual([]);
  expect(translator.isHostShared()).toBe(false);
  expect(translator.isStale()).toBe(false);
  expect(translator.servicesNamed()).toEqual([]);
  expect(translator.derived('x', (reader) => reader.list('KongConsumer').length)).toBe(1);
});
