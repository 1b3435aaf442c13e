import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { KubeObject } from '@waygate/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { backendTlsPolicyStatuses } from '../../status/backend-tls-policy-status.ts';
import { ObjectStore } from '../../store/object-store.ts';
import { translate } from '../translate.ts';

const now = new Date();
const controllerName = 'konghq.com/kic-gateway-controller';
const apiVersion = 'gateway.networking.k8s.io/v1';
const inShop = (name: string, more: object = {}) => ({ name, namespace: 'shop', ...more });

async function certificate(isAuthority: boolean, untilMs = 3_600_000): Promise<string> {
  x509.cryptoProvider.set(webcrypto as never);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=a',
    notBefore: new Date(now.getTime() - 7_200_000),
    notAfter: new Date(now.getTime() + untilMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(isAuthority, undefined, true)],
  });
  return made.toString('pem');
}

let authority: string;
let other: string;
let leaf: string;
let expired: string;

beforeAll(async () => {
  [authority, other, leaf, expired] = (await Promise.all([
    certificate(true),
    certificate(true),
    certificate(false),
    certificate(true, -1_000),
  ])) as [string, string, string, string];
});

const policy = (name: string, validation: object, target: object = {}, second = 0): KubeObject => ({
  apiVersion,
  kind: 'BackendTLSPolicy',
  metadata: inShop(name, {
    generation: 1,
    creationTimestamp: `2026-01-01T00:00:0${second}Z`,
  }),
  ...{
    spec: {
      targetRefs: [{ group: '', kind: 'Service', name: 'web', ...target }],
      validation: { hostname: 'web.test', ...validation },
    },
  },
});

const trusting = (...names: string[]) => ({
  caCertificateRefs: names.map((name) => ({ group: '', kind: 'ConfigMap', name })),
});

