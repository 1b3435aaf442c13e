import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway, type GatewayOptions } from '@waygate/gateway';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { afterEach, beforeEach } from 'vitest';
import { until } from '../../../test/until.ts';
import type { IngressControllerOptions } from '../src/controller/controller-options.ts';
import { IngressController } from '../src/controller/ingress-controller.ts';
import {
  customResourceDefinitions,
  gatewayApiDefinitions,
} from '../src/crds/custom-resource-definitions.ts';

/** A cluster, a gateway, and the controller between them, all over sockets. */
interface Stack {
  readonly server: TestServer;
  readonly proxy: string;
  readonly admin: string;
  readonly controller: IngressController;
  readonly logs: string[];
  /** Stops the gateway and starts it anew without its configuration; returns where it proxies. */
  readonly restartGateway: () => Promise<string>;
}

let backends: Server[] = [];
let cleanups: (() => Promise<unknown>)[] = [];

/** To be called once in a file: ends the stacks and backends of each of its tests. */
export function endStacksAfterEach(): void {
  beforeEach(() => {
    backends = [];
    cleanups = [];
  });
  afterEach(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
    for (const backend of backends) {
      backend.closeAllConnections();
      await new Promise((resolve) => backend.close(resolve));
    }
  });
}

export async function backend(name: string): Promise<number> {
  const server = createServer((_, reply) => reply.end(name));
  backends.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The API server refuses endpoints on loopback, as Kubernetes does; names lead there. */
const gatewayOptions: GatewayOptions = {
  resolveName: async () => ({ addresses: [{ ip: '127.0.0.1' }], ttlMs: 60_000 }),
};
export const ports: GatewayOptions = { proxy: [{ host: '127.0.0.1', port: 0 }] };

export async function start(
  mode: NonNullable<GatewayOptions['mode']>,
  {
    isCrdInstalled,
    ...options
  }: Partial<IngressControllerOptions> & { isCrdInstalled?: boolean } = {},
): Promise<Stack> {
  const server = await startTestServer();
  cleanups.push(() => server.stop());
  if (isCrdInstalled) await installDefinitions(server);
  const gateway = new Gateway({ ...gatewayOptions, mode, ...ports });
  const addresses = await gateway.start();
  let stopGateway = () => gateway.stop();
  cleanups.push(() => stopGateway());
  const restartGateway = async () => {
    await gateway.stop();
    const { host = '', port = 0 } = addresses.admin ?? {};
    const next = new Gateway({ ...gatewayOptions, mode, ...ports, admin: { host, port } });
    stopGateway = () => next.stop();
    const after = await next.start();
    return `http://127.0.0.1:${after.proxy[0]?.port}`;
  };
  const admin = `http://127.0.0.1:${addresses.admin?.port}`;
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  cleanups.push(() => client.close());
  const adminClient = new AdminClient({ url: admin });
  cleanups.push(() => adminClient.close());
  const logs: string[] = [];
  const controller = new IngressController({
    client,
    kongAdmin: adminClient,
    resyncCheckMs: 50,
    onLog: ({ level, message }) => logs.push(`${level} ${message}`),
    ...options,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  cleanups.push(async () => {
    stop.abort();
    await running;
  });
  await controller.waitUntilReady();
  const proxy = `http://127.0.0.1:${addresses.proxy[0]?.port}`;
  return { server, proxy, admin, controller, logs, restartGateway };
}

async function installDefinitions(server: TestServer): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of [...customResourceDefinitions(), ...gatewayApiDefinitions()]) {
    const { status, body } = await server.request('POST', path, definition);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  await until('all definitions are established', async () => {
    const { body } = await server.request('GET', path);
    const { items } = body as {
      items: { status?: { conditions?: { type: string; status: string }[] } }[];
    };
    return items.every(({ status }) =>
      status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True'),
    );
  });
}

export const core = '/api/v1/namespaces/default';
export const networking = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
export const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

export async function create({ server }: Stack, path: string, body: object): Promise<void> {
  const answer = await server.request('POST', path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}

export function ingress(name: string, host: string, annotations: Record<string, string> = {}) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, annotations },
    spec: {
      ingressClassName: 'kong',
      rules: [
        {
          host,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  };
}

export const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { ports: [{ port: 80, targetPort: 8080 }] },
};

export function slice(port: number) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'FQDN',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['backend.test'], conditions: { ready: true } }],
  };
}

/** The body of a good answer, or the status of another one. */
export async function answer({ proxy }: Stack, host: string, apikey?: string): Promise<string> {
  const headers = { host, ...(apikey === undefined ? {} : { apikey }) };
  return new Promise((resolve) => {
    const call = request(proxy, { headers, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => {
        body += chunk;
      });
      reply.on('end', () => resolve(reply.statusCode === 200 ? body : String(reply.statusCode)));
    });
    call.on('error', () => resolve('unreachable'));
    call.end();
  });
}
