import { performance } from 'node:perf_hooks';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import type { KubeObject } from '@waygate/schema';
import type { BenchmarkOptions } from '../benchmark.ts';

const endpointsPerService = 10;
/** Objects that are created at a time. */
const creators = 8;

/** An API server with the objects, and what the measurements did to them. */
export interface BenchmarkCluster {
  readonly size: number;
  readonly server: TestServer;
  /** Addresses that were added to the endpoints of each Service. */
  readonly added: Map<number, string[]>;
}

/** Starts an API server with N Ingresses, Services and their endpoints. */
export async function startCluster(
  size: number,
  { log }: BenchmarkOptions,
): Promise<BenchmarkCluster> {
  const server = await startTestServer();
  const stopwatch = startStopwatch();
  await createAll(clusterObjects(size), (object) => server.request('POST', pathOf(object), object));
  log(`${size}: objects created in ${seconds(stopwatch())}`);
  return { size, server, added: new Map() };
}

/** Milliseconds since the last time it was asked. */
export function startStopwatch(): () => number {
  let last = performance.now();
  return () => {
    const before = last;
    last = performance.now();
    return last - before;
  };
}

/** For people. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** What is in use after all that is not was thrown away. */
export function usedHeap(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}

async function createAll(
  objects: readonly KubeObject[],
  create: (object: KubeObject) => Promise<unknown>,
): Promise<void> {
  const rest = objects.values();
  await Promise.all(
    Array.from({ length: creators }, async () => {
      for (const object of rest) await create(object);
    }),
  );
}

/** N Ingresses, each with a Service of ten endpoints. */
export function clusterObjects(size: number): KubeObject[] {
  const objects: KubeObject[] = [];
  for (let index = 0; index < size; index += 1) {
    const slice = endpointSlice(index, addressesOf(index));
    objects.push(ingress(index), service(index), slice);
  }
  return objects;
}

/** The addresses of one Service. */
export function addressesOf(index: number): string[] {
  return Array.from(
    { length: endpointsPerService },
    (_, address) => `10.${index >> 8}.${index & 255}.${address + 1}`,
  );
}

function ingress(index: number): KubeObject {
  const backend = { service: { name: `web-${index}`, port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: `web-${index}`, namespace: 'default' },
    spec: {
      ingressClassName: 'kong',
      rules: [
        {
          host: `web-${index}.example.com`,
          http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
        },
      ],
    },
  } as KubeObject;
}

function service(index: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `web-${index}`, namespace: 'default' },
    spec: { ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }] },
  } as KubeObject;
}

/** The endpoints of one Service. */
export function endpointSlice(index: number, addresses: readonly string[]): KubeObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `web-${index}-1`,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': `web-${index}` },
    },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  } as KubeObject;
}

/** Where objects of its kind are. */
export function pathOf({ apiVersion = '', kind = '' }: KubeObject): string {
  const plural = kind === 'Ingress' ? 'ingresses' : `${kind.toLowerCase()}s`;
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}/namespaces/default/${plural}`;
}
