import { createSocket } from 'node:dgram';
import type { run } from '../real/processes.ts';

/** Where things are that a row's objects and looks refer to. */
export interface Place {
  readonly proxy: string;
  readonly proxyTls: string;
  readonly admin: string;
  readonly kubeconfig: string;
  readonly tcpPort: number;
  readonly tlsPort: number;
  readonly udpPort: number;
  /** Ports of backends. */
  readonly one: number;
  readonly two: number;
  readonly secure: number;
  readonly grpc: number;
  readonly udpOne: number;
  readonly udpTwo: number;
  /** The certificate of the authority of `secure`, and one that is no authority of it. */
  readonly authority: string;
  readonly other: string;
}

/** What is done with one kind, and what a client sees of it. */
export interface Row {
  readonly name: string;
  /** Its objects count for other rows too, so that it has to be alone. */
  readonly isForAll?: boolean;
  readonly objects: (
    place: Place,
    namespace: string,
  ) => { readonly given?: readonly object[]; readonly created: object; readonly changed: object };
  /** Status and body of what a client sees. */
  readonly look: (place: Place, tool: typeof run) => Promise<string>;
  readonly before: string | RegExp;
  readonly afterCreate: string | RegExp;
  readonly afterChange: string | RegExp;
  /** As before, unless something else is said. */
  readonly afterDelete?: string | RegExp;
}

export function manifests(objects: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
}

export const kong = 'configuration.konghq.com';
export const gatewayApi = 'gateway.networking.k8s.io';
export const ours = { 'kubernetes.io/ingress.class': 'kong' };

export function object(
  apiVersion: string,
  kind: string,
  name: string,
  rest: object,
  meta: object = {},
) {
  return { apiVersion, kind, metadata: { name, ...meta }, ...rest };
}

export function service(name: string, annotations: object = {}, protocol = 'TCP') {
  const spec = { ports: [{ name: 'main', port: 80, protocol }] };
  return object('v1', 'Service', name, { spec }, { annotations });
}

export function slice(name: string, ports: readonly number[], protocol = 'TCP') {
  // Several backends on one address are several slices' worth of ports: one slice for each.
  return ports.map((port, index) =>
    object(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      `${name}-${index}`,
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
        ports: [{ name: 'main', port, protocol }],
      },
      { labels: { 'kubernetes.io/service-name': name } },
    ),
  );
}

export const backend = (place: Place) => [service('web'), ...slice('web', [place.one])];

export function ingress(host: string, annotations: object = {}, more: object = {}) {
  const path = {
    path: '/',
    pathType: 'Prefix',
    backend: { service: { name: 'web', port: { number: 80 } } },
    ...more,
  };
  return object(
    'networking.k8s.io/v1',
    'Ingress',
    'web',
    { spec: { ingressClassName: 'kong', rules: [{ host, http: { paths: [path] } }] } },
    { annotations },
  );
}

/** Status and body, by the real curl. */
export function curl(host: string, path = '/', ...more: string[]): Row['look'] {
  return async ({ proxy }, tool) => {
    const args = ['-s', '-m', '5', '-w', '\n%{http_code}', '-H', `Host: ${host}`, ...more];
    const { stdout } = await tool('curl', [...args, `${proxy}${path}`]);
    const lines = stdout.split('\n');
    return `${lines.pop()} ${lines.join('\n')}`;
  };
}

/** Who answers several requests, each once. */
export function answering(host: string, ...more: string[]): Row['look'] {
  return async ({ proxy }, tool) => {
    const urls = Array.from({ length: 8 }, () => `${proxy}/`);
    const { stdout } = await tool('curl', [
      ...['-s', '-m', '5', '-H', `Host: ${host}`, '-w', '\n', ...more],
      ...urls,
    ]);
    const names = stdout.split('\n').map((line) => line.split(' ')[0]);
    return [...new Set(names.filter((name) => name !== ''))].sort().join(' ');
  };
}

export function adminHas(path: string, field: string): Row['look'] {
  return async ({ admin }, tool) => {
    const { stdout } = await tool('curl', ['-s', '-m', '5', `${admin}${path}`]);
    const { data = [] } = JSON.parse(stdout) as { data?: Record<string, unknown>[] };
    return data.map((one) => String(one[field])).join(' ') || 'none';
  };
}

export const overTcp: Row['look'] = async ({ tcpPort }, tool) => {
  const { stdout } = await tool('curl', ['-s', '-m', '5', `http://127.0.0.1:${tcpPort}/`]);
  return stdout || 'closed';
};

export function overTls(host: string): Row['look'] {
  return async ({ tlsPort }, tool) => {
    const { stdout } = await tool('curl', [
      ...['-s', '-k', '-m', '5', '--connect-to', `${host}:443:127.0.0.1:${tlsPort}`],
      `https://${host}/`,
    ]);
    return stdout || 'closed';
  };
}

/** What the object itself says of it. */
export function programmed(kind: string, name: string): Row['look'] {
  return async ({ kubeconfig }, tool) => {
    const path = '{range .status.conditions[?(@.type=="Programmed")]}{.status} {.reason}{end}';
    const { stdout } = await tool('kubectl', [
      ...['--kubeconfig', kubeconfig, 'get', kind, name, '--namespace', kind, '--ignore-not-found'],
      ...['-o', `jsonpath=${path}`],
    ]);
    return stdout || 'none';
  };
}

