import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import type { Service } from '../objects/service.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { ServiceEntity, UpstreamEntity } from './kong-state.ts';
import { ProblemList } from './problem.ts';
import { applyServiceAnnotations } from './service-annotations.ts';
import type { PortDefinition } from './service-claim.ts';
import { findPort } from './service-ports.ts';
import { caCertificateIds, clientCertificateSecret } from './service-tls.ts';
import { applyUpstreamOverrides } from './upstream-overrides.ts';

function made(kind: string, name: string, fields: object = {}): KubeObject {
  const apiVersion = kind.startsWith('Kong') ? 'configuration.konghq.com/v1' : 'v1';
  return {
    apiVersion: kind === 'KongUpstreamPolicy' ? 'configuration.konghq.com/v1beta1' : apiVersion,
    kind,
    metadata: { name, namespace: 'shop' },
    ...fields,
  } as KubeObject;
}

function service(annotations: Record<string, string>, name = 'web'): Service {
  const own = Object.entries(annotations).map(([key, value]) => [`konghq.com/${key}`, value]);
  const object = made('Service', name) as Service;
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(own) } };
}

const data = (text: string) => Buffer.from(text).toString('base64');
const reader = new ObjectStore();
const pair = made('Secret', 'pair');
for (const object of [
  pair,
  made('Secret', 'ca', { data: { id: data('ca-1') } }),
  made('Secret', 'no-id', { data: {} }),
  made('ConfigMap', 'ca', { data: { id: 'ca-2' } }),
  made('ConfigMap', 'no-id'),
])
  reader.put(object);
const messages = ({ items }: ProblemList) =>
  items.map(({ object, message }) => `${object.kind} ${object.name}: ${message}`);

describe('the certificate that is shown', () => {
  test.each([
    [{}, undefined, []],
    [{ 'client-cert': 'pair', protocol: 'https' }, pair, []],
    [{ 'client-cert': 'pair', protocol: 'tls' }, pair, []],
    ...['http', 'grpc', 'tcp', 'tls_passthrough', 'udp', 'ws', ''].map(
      (protocol) =>
        [
          { 'client-cert': 'pair', protocol },
          undefined,
          ["Service web: Client certificate requested for incompatible service protocol 'now'"],
        ] as const,
    ),
    [
      { 'client-cert': 'gone', protocol: 'https' },
      undefined,
      ["Service web: Failed to fetch secret 'shop/gone': Secret shop/gone not found"],
    ],
  ] as const)('%j', (annotations, secret, told) => {
    const problems = new ProblemList();
    const found = clientCertificateSecret(
      service(annotations as Record<string, string>),
      'now',
      reader,
      problems,
    );
    expect(found).toBe(secret);
    expect(messages(problems)).toEqual(told);
  });
});

describe('the authorities of a backend', () => {
  const verified = { 'tls-verify': 'true', protocol: 'https' };
  test.each<[Record<string, string>, readonly string[], readonly string[]]>([
    [verified, [], []],
    [
      { ...verified, 'ca-certificates-secrets': 'ca', 'ca-certificates-configmaps': 'ca' },
      ['ca-1', 'ca-2'],
      [],
    ],
    [
      { ...verified, 'ca-certificates-secrets': 'gone,no-id,ca' },
      ['ca-1'],
      [
        "Service web: Failed to fetch secret for CA Certificate 'shop/gone': Secret shop/gone not found",
        "Secret no-id: Invalid CA certificate 'shop/no-id': missing 'id' field in data",
        "Service web: Invalid CA certificate 'shop/no-id': missing 'id' field in data",
      ],
    ],
    [
      { ...verified, 'ca-certificates-configmaps': 'gone,no-id' },
      [],
      [
        "Service web: Failed to fetch configmap for CA Certificate 'shop/gone': ConfigMap shop/gone not found",
        "ConfigMap no-id: Invalid CA certificate 'shop/no-id': missing 'id' field in data",
        "Service web: Invalid CA certificate 'shop/no-id': missing 'id' field in data",
      ],
    ],
    [
      { protocol: 'https', 'ca-certificates-secrets': 'ca' },
      [],
      ['Service web: CA certificates requested for service without TLS verification enabled'],
    ],
    [
      { 'tls-verify': 'false', protocol: 'https', 'ca-certificates-configmaps': 'ca' },
      [],
      ['Service web: CA certificates requested for service without TLS verification enabled'],
    ],
    [
      { 'tls-verify': 'true', 'ca-certificates-secrets': 'ca' },
      [],
      ["Service web: CA certificates requested for incompatible service protocol 'http'"],
    ],
  ])('%j', (annotations, ids, told) => {
    const problems = new ProblemList();
    expect(caCertificateIds(service(annotations), reader, problems)).toEqual(ids);
    expect(messages(problems)).toEqual(told);
  });
});

