import { createServer } from 'node:net';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway, type GatewayOptions } from '@waygate/gateway';
import { IngressController, type OpenStreamPorts, optionsFromFlags } from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { GatewayPorts } from './nginx-client.ts';

const plurals: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  EndpointSlice: 'endpointslices',
  Ingress: 'ingresses',
  IngressClass: 'ingressclasses',
  Namespace: 'namespaces',
  Secret: 'secrets',
  Service: 'services',
};

/** Shows by its status that the controller has been over everything. */
const sentinel = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'sentinel', namespace: 'default' },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: 'sentinel.test',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 'none', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
};

/** From 10.96.0.1, as in the recordings, to where the backends are that stand in for Services. */
const serviceAddresses = { first: 0x0a_60_00_01, last: 0x7f_ff_ff_fe };

const patienceMs = 15_000;

/** The controller itself, by its flags, on an API of its own: for what a translation does not show. */
export class NginxLive {
  readonly #stop = new AbortController();
  readonly #streams = new Map<number, number>();
  #server: TestServer | undefined;
  #gateway: Gateway | undefined;
  #running: Promise<void> | undefined;

  /** Starts everything, and waits until the objects are served. */
  async start(
    objects: readonly KubeObject[],
    flags: readonly string[],
    gatewayOptions: Pick<GatewayOptions, 'resolveName'>,
  ): Promise<GatewayPorts> {
    const server = await startTestServer({ cluster: { serviceAddresses } });
    this.#server = server;
    const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    for (const name of namespaces)
      await this.#create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const object of [...objects, sentinel]) await this.#create(object as KubeObject);
    const given = Object.fromEntries(
      flags.map((flag) => {
        const [name = '', value = 'true'] = flag.replace(/^--/, '').split('=');
        return [name, value];
      }),
    );
    const isPassthrough = given['enable-ssl-passthrough'] === 'true';
    const gateway = new Gateway({
      flavor: 'expressions',
      proxy: [
        { host: '127.0.0.1', port: 0, publicPort: 80 },
        {
          host: '127.0.0.1',
          port: 0,
          isTls: true,
          publicPort: 443,
          isProxyProtocol: isPassthrough,
        },
      ],
      drainMs: 0,
      ...gatewayOptions,
    });
    this.#gateway = gateway;
    const { proxy, admin } = await gateway.start();
    const [http, https] = proxy;
    const parsed = optionsFromFlags(
      {
        'ingress-nginx': 'true',
        configmap: 'ingress-nginx/controller',
        'force-leader-election': 'disabled',
        ...(given['publish-service'] === undefined && { 'publish-status-address': '127.0.0.1' }),
        ...given,
      },
      {},
      { identity: 'conformance' },
    );
    if (parsed.problems.length > 0) throw new Error(parsed.problems.join('; '));
    const controller = new IngressController({
      ...parsed.options,
      client: new KubeClient({
        server: server.url,
        namespace: 'default',
        credentials: staticToken(server.adminToken),
      }),
      kongAdmin: new AdminClient({ url: `http://127.0.0.1:${admin?.port}` }),
      openStreamPorts: this.#openStreamPorts,
      ...(isPassthrough && {
        passthrough: {
          listen: { host: '127.0.0.1', port: 0 },
          kongTls: { host: '127.0.0.1', port: https?.port ?? 0 },
        },
      }),
    });
    this.#running = controller.run(this.#stop.signal);
    await waitFor(async () => isPublished(await this.status('default', 'sentinel')));
    return {
      http: http?.port ?? 0,
      https: controller.addresses.passthrough?.port ?? https?.port ?? 0,
      streams: this.#streams,
    };
  }

  /** `status` of an Ingress. */
  async status(namespace: string, name: string): Promise<unknown> {
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${name}`;
    const answer = await this.#server!.request('GET', path);
    return isObject(answer.body) ? answer.body.status : undefined;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#gateway?.stop();
    await this.#server?.[Symbol.asyncDispose]();
  }

  /** On free ports, which clients know by those of the recording. */
  readonly #openStreamPorts: OpenStreamPorts = async (ports) => {
    this.#streams.clear();
    const wanted = [];
    for (const { kind, port } of ports) {
      const free = await freePort();
      this.#streams.set(port, free);
      wanted.push({ kind, host: '127.0.0.1', port: free, publicPort: port });
    }
    const refused = await this.#gateway!.listenAlso(wanted);
    return refused.flatMap(({ kind, publicPort: port = 0, code }) =>
      kind === 'tcp' || kind === 'udp' ? [{ kind, port, code }] : [],
    );
  };

  async #create(object: KubeObject): Promise<void> {
    const { apiVersion = '', kind = '', metadata } = object;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const where = metadata.namespace ? `/namespaces/${metadata.namespace}` : '';
    const path = `${root}${where}/${plurals[kind] ?? kind}`;
    const answer = await this.#server!.request('POST', path, object);
    const isThere = kind === 'Namespace' && answer.status === 409;
    if (answer.status >= 300 && !isThere)
      throw new Error(`${kind} ${metadata.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

function isPublished(status: unknown): boolean {
  if (!isObject(status) || !isObject(status.loadBalancer)) return false;
  return Array.isArray(status.loadBalancer.ingress);
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('the controller serves nothing');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