/** A call without a message, over HTTP/2. */
export function overGrpc(host: string, path: string): Row['look'] {
  return async ({ proxyTls }, tool) => {
    const place = proxyTls.slice('https://'.length);
    const args = ['-s', '-k', '-m', '5', '-w', '\n%{http_code}', '--http2', '-X', 'POST'];
    const { stdout } = await tool('curl', [
      ...args,
      ...['-H', 'content-type: application/grpc', '--connect-to', `${host}:443:${place}`],
      `https://${host}${path}`,
    ]);
    const lines = stdout.split('\n');
    return `${lines.pop()} ${lines.join('\n')}`;
  };
}

export const overUdp: Row['look'] = async ({ udpPort }) => {
  const socket = createSocket('udp4');
  try {
    return await new Promise<string>((resolve) => {
      socket.on('message', (message) => resolve(message.toString()));
      socket.send('hello', udpPort, '127.0.0.1');
      setTimeout(() => resolve('silent'), 150);
    });
  } finally {
    socket.close();
  }
};

export const gatewayClass = (name: string) =>
  object(`${gatewayApi}/v1`, 'GatewayClass', name, {
    spec: { controllerName: 'konghq.com/kic-gateway-controller' },
  });

export function gateway(className: string, listener: object = {}) {
  return object(`${gatewayApi}/v1`, 'Gateway', 'gw', {
    spec: {
      gatewayClassName: className,
      listeners: [{ name: 'main', protocol: 'HTTP', port: 80, ...listener }],
    },
  });
}

export function route(
  kind: string,
  spec: { hostnames?: readonly string[]; rule?: object; backend?: object; parent?: object } = {},
) {
  const version = kind === 'HTTPRoute' || kind === 'GRPCRoute' ? 'v1' : 'v1alpha2';
  const { hostnames, rule = {}, backend: to = {}, parent = {} } = spec;
  return object(`${gatewayApi}/${version}`, kind, 'r', {
    spec: {
      parentRefs: [{ name: 'gw', ...parent }],
      ...(hostnames === undefined ? {} : { hostnames }),
      rules: [{ backendRefs: [{ name: 'web', port: 80, ...to }], ...rule }],
    },
  });
}

export function keySecret(name: string, key: string) {
  const labels = { 'konghq.com/credential': 'key-auth' };
  return object('v1', 'Secret', name, { stringData: { key } }, { labels });
}

export function consumer(
  username: string,
  credentials: readonly string[],
  groups: readonly string[] = [],
) {
  return object(
    `${kong}/v1`,
    'KongConsumer',
    'c',
    { username, credentials, consumerGroups: groups },
    { annotations: ours },
  );
}

export const plugin = (name: string, kind: string, config: object, more: object = {}) =>
  object(`${kong}/${'v1'}`, 'KongPlugin', name, { plugin: kind, config }, more);
export const keyAuth = plugin('auth', 'key-auth', { key_names: ['apikey'] });
export const protectedBy = (host: string) => ingress(host, { 'konghq.com/plugins': 'auth' });
const clusterKinds: ReadonlySet<string> = new Set([
  'GatewayClass',
  'IngressClass',
  'KongClusterPlugin',
  'KongVault',
  'Namespace',
]);

export function isCluster(one: object): boolean {
  return clusterKinds.has((one as { kind: string }).kind);
}

/** An object in this namespace, unless it is in another one or in none. */
export function placed(one: object, namespace: string): object {
  if (isCluster(one)) return one;
  const { metadata } = one as { metadata: object };
  return { ...one, metadata: { namespace, ...metadata } };
}

export const streamIngress = (kind: string, port: number, name: string) =>
  object(
    `${kong}/v1beta1`,
    kind,
    's',
    { spec: { rules: [{ port, backend: { serviceName: name, servicePort: 80 } }] } },
    { annotations: ours },
  );

export const ingressClass = (annotations: object, spec: object = {}) =>
  object(
    'networking.k8s.io/v1',
    'IngressClass',
    'kong',
    { spec: { controller: 'ingress-controllers.konghq.com/kong', ...spec } },
    { annotations },
  );
export const isDefault = (value: string) => ({
  'ingressclass.kubernetes.io/is-default-class': value,
});

export const knativeIngress = (serviceName: string) =>
  object(
    'networking.internal.knative.dev/v1alpha1',
    'Ingress',
    'k',
    {
      spec: {
        rules: [
          {
            hosts: ['knative.test'],
            http: {
              paths: [
                {
                  splits: [
                    {
                      serviceNamespace: 'knative-ingress',
                      serviceName,
                      servicePort: 80,
                      percent: 100,
                    },
                  ],
                },
              ],
            },
          },
        ],
      },
    },
    { annotations: { 'networking.knative.dev/ingress.class': 'kong' } },
  );

export const knativeDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ingresses.networking.internal.knative.dev' },
  spec: {
    group: 'networking.internal.knative.dev',
    scope: 'Namespaced',
    names: { kind: 'Ingress', listKind: 'IngressList', plural: 'ingresses', singular: 'ingress' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