describe('annotations of a Service', () => {
  const plain = { name: 's', host: 'h', protocol: 'http', path: '/' };
  test.each<[Record<string, string>, Partial<ServiceEntity>, readonly string[]]>([
    [{}, {}, []],
    [{ protocol: 'https', path: '/p' }, { protocol: 'https', path: '/p' }, []],
    [{ path: 'p' }, {}, []],
    [{ protocol: 'grpc', path: '/p' }, { protocol: 'grpc', path: undefined as never }, []],
    [{ protocol: 'grpcs' }, { protocol: 'grpcs', path: undefined as never }, []],
    [
      { 'connect-timeout': '1', 'read-timeout': '2', 'write-timeout': '3', retries: '0' },
      { connect_timeout: 1, read_timeout: 2, write_timeout: 3, retries: 0 },
      [],
    ],
    [{ 'connect-timeout': 'soon', retries: '' }, {}, []],
    [
      { 'tls-verify': 'true', 'tls-verify-depth': '2' },
      { tls_verify: true, tls_verify_depth: 2 },
      [],
    ],
    [{ 'tls-verify': 'false', 'tls-verify-depth': 'x' }, { tls_verify: false }, []],
    [{ 'tls-verify': 'perhaps' }, {}, []],
    [
      { protocol: 'smtp', path: '/p', retries: '1' },
      {},
      ['Service web: konghq.com/protocol annotation has invalid value: smtp'],
    ],
  ])('%j', (annotations, fields, told) => {
    const problems = new ProblemList();
    const entity = { ...plain } as ServiceEntity;
    applyServiceAnnotations(entity, [service(annotations)], problems);
    expect(entity).toEqual({ ...plain, ...fields });
    expect(messages(problems)).toEqual(told);
  });
});

