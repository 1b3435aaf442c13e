import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Gateway } from '@waygate/gateway';
import { type Problem, toDeclarativeConfig, translate } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';

/** A request that a backend got. */
export interface Arrival {
  readonly server: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** The lines of the head behind the first. */
  readonly lines: readonly string[];
  readonly body: string;
  /** What backends got meanwhile, if nobody else asked. */
  readonly arrivals: readonly Arrival[];
}

/** Ingresses of ingress-nginx' class behind a gateway, and servers `a` to `d` behind that. */
export interface NginxServed {
  readonly port: number;
  readonly problems: readonly Problem[];
  ask(host: string, path?: string, more?: WireRequest): Promise<WireAnswer>;
  stop(): Promise<void>;
}

export interface WireRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an Ingress of a test says; the others' fields are the usual ones. */
export interface IngressWish {
  readonly name: string;
  readonly hosts: Readonly<
    Record<string, readonly (readonly [path: string, type: string, service: string])[]>
  >;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly second?: number;
  readonly defaultBackend?: string;
  readonly tls?: readonly object[];
}

const namespace = 'shop';
export const annotationsPrefix = 'nginx.ingress.kubernetes.io/';

/** Servers that say their name, and one gateway after another before them. */
export class NginxWorld {
  readonly arrivals: Arrival[] = [];
  readonly #servers: Server[] = [];
  readonly #objects: KubeObject[] = [
    object('networking.k8s.io/v1', 'IngressClass', 'nginx', {
      spec: { controller: 'k8s.io/ingress-nginx' },
    }),
  ];

  /** Starts the servers; each is the one endpoint of a Service of its name. */
  async start(names: readonly string[] = ['a', 'b', 'c', 'd']): Promise<void> {
    for (const name of names) {
      const server = createServer((request, response) => {
        const { method = '', url = '', headers } = request;
        this.arrivals.push({ server: name, method, url, headers });
        request.resume();
        response.end(`${name} ${url}\n`);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#servers.push(server);
      this.#objects.push(...serviceWith(name, (server.address() as AddressInfo).port));
    }
    this.#objects.push(...serviceWith('nobody', undefined));
  }

  /** A Service of the test's own. */
  service(name: string, port: number): KubeObject[] {
    return serviceWith(name, port);
  }

  /** Serves Ingresses beside what is there already. */
  async serve(
    objects: readonly KubeObject[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<NginxServed> {
    const configMap = object('v1', 'ConfigMap', 'nginx', { data: settings }, 'system');
    const { state, problems } = translate([...this.#objects, configMap, ...objects], {
      routerFlavor: 'expressions',
      nginx: { configMap: 'system/nginx' },
    });
    const gateway = new Gateway({
      flavor: 'expressions',
      proxy: [{ host: '127.0.0.1', port: 0 }],
      admin: false,
      drainMs: 0,
      config: toDeclarativeConfig(state, { isDbless: true }),
    });
    const { proxy } = await gateway.start();
    const port = proxy[0]?.port ?? 0;
    return {
      port,
      problems,
      ask: async (host, path = '/', { method = 'GET', headers = {} } = {}) => {
        const before = this.arrivals.length;
        const lines = Object.entries({ Host: host, Connection: 'close', ...headers });
        const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        const text = await exchange(port, `${method} ${path} HTTP/1.1\r\n${head}\r\n`);
        return { ...parsed(text), arrivals: this.arrivals.slice(before) };
      },
      stop: () => gateway.stop(),
    };
  }

  stop(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

/** An object of the namespace that everything here is in. */
export function object(
  apiVersion: string,
  kind: string,
  name: string,
  fields: object,
  where = namespace,
): KubeObject {
  const metadata = { name, namespace: where, uid: `${kind}-${name}` };
  return { apiVersion, kind, metadata, ...fields } as unknown as KubeObject;
}

export function nginxIngress(wish: IngressWish): KubeObject {
  const { name, hosts, annotations = {}, second = 0, defaultBackend, tls } = wish;
  const backend = (service: string) => ({ service: { name: service, port: { number: 80 } } });
  const rules = Object.entries(hosts).map(([host, paths]) => ({
    ...(host !== '' && { host }),
    http: {
      paths: paths.map(([path, pathType, service]) => ({
        path,
        pathType,
        backend: backend(service),
      })),
    },
  }));
  const { metadata } = object('', '', name, {});
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      ...metadata,
      uid: name,
      creationTimestamp: new Date(1_700_000_000_000 + second * 1_000).toISOString(),
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`${annotationsPrefix}${key}`, value]),
      ),
    },
    spec: {
      ingressClassName: 'nginx',
      rules,
      ...(defaultBackend !== undefined && { defaultBackend: backend(defaultBackend) }),
      ...(tls !== undefined && { tls }),
    },
  } as unknown as KubeObject;
}

function serviceWith(name: string, port: number | undefined): KubeObject[] {
  const labels = { 'kubernetes.io/service-name': name };
  const slice = object('discovery.k8s.io/v1', 'EndpointSlice', name, {
    addressType: 'IPv4',
    ports: [{ name: '', port: port ?? 1 }],
    endpoints: port === undefined ? [] : [{ addresses: ['127.0.0.1'] }],
  });
  return [
    object('v1', 'Service', name, { spec: { ports: [{ port: 80 }] } }),
    { ...slice, metadata: { ...slice.metadata, labels } },
  ];
}

function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
    socket.write(request, 'latin1');
  });
}

function parsed(text: string): Pick<WireAnswer, 'status' | 'lines' | 'body'> {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  return { status: Number(first.split(' ')[1]), lines, body: text.slice(end + 4) };
}
