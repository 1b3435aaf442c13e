import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { KubeObject } from '@waygate/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { type GatewayPort, GatewayPorts } from '../../controller/gateway-ports.ts';
import { gatewayApiPatches, liveObjects } from '../../controller/status-reports.ts';
import { ObjectStore } from '../../store/object-store.ts';
import { translate } from '../translate.ts';

const now = new Date();
const controllerName = 'konghq.com/kic-gateway-controller';
const apiVersion = 'gateway.networking.k8s.io/v1';

let authority: string;
let key: string;

beforeAll(async () => {
  x509.cryptoProvider.set(webcrypto as never);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=a',
    notBefore: new Date(now.getTime() - 3_600_000),
    notAfter: new Date(now.getTime() + 3_600_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  authority = made.toString('pem');
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  key = `-----BEGIN PRIVATE KEY-----\n${exported.toString('base64')}\n-----END PRIVATE KEY-----\n`;
});

const https = (name: string, port: number) => ({
  name,
  port,
  protocol: 'HTTPS',
  tls: { certificateRefs: [{ name: 'pair' }] },
});

function gateway(tls: object, more: object = {}): KubeObject {
  return {
    apiVersion,
    kind: 'Gateway',
    metadata: { name: 'edge', namespace: 'shop', generation: 1 },
    spec: {
      gatewayClassName: 'kong',
      listeners: [
        https('https', 443),
        https('other', 8443),
        { ...https('http', 80), protocol: 'HTTP' },
      ],
      tls,
    },
    ...more,
  } as KubeObject;
}

const clientsOf = (name: string, more: object = {}) => ({
  validation: { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name, ...more }] },
});

function around(): KubeObject[] {
  const base = (value: string) => Buffer.from(value).toString('base64');
  return [
    { apiVersion, kind: 'GatewayClass', metadata: { name: 'kong' }, spec: { controllerName } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: 'pair', namespace: 'shop', uid: 'u1' },
      data: { 'tls.crt': base(authority), 'tls.key': base(key) },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'good', namespace: 'shop' },
      data: { 'ca.crt': authority },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'far', namespace: 'elsewhere' },
      data: { 'ca.crt': authority },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop', annotations: { 'konghq.com/protocol': 'https' } },
      spec: { ports: [{ port: 443 }] },
    },
    {
      apiVersion,
      kind: 'HTTPRoute',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        parentRefs: [{ name: 'edge', sectionName: 'https' }],
        rules: [{ backendRefs: [{ kind: 'Service', name: 'web', port: 443 }] }],
      },
    },
  ] as unknown as KubeObject[];
}

async function look(edge: KubeObject, hasPlaces = true) {
  const objects = [...around(), edge];
  const reader = new ObjectStore();
  for (const object of objects) reader.put(object);
  let opened: readonly GatewayPort[] = [];
  const places = new GatewayPorts(
    {
      addressOf: () => '127.64.0.1',
      open: async (ports) => {
        opened = ports;
        return [];
      },
    },
    () => undefined,
    (error) => expect.fail(String(error)),
  );
  places.update(reader, controllerName, now);
  await Promise.resolve();
  const patches = gatewayApiPatches({
    concernsGateways: true,
    places: hasPlaces ? places : undefined,
    isExpressions: true,
    hasOwnPlugins: true,
    reader,
    controllerName,
    objects,
    live: liveObjects(objects),
    problems: [],
    addresses: [],
    now,
  });
  const status = patches.find(({ object }) => object.kind === 'Gateway')?.status as {
    conditions: { type: string; status: string; reason: string }[];
    listeners: { name: string; conditions: { type: string; status: string; reason: string }[] }[];
  };
  const said = (conditions: typeof status.conditions = []) =>
    conditions.map((one) => `${one.type} ${one.status} ${one.reason}`);
  return {
    ports: opened,
    gateway: said(status?.conditions),
    listener: (name: string) =>
      said(status?.listeners.find((one) => one.name === name)?.conditions),
  };
}