describe('upstreams', () => {
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: {} };
  const httpRoute = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: {} };
  for (const [name, spec] of Object.entries({
    input: { algorithm: 'consistent-hashing', slots: 10, hashOn: { input: 'ip', header: 'x' } },
    cookie: {
      hashOn: { cookie: 'c', cookiePath: '/p' },
      hashOnFallback: { queryArg: 'q' },
      stickySessions: { cookie: 's', cookiePath: '/s' },
    },
    header: { hashOn: { header: 'x-h' }, hashOnFallback: { uriCapture: 'u' } },
    query: { hashOn: { queryArg: 'q' }, hashOnFallback: { header: 'x-f' } },
    capture: { hashOn: { uriCapture: 'u' }, hashOnFallback: { input: 'consumer' } },
    nothing: { hashOn: {}, hashOnFallback: null },
    checks: {
      healthchecks: {
        threshold: 0,
        active: {
          httpPath: '/h',
          httpsSni: null,
          headers: { 'X-Some': ['A'] },
          healthy: { httpStatuses: [200], interval: 1 },
          unhealthy: { httpStatuses: [], tcpFailures: 2 },
        },
      },
    },
  }))
    reader.put(made('KongUpstreamPolicy', name, { spec }));
  reader.put(
    made('KongIngress', 'k', {
      upstream: { name: 'no', slots: 20, algorithm: null, hash_on: 'ip', host_header: 'k.test' },
    }),
  );
  const policy = (name: string) => [service({ 'upstream-policy': name })];
  const rows: readonly {
    what: string;
    services: readonly Service[];
    fields: object;
    parent?: object;
    told?: readonly string[];
  }[] = [
    { what: 'nothing', services: [service({})], fields: {} },
    {
      what: 'an input',
      services: policy('input'),
      fields: { algorithm: 'consistent-hashing', slots: 10, hash_on: 'ip', hash_on_header: 'x' },
    },
    {
      what: 'a cookie',
      services: policy('cookie'),
      fields: {
        hash_on: 'cookie',
        hash_on_cookie: 'c',
        hash_on_cookie_path: '/p',
        hash_fallback: 'query_arg',
        hash_fallback_query_arg: 'q',
        sticky_sessions_cookie: 's',
        sticky_sessions_cookie_path: '/s',
      },
    },
    {
      what: 'a header',
      services: policy('header'),
      fields: {
        hash_on: 'header',
        hash_on_header: 'x-h',
        hash_fallback: 'uri_capture',
        hash_fallback_uri_capture: 'u',
      },
    },
    {
      what: 'a query argument',
      services: policy('query'),
      fields: {
        hash_on: 'query_arg',
        hash_on_query_arg: 'q',
        hash_fallback: 'header',
        hash_fallback_header: 'x-f',
      },
    },
    {
      what: 'a capture',
      services: policy('capture'),
      fields: { hash_on: 'uri_capture', hash_on_uri_capture: 'u', hash_fallback: 'consumer' },
    },
    { what: 'a hash on nothing', services: policy('nothing'), fields: {} },
    {
      what: 'health checks, in the spelling of Kong',
      services: policy('checks'),
      fields: {
        healthchecks: {
          threshold: 0,
          active: {
            http_path: '/h',
            headers: { 'X-Some': ['A'] },
            healthy: { http_statuses: [200], interval: 1 },
            unhealthy: { tcp_failures: 2 },
          },
        },
      },
    },
    {
      what: 'a policy that is not there',
      services: policy('gone'),
      fields: {},
      told: [
        'Service web: failed fetching KongUpstreamPolicy: KongUpstreamPolicy shop/gone not found',
      ],
    },
    {
      what: 'a KongIngress, and a header that wins over it',
      services: [service({ override: 'k' }), service({ 'host-header': 'h.test' }, 'web-2')],
      fields: { slots: 20, hash_on: 'ip', host_header: 'h.test' },
    },
    {
      what: 'a policy, which wins over both',
      services: [service({ override: 'k', 'upstream-policy': 'input' })],
      fields: {
        algorithm: 'consistent-hashing',
        slots: 10,
        hash_on: 'ip',
        hash_on_header: 'x',
        host_header: 'k.test',
      },
    },
    {
      what: 'a KongIngress on a route of the Gateway API',
      services: [service({ override: 'k', 'host-header': 'h.test' })],
      parent: httpRoute,
      fields: {},
    },
    {
      what: 'a header on a route of the Gateway API',
      services: [service({ 'host-header': 'h.test' })],
      parent: httpRoute,
      fields: { host_header: 'h.test' },
    },
    {
      what: 'a KongIngress that is not there',
      services: [service({ override: 'gone', 'host-header': 'h.test' })],
      fields: {},
      told: ['Service web: failed to get KongIngress: KongIngress gone not found'],
    },
  ];
  test.each(rows)('$what', ({ services, fields, parent = ingress, told = [] }) => {
    const problems = new ProblemList();
    const upstream: UpstreamEntity = { name: 'u' };
    applyUpstreamOverrides(upstream, parent as KubeObject, services, reader, problems);
    expect(upstream).toEqual({ name: 'u', ...fields });
    expect(messages(problems)).toEqual(told);
  });
});

describe('ports', () => {
  const ports = [
    { name: 'http', port: 80, targetPort: 'web' },
    { name: 'other', port: 81 },
  ];
  const number = (value: number): PortDefinition => ({ by: 'number', number: value });
  const named = (name: string): PortDefinition => ({ by: 'name', name });
  const none = 'no suitable port found';
  const external = 'rules with an ExternalName service must specify numeric ports';
  test.each<[object, PortDefinition, unknown]>([
    [{ ports }, number(81), ports[1]],
    [{ ports }, number(82), none],
    [{ ports }, named('http'), ports[0]],
    [{ ports }, named('web'), ports[0]],
    [{ ports }, named('x'), none],
    [{ ports }, { by: 'position' }, 'in implicit mode, service must have exactly 1 port, has 2'],
    [{ ports: ports.slice(1) }, { by: 'position' }, ports[1]],
    [{}, { by: 'position' }, 'in implicit mode, service must have exactly 1 port, has 0'],
    [{ type: 'ExternalName', ports }, number(9), { port: 9, targetPort: 9 }],
    [{ type: 'ExternalName', ports }, named('http'), external],
    [{ type: 'ExternalName' }, { by: 'position' }, external],
  ])('%j %j', (spec, wanted, found) => {
    expect(findPort(made('Service', 'web', { spec }) as Service, wanted)).toEqual(found);
  });
});
