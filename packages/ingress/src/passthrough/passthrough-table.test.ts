import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { ObjectStore } from '../store/object-store.ts';
import { resolveOptions } from '../translate/options.ts';
import { passthroughTable } from './passthrough-table.ts';

const kong = { name: 'kong', endpoints: [{ address: '127.0.0.1', port: 8443 }] };

function table(...objects: object[]) {
  const reader = new ObjectStore();
  for (const object of objects) reader.put(object as KubeObject);
  return passthroughTable(reader, resolveOptions(), kong);
}

const ingress = (host: string, paths: string[], annotations: object, name = 'i') => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name, namespace: 'one', annotations },
  spec: {
    ingressClassName: 'kong',
    rules: [
      {
        host,
        http: {
          paths: paths.map((path) => ({
            path,
            backend: { service: { name: 's', port: { number: 443 } } },
          })),
        },
      },
    ],
  },
});
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'one' },
  spec: { ports: [{ port: 443, targetPort: 8443 }] },
};
const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's-1', namespace: 'one', labels: { 'kubernetes.io/service-name': 's' } },
  ports: [{ name: '', port: 8443, protocol: 'TCP' }],
  endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['2001:db8::1'] }],
};
const endpoints = [
  { address: '10.0.0.1', port: 8443 },
  { address: '2001:db8::1', port: 8443 },
];

describe('the table of hosts whose TLS is passed on', () => {
  test.each(['konghq.com/ssl-passthrough', 'nginx.ingress.kubernetes.io/ssl-passthrough'])(
    'has the hosts of Ingresses with %s, with their endpoints',
    (annotation) => {
      const { table: made } = table(
        ingress('a.test', ['/'], { [annotation]: 'true' }),
        service,
        slice,
      );
      expect(made.hosts).toEqual([
        { host: 'a.test', backend: { name: 'Ingress one/i', endpoints } },
      ]);
      expect(made.defaultBackend).toBe(kong);
    },
  );

  test('leaves all other Ingresses to Kong', () => {
    expect(table(ingress('a.test', ['/'], {}), service, slice).table.hosts).toEqual([]);
    const off = { 'konghq.com/ssl-passthrough': 'false' };
    expect(table(ingress('a.test', ['/'], off), service, slice).table.hosts).toEqual([]);
  });

  test('takes the only path, and reports several without the root', () => {
    const on = { 'konghq.com/ssl-passthrough': 'true' };
    expect(table(ingress('a.test', ['/x'], on), service, slice).table.hosts).toHaveLength(1);
    const { table: made, problems } = table(ingress('a.test', ['/x', '/y'], on), service, slice);
    expect(made.hosts).toEqual([]);
    expect(problems[0]?.message).toContain('a.test');
  });

  test('has the hosts of TLSRoutes on listeners in Passthrough mode', () => {
    const gateway = (mode: string) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'gw', namespace: 'one' },
      spec: { listeners: [{ name: 'tls', protocol: 'TLS', port: 443, tls: { mode } }] },
    });
    const route = {
      apiVersion: 'gateway.networking.k8s.io/v1alpha2',
      kind: 'TLSRoute',
      metadata: { name: 'r', namespace: 'one' },
      spec: {
        hostnames: ['b.test'],
        rules: [{ backendRefs: [{ name: 's', port: 443, kind: 'Service', weight: 10 }] }],
      },
      status: { parents: [{ parentRef: { name: 'gw' } }] },
    };
    const { hosts } = table(gateway('Passthrough'), route, service, slice).table;
    expect(hosts.map(({ host }) => host)).toEqual(['b.test']);
    expect(hosts[0]?.backend.endpoints[0]).toEqual({ ...endpoints[0], weight: 5 });
    expect(table(gateway('Terminate'), route, service, slice).table.hosts).toEqual([]);
  });
});

describe('hosts of ingress-nginx’ Ingresses', () => {
  const nginxClass = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  };
  const annotations = { 'nginx.ingress.kubernetes.io/ssl-passthrough': 'true' };
  const ofClass = (host: string, paths: string[], marks: object, name: string) => {
    const made = ingress(host, paths, marks, name);
    return { ...made, spec: { ...made.spec, ingressClassName: 'nginx' } };
  };
  const withAddress = { ...service, spec: { ...service.spec, clusterIP: '10.96.0.7' } };
  const hostsOf = (...objects: object[]) => {
    const reader = new ObjectStore();
    for (const object of [nginxClass, ...objects]) reader.put(object as KubeObject);
    const { table: made } = passthroughTable(reader, resolveOptions({ nginx: {} }), kong);
    return made.hosts.map(({ host, backend }) => [host, backend.endpoints]);
  };

  test('go to the address of the Service behind /, whichever Ingress has that', () => {
    expect(
      hostsOf(
        withAddress,
        slice,
        ofClass('a.test', ['/x'], annotations, 'one'),
        ofClass('a.test', ['/'], {}, 'two'),
      ),
    ).toEqual([['a.test', [{ address: '10.96.0.7', port: 443 }]]]);
  });

  test('lead nowhere without one, and never to Kong', () => {
    const path = ofClass('a.test', ['/x'], annotations, 'one');
    expect(hostsOf(withAddress, slice, path)).toEqual([['a.test', []]]);
  });

  test('a Kong-class neighbour keeps its endpoints', () => {
    expect(
      hostsOf(
        withAddress,
        slice,
        ingress('k.test', ['/'], { 'konghq.com/ssl-passthrough': 'true' }, 'kong'),
        ofClass('a.test', ['/'], annotations, 'one'),
      ),
    ).toEqual([
      ['a.test', [{ address: '10.96.0.7', port: 443 }]],
      ['k.test', endpoints],
    ]);
  });
});