/** A route to two ports of a Service, and ConfigMaps with authorities. */
function objects(...policies: KubeObject[]): KubeObject[] {
  const configMap = (name: string, text: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: inShop(name),
    data: { 'ca.crt': text },
  });
  return [
    { apiVersion, kind: 'GatewayClass', metadata: { name: 'kong' }, spec: { controllerName } },
    {
      apiVersion,
      kind: 'Gateway',
      metadata: inShop('edge'),
      spec: { gatewayClassName: 'kong', listeners: [{ name: 'a', port: 80, protocol: 'HTTP' }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: inShop('web'),
      spec: {
        ports: [
          { name: 'one', port: 443 },
          { name: 'two', port: 444 },
        ],
      },
    },
    {
      apiVersion,
      kind: 'HTTPRoute',
      metadata: inShop('web'),
      spec: {
        parentRefs: [{ name: 'edge' }],
        rules: [443, 444].map((port) => ({
          backendRefs: [{ kind: 'Service', name: 'web', port }],
        })),
      },
    },
    configMap('good', authority),
    configMap('both', `${authority}\n${other}`),
    configMap('leaf', leaf),
    configMap('expired', expired),
    configMap('broken', 'x'),
    ...policies,
  ] as KubeObject[];
}

const translated = (...policies: KubeObject[]) => {
  const { state } = translate(objects(...policies), {
    features: { httpRoutePlugins: true },
    now: () => now,
  });
  return {
    authorities: state.caCertificates,
    services: state.services.map((service) => ({
      protocol: service.protocol,
      verify: service.tls_verify,
      authorities: service.ca_certificates?.length,
      plugins: (service.plugins ?? []).map(({ name, config }) => ({ name, config })),
    })),
  };
};

const statuses = (...policies: KubeObject[]) => {
  const reader = new ObjectStore();
  for (const object of objects(...policies)) reader.put(object);
  return backendTlsPolicyStatuses(reader, controllerName, now).map(({ object, status }) => {
    const { ancestors } = status as {
      ancestors: { ancestorRef: { name: string }; conditions: { reason: string }[] }[];
    };
    const said = ancestors.map(({ ancestorRef, conditions }) =>
      [ancestorRef.name, ...conditions.map(({ reason }) => reason)].join(' '),
    );
    return `${object.metadata.name}: ${said.join(', ')}`;
  });
};

const plain = { protocol: 'http', verify: undefined, authorities: undefined, plugins: [] };

describe('a BackendTLSPolicy', () => {
  test('has the service speak TLS by its authorities and its name', () => {
    const { authorities, services } = translated(policy('p', trusting('both')));
    expect(authorities).toHaveLength(2);
    const plugins = [{ name: 'proxy-ssl', config: { server_name: true, name: 'web.test' } }];
    const secure = { protocol: 'https', verify: true, authorities: 2, plugins };
    expect(services).toEqual([secure, secure]);
    expect(statuses(policy('p', trusting('both')))).toEqual(['p: edge Accepted ResolvedRefs']);
  });

  test('is told to the plugin for gRPC, whose services have no fields for it', () => {
    const all = objects(policy('p', trusting('good'))).map((object) =>
      object.kind === 'HTTPRoute' ? { ...object, kind: 'GRPCRoute' } : object,
    );
    const { state } = translate(all, { features: { httpRoutePlugins: true }, now: () => now });
    const [service] = state.services;
    expect(service).toMatchObject({ protocol: 'grpcs' });
    expect(service).not.toHaveProperty('tls_verify');
    expect(service).not.toHaveProperty('ca_certificates');
    expect(service?.plugins).toMatchObject([
      {
        name: 'proxy-ssl',
        config: { name: 'web.test', grpc_authorities: [expect.stringContaining('BEGIN')] },
      },
    ]);
  });

  describe('for a TLSRoute', () => {
    const stream = (mode: string, ...policies: KubeObject[]) => {
      const listeners = [
        { name: 'a', port: 443, protocol: 'TLS', hostname: 'web.example', tls: { mode } },
      ];
      const all = objects(...policies).map((object) => {
        if (object.kind === 'Gateway')
          return { ...object, spec: { gatewayClassName: 'kong', listeners } };
        if (object.kind !== 'HTTPRoute') return object;
        const rules = [{ backendRefs: [{ kind: 'Service', name: 'web', port: 443 }] }];
        const spec = { parentRefs: [{ name: 'edge' }], hostnames: ['web.example'], rules };
        return { ...object, kind: 'TLSRoute', spec };
      }) as KubeObject[];
      const { state, problems } = translate(all, {
        features: { httpRoutePlugins: true },
        routerFlavor: 'expressions',
        gatewayAddress: () => '127.64.0.1',
        now: () => now,
      });
      const [service] = state.services;
      return {
        protocol: service?.protocol,
        verify: service?.tls_verify,
        authorities: service?.ca_certificates?.length,
        name: state.upstreams[0]?.host_header,
        problems: problems.map(({ message }) => message),
      };
    };

    test('has TLS that ended here start anew, by its authorities and name', () => {
      expect(stream('Terminate', policy('p', trusting('both')))).toEqual({
        protocol: 'tls',
        verify: true,
        authorities: 2,
        name: 'web.test',
        problems: [],
      });
    });

    test('leaves alone what is passed on, and what has none', () => {
      const none = { verify: undefined, authorities: undefined, name: undefined, problems: [] };
      const passed = stream('Passthrough', policy('p', trusting('both')));
      expect(passed).toEqual({ protocol: 'tcp', ...none });
      expect(stream('Terminate')).toEqual({ protocol: 'tcp', ...none });
    });

    test.each(['leaf', 'expired', 'broken', 'missing'])(
      'that trusts %s lets nothing through',
      (name) => {
        const { protocol, problems } = stream('Terminate', policy('p', trusting(name)));
        expect(protocol).toBeUndefined();
        expect(problems.join()).toContain('BackendTLSPolicy of a backend cannot be followed');
      },
    );
  });

  test('is for one port where it names it, and that comes before one for all', () => {
    const all = policy('all', trusting('both'));
    const one = policy('one', trusting('good'), { sectionName: 'one' }, 1);
    expect(translated(one).services).toEqual([expect.objectContaining({ verify: true }), plain]);
    expect(translated(all, one).services.map(({ authorities }) => authorities)).toEqual([1, 2]);
    expect(statuses(all, one)).toEqual([
      'all: edge Accepted ResolvedRefs',
      'one: edge Accepted ResolvedRefs',
    ]);
  });

  test('that is newer than another for the same is told so', () => {
    const older = policy('older', trusting('good'), {}, 1);
    const newer = policy('a-newer', trusting('both'), {}, 2);
    expect(translated(newer, older).services[0]?.authorities).toBe(1);
    expect(statuses(newer, older)).toEqual([
      'older: edge Accepted ResolvedRefs',
      'a-newer: edge Conflicted ResolvedRefs',
    ]);
  });

  test('may trust whom the system trusts, and may want other names', () => {
    const subjectAltNames = [
      { type: 'Hostname', hostname: 'a.test' },
      { type: 'URI', uri: 'spiffe://b' },
    ];
    const { services } = translated(
      policy('p', { wellKnownCACertificates: 'System', subjectAltNames }),
    );
    expect(services[0]).toMatchObject({ verify: true, authorities: undefined });
    expect(services[0]?.plugins[0]?.config).toMatchObject({
      alternative_names: ['DNS:a.test', 'URI:spiffe://b'],
    });
  });

  test.each([
    ['leaf', trusting('leaf'), 'InvalidCACertificateRef'],
    ['expired', trusting('expired'), 'InvalidCACertificateRef'],
    ['broken', trusting('broken'), 'InvalidCACertificateRef'],
    ['missing', trusting('good', 'missing'), 'InvalidCACertificateRef'],
    ['none', {}, 'InvalidCACertificateRef'],
    [
      'another kind',
      { caCertificateRefs: [{ group: 'x', kind: 'Bundle', name: 'b' }] },
      'InvalidKind',
    ],
  ])('whose authority is %s lets nothing through, and says why', (_, validation, reason) => {
    const { authorities, services } = translated(policy('p', validation));
    expect(authorities).toEqual([]);
    expect(services[0]?.plugins).toEqual([
      { name: 'request-termination', config: expect.objectContaining({ status_code: 500 }) },
    ]);
    expect(statuses(policy('p', validation))).toEqual([`p: edge NoValidCACertificate ${reason}`]);
  });
});