describe('clients that a Gateway wants certificates of', () => {
  test('are asked at the ports that it says, and nowhere else', async () => {
    const perPort = [{ port: 8443, tls: {} }];
    const { ports, listener } = await look(
      gateway({ frontend: { default: clientsOf('good'), perPort } }),
    );
    expect(ports.map(({ port, clientCa }) => [port, clientCa?.length])).toEqual([
      [443, 1],
      [80, undefined],
      [8443, undefined],
    ]);
    expect(listener('https')).toContain('Accepted True Accepted');
  });

  test.each([
    ['missing', {}, 'InvalidCACertificateRef'],
    ['good', { kind: 'Service' }, 'InvalidCACertificateKind'],
    ['far', { namespace: 'elsewhere' }, 'RefNotPermitted'],
  ])('find a closed port when the authority cannot be had: %s %j', async (name, more, reason) => {
    const { ports, listener } = await look(
      gateway({ frontend: { default: clientsOf(name, more), perPort: [{ port: 8443, tls: {} }] } }),
    );
    expect(ports.map(({ port }) => port)).toEqual([80, 8443]);
    expect(listener('https')).toEqual([
      'Accepted False NoValidCACertificate',
      'Conflicted False NoConflicts',
      'Programmed False Invalid',
      `ResolvedRefs False ${reason}`,
    ]);
    expect(listener('other')).toContain('Accepted True Accepted');
  });

  test('are let in without when the Gateway says so, and it is told, as long as it is so', async () => {
    const wanted = {
      validation: { ...clientsOf('good').validation, mode: 'AllowInsecureFallback' },
    };
    const edge = gateway({ frontend: { default: wanted } });
    const { ports, gateway: said } = await look(edge);
    expect(ports[0]).toMatchObject({ port: 443, isClientOptional: true });
    expect(said).toContain('InsecureFrontendValidationMode True ConfigurationChanged');
    const status = {
      conditions: [{ type: 'InsecureFrontendValidationMode', status: 'True', reason: 'x' }],
    };
    const after = await look(gateway({}, { status }));
    expect(after.gateway.join()).not.toContain('InsecureFrontendValidationMode');
  });

  test('never reach a route by ports that all Gateways share', async () => {
    const edge = gateway({ frontend: { default: clientsOf('good') } });
    const { listener } = await look(edge, false);
    expect(listener('https')).toContain('Accepted False UnsupportedValue');
    const { state } = translate([...around(), edge], { onlyAttachedRoutes: true });
    expect(state.services).toEqual([]);
    expect(
      translate([...around(), gateway({})], { onlyAttachedRoutes: true }).state.services,
    ).toHaveLength(1);
  });
});

describe('the certificate that a Gateway shows to backends', () => {
  const shown = (name: string, more: object = {}) =>
    gateway({ backend: { clientCertificateRef: { name, ...more } } });

  test('is that of the services of its routes', async () => {
    const { state } = translate([...around(), shown('pair')], { onlyAttachedRoutes: true });
    expect(state.services.map((one) => one.client_certificate)).toEqual(['u1']);
    expect(state.certificates.map(({ id }) => id)).toContain('u1');
    expect((await look(shown('pair'))).gateway).toContain('ResolvedRefs True ResolvedRefs');
  });

  test.each([
    ['missing', {}, 'InvalidClientCertificateRef'],
    ['pair', { kind: 'ConfigMap' }, 'InvalidClientCertificateRef'],
    ['pair', { namespace: 'elsewhere' }, 'RefNotPermitted'],
  ])('is none when it cannot be had: %s %j', async (name, more, reason) => {
    const edge = shown(name, more);
    const { state } = translate([...around(), edge], { onlyAttachedRoutes: true });
    expect(state.services.map((one) => one.client_certificate)).toEqual([undefined]);
    expect((await look(edge)).gateway).toContain(`ResolvedRefs False ${reason}`);
  });
});
