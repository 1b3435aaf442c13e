import type { World } from './world.ts';

/** One way to harm others: it goes on until it is told to stop, and minds no failure of its own. */
export interface Attack {
  readonly name: string;
  /** Whether it can run here; else why not. */
  readonly missing?: () => string | undefined;
  run(setting: AttackSetting): Promise<void>;
}

export interface AttackSetting {
  readonly world: World;
  /** The attacker's namespace, which is there. */
  readonly namespace: string;
  /** From 0 to 1, the same in every run with the same seed. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Waits, or until the attack ends. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** Numbers from 0 to 1 that a seed decides (xorshift). */
export function seeded(seed: number): () => number {
  let state = seed === 0 ? 1 : seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export const ingressPath = (namespace: string): string =>
  `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`;
export const kongPath = (namespace: string): string =>
  `/apis/configuration.konghq.com/v1/namespaces/${namespace}`;
export const routePath = (namespace: string): string =>
  `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`;

/** An Ingress of a tenant, with one path to one Service. */
export function ingress(
  namespace: string,
  name: string,
  rule: { readonly host: string; readonly path: string; readonly service?: string },
  annotations: Readonly<Record<string, string>> = {},
): object {
  const backend = { service: { name: rule.service ?? 'web', port: { number: 80 } } };
  const pathType = rule.path.startsWith('/~') ? 'ImplementationSpecific' : 'Prefix';
  const paths = [{ path: rule.path, pathType, backend }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace, annotations },
    spec: { ingressClassName: 'kong', rules: [{ host: rule.host, http: { paths } }] },
  };
}

/** Makes a Service of a tenant with one endpoint on this machine. */
export async function serve(
  { world, namespace }: AttackSetting,
  name: string,
  port: number,
): Promise<void> {
  await world.apply(`/api/v1/namespaces/${namespace}/services/${name}`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ port: 80 }] },
  });
  await world.apply(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/${name}`, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ port, protocol: 'TCP' }],
  });
}

/** A Gateway of a tenant, for routes of its own. */
export async function openGateway({ world, namespace }: AttackSetting): Promise<void> {
  const path = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways/own`;
  await world.apply(path, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'own', namespace },
    spec: {
      gatewayClassName: 'kong',
      listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }],
    },
  });
}
