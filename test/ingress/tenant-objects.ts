import type { KeyPairPem } from '@waygate/apiserver';

/** An object as it is sent to the API. */
export interface TenantObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
    readonly labels?: Record<string, string>;
    readonly resourceVersion?: string;
  };
  readonly [field: string]: unknown;
}

const kong = 'configuration.konghq.com';
const gateway = 'gateway.networking.k8s.io/v1';

const places: Readonly<Record<string, string>> = {
  EndpointSlice: 'endpointslices',
  Gateway: 'gateways',
  GatewayClass: 'gatewayclasses',
  HTTPRoute: 'httproutes',
  Ingress: 'ingresses',
  KongConsumer: 'kongconsumers',
  KongConsumerGroup: 'kongconsumergroups',
  KongCustomEntity: 'kongcustomentities',
  KongIngress: 'kongingresses',
  KongPlugin: 'kongplugins',
  KongUpstreamPolicy: 'kongupstreampolicies',
  Secret: 'secrets',
  Service: 'services',
};

/** The collection that an object belongs to. */
export function pathOf({ apiVersion, kind, metadata }: TenantObject): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const inside = kind === 'GatewayClass' ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${inside}/${places[kind]}`;
}

const versions: Readonly<Record<string, string>> = {
  EndpointSlice: 'discovery.k8s.io/v1',
  Gateway: gateway,
  GatewayClass: gateway,
  HTTPRoute: gateway,
  Ingress: 'networking.k8s.io/v1',
  KongConsumer: `${kong}/v1`,
  KongConsumerGroup: `${kong}/v1beta1`,
  KongCustomEntity: `${kong}/v1alpha1`,
  KongIngress: `${kong}/v1`,
  KongPlugin: `${kong}/v1`,
  KongUpstreamPolicy: `${kong}/v1beta1`,
  Secret: 'v1',
  Service: 'v1',
};

type More = { annotations?: Record<string, string>; labels?: Record<string, string> };

function objectsOf(namespace: string) {
  return (kind: string, name: string, fields: object = {}, more: More = {}): TenantObject => ({
    apiVersion: versions[kind] ?? 'v1',
    kind,
    metadata: {
      name,
      ...(kind !== 'GatewayClass' && { namespace }),
      ...more,
      annotations: { 'kubernetes.io/ingress.class': 'kong', ...more.annotations },
    },
    ...fields,
  });
}

function ingressSpec(host: string | undefined, more: object = {}, path = '/'): object {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const http = { paths: [{ path, pathType: 'ImplementationSpecific', backend }] };
  return { spec: { ingressClassName: 'kong', rules: [{ ...(host && { host }), http }], ...more } };
}

function workload(namespace: string, port: number): TenantObject[] {
  const of = objectsOf(namespace);
  const labels = { 'kubernetes.io/service-name': 'web' };
  return [
    of('Service', 'web', { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
    of(
      'EndpointSlice',
      'web-1',
      {
        addressType: 'FQDN',
        ports: [{ name: '', port, protocol: 'TCP' }],
        endpoints: [{ addresses: ['backend.test'], conditions: { ready: true } }],
      },
      { labels },
    ),
  ];
}

const credentialOf = (type: string) => ({ labels: { 'konghq.com/credential': type } });

const use = (plugins: string) => ({ annotations: { 'konghq.com/plugins': plugins } });

/** What the victim has; the first one is its plain Ingress. */
export function victimObjects(pair: KeyPairPem, port: number): TenantObject[] {
  const of = objectsOf('victim');
  const tls = [{ hosts: ['plain.victim.test'], secretName: 'tls' }];
  const data = { 'tls.crt': pair.certificate, 'tls.key': pair.privateKey };
  return [
    of('Ingress', 'plain', ingressSpec('plain.victim.test', { tls })),
    ...workload('victim', port),
    of('Secret', 'tls', { type: 'kubernetes.io/tls', stringData: data }),
    of('KongPlugin', 'keys', { plugin: 'key-auth', instance_name: 'keys' }),
    of('KongPlugin', 'basic', { plugin: 'basic-auth' }),
    of('Ingress', 'keyed', ingressSpec('keyed.victim.test'), use('keys')),
    of('Ingress', 'basic', ingressSpec('basic.victim.test'), use('basic')),
    of('Ingress', 'group', ingressSpec('group.victim.test'), use('keys')),
    of('Secret', 'key', { stringData: { key: 'victim-key' } }, credentialOf('key-auth')),
    of(
      'Secret',
      'basic',
      { stringData: { username: 'victim-user', password: 'victim-password' } },
      credentialOf('basic-auth'),
    ),
    of('KongConsumerGroup', 'gold'),
    of('KongConsumer', 'consumer', {
      username: 'victim-consumer',
      custom_id: 'victim-id',
      credentials: ['key', 'basic'],
      consumerGroups: ['gold'],
    }),
    of('GatewayClass', 'kong', {
      spec: { controllerName: 'konghq.com/kic-gateway-controller' },
    }),
    of('Gateway', 'gw', {
      spec: {
        gatewayClassName: 'kong',
        listeners: [
          {
            name: 'http',
            port: 80,
            protocol: 'HTTP',
            allowedRoutes: { namespaces: { from: 'All' } },
          },
        ],
      },
    }),
    of('HTTPRoute', 'routed', {
      spec: {
        parentRefs: [{ name: 'gw' }],
        hostnames: ['routed.victim.test'],
        rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
      },
    }),
  ];
}

/** What the tenant has before the victim comes: nothing that could harm anybody. */
export function plainTenantObjects(port: number): TenantObject[] {
  const of = objectsOf('tenant');
  const names = ['o0', 'o1', 'o2', 'o3'];
  return [
    ...workload('tenant', port),
    ...names.flatMap((name) => [
      of('Ingress', name, ingressSpec(`${name}.tenant.test`)),
      of('KongConsumer', name, { username: `tenant-${name}`, credentials: [] }),
      of('HTTPRoute', name, {
        spec: {
          parentRefs: [{ name: 'gw', namespace: 'victim' }],
          hostnames: [`${name}.route.tenant.test`],
          rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
        },
      }),
    ]),
    ...['c1', 'c2', 'c3'].map((name) =>
      of('Secret', name, { stringData: { key: `tenant-${name}` } }, credentialOf('key-auth')),
    ),
  ];
}

/** A generator of numbers below one that a seed decides. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * What a tenant may come up with: objects, plain and hostile, that now and then replace one of
 * before, so that an old object turns into another one.
 */
export function hostileObjects(seed: number, count: number, pair: KeyPairPem): TenantObject[] {
  const random = randomOf(seed);
  const pick = <Value>(...values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const of = objectsOf('tenant');
  const name = () => `o${Math.floor(random() * 12)}`;
  const host = () =>
    pick(
      undefined,
      `${name()}.tenant.test`,
      'plain.victim.test',
      'keyed.victim.test',
      'basic.victim.test',
      'routed.victim.test',
      '*.victim.test',
    );
  const plugins = () => pick('o1', 'o1,o2', 'o3', 'nowhere', 'victim:keys', 'o4,o5,o6');
  const annotations = (): Record<string, string> =>
    pick<Record<string, string>>(
      {},
      { 'konghq.com/plugins': plugins() },
      { 'konghq.com/path-handling': 'v9' },
      { 'konghq.com/rewrite': '/$x' },
      { 'konghq.com/methods': 'GET', 'konghq.com/regex-priority': '1000' },
      { 'konghq.com/host-aliases': 'plain.victim.test,keyed.victim.test' },
      { 'konghq.com/headers.host': 'plain.victim.test' },
      { 'konghq.com/snis': 'plain.victim.test' },
      { 'konghq.com/tags': 'k8s-name:plain,k8s-namespace:victim' },
      { 'konghq.com/protocols': 'https,nonsense' },
      { 'konghq.com/override': 'o1' },
    );
  const makers: readonly (() => TenantObject)[] = [
    () => {
      const hosts = [pick('plain.victim.test', 'keyed.victim.test', 'o.tenant.test')];
      const backend = { service: { name: pick('web', 'nowhere'), port: { number: 80 } } };
      const more = pick<object>(
        {},
        { tls: [{ hosts, secretName: pick('tls', 'nowhere') }] },
        { defaultBackend: pick<object>(backend, { resource: { kind: 'X', name: 'x' } }) },
      );
      const path = pick('/', '/', '/~/.*', '/~/([', '/deep/er', '/unknown');
      // A catch-all for everybody's unknown hosts is nobody's in particular.
      const isCatchAll = 'defaultBackend' in more;
      const own = isCatchAll ? `${name()}.tenant.test` : (host() ?? 'o.tenant.test');
      const spec = ingressSpec(own, isCatchAll ? {} : more, path);
      return of('Ingress', name(), spec, { annotations: annotations() });
    },
    () =>
      of('HTTPRoute', name(), {
        spec: {
          parentRefs: [{ name: 'gw', namespace: 'victim' }],
          hostnames: [host() ?? 'o.tenant.test'],
          rules: [
            {
              ...pick<object>({}, { timeouts: { backendRequest: pick('0s', '1us', '999h') } }),
              ...pick<object>(
                {},
                { matches: [{ path: { type: 'RegularExpression', value: '/.*' } }] },
                { matches: [{ headers: [{ name: 'host', value: 'plain.victim.test' }] }] },
              ),
              backendRefs: [
                pick<object>(
                  { name: 'web', port: 80 },
                  { name: 'web', namespace: 'victim', port: 80 },
                ),
              ],
            },
          ],
        },
      }),
    () =>
      of(
        'KongConsumer',
        name(),
        {
          ...pick<object>({ username: 'victim-consumer' }, { username: name() }, {}),
          ...pick<object>({ custom_id: 'victim-id' }, { custom_id: 'victim-consumer' }, {}),
          credentials: [pick('c1', 'c2', 'c3', 'key', 'nowhere')],
          consumerGroups: pick<string[]>([], ['gold'], ['nowhere']),
        },
        use(plugins()),
      ),
    () => of('KongConsumerGroup', pick('gold', name()), {}, use(plugins())),
    () =>
      of(
        'Secret',
        pick('c1', 'c2', 'c3'),
        {
          stringData: pick<object>(
            { key: 'victim-key' },
            { key: 'tenant-key' },
            { username: 'victim-user', password: 'tenant-password' },
            { key: 'k', algorithm: 'RS256', rsa_public_key: 'none' },
            { nonsense: 'x' },
          ),
        },
        credentialOf(pick('key-auth', 'basic-auth', 'jwt', 'hmac-auth', 'acl', 'nonsense')),
      ),
    () =>
      of('KongPlugin', name(), {
        instance_name: pick('keys', name()),
        ...pick<object>(
          { plugin: 'kee-auth' },
          { plugin: 'key-auth', config: { key_names: 7 } },
          { plugin: 'request-termination', config: { status_code: 418 } },
          { plugin: 'rate-limiting' },
          { plugin: 'cors', configFrom: { secretKeyRef: { name: 'nowhere', key: 'x' } } },
          {
            plugin: 'request-transformer',
            config: { add: { headers: ['x-consumer-username:x'] } },
          },
        ),
      }),
    () => of('KongIngress', name(), { upstream: pick<object>({ slots: 1 }, { algorithm: 'x' }) }),
    () =>
      of('KongUpstreamPolicy', name(), {
        spec: pick<object>({ slots: 11 }, { algorithm: 'least-connections' }),
      }),
    () =>
      of(
        'Service',
        pick('web', name()),
        { spec: { ports: [{ port: 80, targetPort: 8080 }] } },
        {
          annotations: pick<Record<string, string>>(
            {},
            { 'konghq.com/connect-timeout': '-1' },
            { 'konghq.com/upstream-policy': name() },
            { 'konghq.com/plugins': plugins() },
            { 'konghq.com/protocol': 'nonsense' },
            { 'konghq.com/client-cert': 'tls' },
            { 'konghq.com/host-header': 'plain.victim.test' },
          ),
        },
      ),
    () =>
      of('Secret', 'tls', {
        type: 'kubernetes.io/tls',
        stringData: {
          'tls.crt': pick(pair.certificate, 'nonsense'),
          'tls.key': pair.privateKey,
        },
      }),
    () =>
      of('KongCustomEntity', name(), {
        spec: {
          type: pick('keyauth_credentials', 'snis', 'acls', 'nonsense'),
          controllerName: 'kong',
          fields: { key: 'victim-key', name: 'plain.victim.test', group: 'x' },
        },
      }),
  ];
  return Array.from({ length: count }, () => pick(...makers)());
}
