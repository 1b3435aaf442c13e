import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway, type GatewayOptions } from '@waygate/gateway';
import {
  customResourceDefinitions,
  gatewayApiDefinitions,
  IngressController,
  type IngressControllerOptions,
} from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { until } from '../until.ts';

/** Where a gateway is reached, and how it is stopped. */
export interface TestGateway {
  readonly proxy: string;
  readonly proxyPort: number;
  readonly admin: string;
  readonly adminPort: number;
  /** Of all listeners for requests, in the order of the options. */
  readonly proxyPorts: readonly number[];
  stop(): Promise<void>;
}

/** A cluster, gateways, backends and controllers in this process, all over sockets. */
export class Stack {
  readonly server: TestServer;
  readonly client: KubeClient;
  readonly logs: string[] = [];
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  private constructor(server: TestServer) {
    this.server = server;
    this.client = new KubeClient({
      server: server.url,
      namespace: 'default',
      credentials: staticToken(server.adminToken),
    });
    this.#cleanups.push(
      () => server.stop(),
      () => this.client.close(),
    );
  }

  static async start(): Promise<Stack> {
    return new Stack(await startTestServer());
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }

  /** What is done at the end, before what was started earlier is stopped. */
  onStop(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async backend(name: string): Promise<number> {
    const server: Server = createServer((_, reply) => reply.end(name));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#cleanups.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  async gateway(options: GatewayOptions = {}): Promise<TestGateway> {
    const gateway = new Gateway({
      proxy: [{ host: '127.0.0.1', port: 0 }],
      // The API server refuses endpoints on loopback, as Kubernetes does; names lead there.
      resolveName: async () => ({ addresses: [{ ip: '127.0.0.1' }], ttlMs: 60_000 }),
      ...options,
    });
    const { proxy, admin } = await gateway.start();
    let isStopped = false;
    const stop = async () => {
      if (!isStopped) await gateway.stop();
      isStopped = true;
    };
    this.#cleanups.push(stop);
    return {
      proxy: `http://127.0.0.1:${proxy[0]?.port}`,
      proxyPort: proxy[0]?.port ?? 0,
      admin: `http://127.0.0.1:${admin?.port}`,
      adminPort: admin?.port ?? 0,
      proxyPorts: proxy.map(({ port }) => port),
      stop,
    };
  }

  adminClient(url: string): AdminClient {
    const client = new AdminClient({ url });
    this.#cleanups.push(() => client.close());
    return client;
  }

  controller(options: Omit<IngressControllerOptions, 'client'>): {
    readonly controller: IngressController;
    stop(): Promise<void>;
  } {
    const controller = new IngressController({
      client: this.client,
      resyncCheckMs: 50,
      eventHoldMs: 100,
      onLog: ({ level, message }) => this.logs.push(`${level} ${message}`),
      ...options,
    });
    const stopping = new AbortController();
    const running = controller.run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await running;
    };
    this.#cleanups.push(stop);
    return { controller, stop };
  }

  async installDefinitions(): Promise<void> {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const definition of [...customResourceDefinitions(), ...gatewayApiDefinitions()])
      await this.create(path, definition);
    await until('all definitions are established', async () => {
      const { items } = (await this.read(path)) as {
        items: { status?: { conditions?: { type: string; status: string }[] } }[];
      };
      return items.every(({ status }) =>
        status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True'),
      );
    });
  }

  async create(path: string, body: object): Promise<void> {
    const answer = await this.server.request('POST', path, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  }

  async replace(path: string, body: object): Promise<void> {
    const answer = await this.server.request('PUT', path, body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }

  async remove(path: string): Promise<void> {
    await this.server.request('DELETE', path);
  }

  async read(path: string): Promise<unknown> {
    return (await this.server.request('GET', path)).body;
  }
}

/** The body of a good answer, or the status of another one. */
export async function answer(
  proxy: string,
  host: string,
  headers: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve) => {
    const options = { headers: { host, ...headers }, agent: false };
    const call = request(proxy, options, (reply) => {
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

export const core = '/api/v1/namespaces/default';
export const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
export const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

export function ingress(name: string, host: string, more: object = {}): object {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  return {
    metadata: { name },
    spec: {
      ingressClassName: 'kong',
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      ...more,
    },
  };
}

export const service = {
  metadata: { name: 'web' },
  spec: { ports: [{ port: 80, targetPort: 8080 }] },
};

export function slice(port: number): object {
  return {
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'FQDN',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['backend.test'], conditions: { ready: true } }],
  };
}
