import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { World } from './world.ts';

const namespace = 'victim';
const host = 'victim.test';
const key = 'the-key-of-the-victim';
const kong = '/apis/configuration.konghq.com/v1/namespaces/victim';

/** An answer that was not the right one. */
export interface WrongAnswer {
  readonly at: string;
  readonly asked: string;
  readonly got: string;
}

/** What the victim saw. */
export interface Observed {
  readonly wrong: readonly WrongAnswer[];
  /** Of the gateway's answers, sorted. */
  readonly milliseconds: readonly number[];
  /** Of the API's answers, sorted. */
  readonly apiMilliseconds: readonly number[];
}

/**
 * Somebody who does nothing wrong: one guarded route, asked ten times a second, with the key and
 * without it. The next question does not wait for the answer to the last.
 */
export class Victim {
  readonly #probe: ChildProcess;
  readonly #port: Promise<number>;

  constructor() {
    this.#probe = fork(fileURLToPath(new URL('./probe.mjs', import.meta.url)));
    this.#port = once(this.#probe, 'message').then(([{ port }]) => port);
  }

  /** Makes the victim's objects, and waits until they answer. */
  async settle(world: World): Promise<void> {
    for (const [path, object] of objects(await this.#port)) {
      const { status, text } = await world.apply(path, object);
      if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${text}`);
    }
    const until = Date.now() + 30_000;
    for (;;) {
      const { wrong } = await this.#tell(world, 'check');
      if (wrong.length === 0) return;
      if (Date.now() > until) throw new Error(`the victim is not served: ${wrong.join(', ')}`);
    }
  }

  start(world: World): void {
    this.#probe.send({ type: 'start', port: world.gateway.port, key, api: world.access });
  }

  /** Ends the questions, and says what the answers were. */
  async end(world: World): Promise<Observed> {
    const { wrong, milliseconds, apiMilliseconds } = await this.#tell(world, 'stop');
    const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
    return {
      wrong,
      milliseconds: sorted(milliseconds),
      apiMilliseconds: sorted(apiMilliseconds),
    };
  }

  async stop(): Promise<void> {
    const exited = once(this.#probe, 'exit');
    this.#probe.disconnect();
    await exited;
  }

  async #tell(world: World, type: string): Promise<Observed> {
    const answer = once(this.#probe, 'message') as Promise<[Observed]>;
    this.#probe.send({ type, port: world.gateway.port, key });
    return (await answer)[0];
  }
}

/** The value below which so many of all lie. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function objects(port: number): [string, object][] {
  const core = `/api/v1/namespaces/${namespace}`;
  const named = (name: string, rest: object = {}) => ({ metadata: { name, namespace, ...rest } });
  const annotations = { 'kubernetes.io/ingress.class': 'kong' };
  return [
    [
      `/api/v1/namespaces/${namespace}`,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ],
    [
      `${core}/services/web`,
      { apiVersion: 'v1', kind: 'Service', ...named('web'), spec: { ports: [{ port: 80 }] } },
    ],
    [
      `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/web`,
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        ...named('web', { labels: { 'kubernetes.io/service-name': 'web' } }),
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
        ports: [{ port, protocol: 'TCP' }],
      },
    ],
    [
      `${core}/secrets/key`,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        ...named('key', { labels: { 'konghq.com/credential': 'key-auth' } }),
        stringData: { key },
      },
    ],
    [
      `${kong}/kongconsumers/alice`,
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongConsumer',
        ...named('alice', { annotations }),
        username: 'alice',
        credentials: ['key'],
      },
    ],
    [
      `${kong}/kongplugins/guard`,
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongPlugin',
        ...named('guard'),
        plugin: 'key-auth',
        config: { key_names: ['apikey'] },
      },
    ],
    [
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/web`,
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        ...named('web', { annotations: { 'konghq.com/plugins': 'guard' } }),
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
      },
    ],
  ];
}
