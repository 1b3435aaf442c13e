import { Gateway } from '@waygate/gateway';
import {
  certificateRows,
  type KongState,
  nginxFallbackCertificate,
  nginxPlugins,
  toDeclarativeConfig,
  translate,
} from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { isObject, parseYamlAll } from '@waygate/text';
import { admissionDifferences, type RecordedVerdict } from './nginx-admission.ts';
import type { BackendEntry, NginxBackends, ReadCertificate } from './nginx-backends.ts';
import { type NginxAnswer, NginxClient, type NginxRequest } from './nginx-client.ts';
import { differences, type Exchange, type Received } from './nginx-compare.ts';
import { needsController, nginxOptions } from './nginx-flags.ts';
import { NginxLive } from './nginx-live.ts';
import { certificateLines, metricDifferences } from './nginx-metrics.ts';

/** A recorded case: what was in the cluster, what was asked, and what came of it. */
export interface NginxCase {
  readonly id: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly manifests: string;
  readonly admission?: readonly RecordedVerdict[];
  readonly steps?: readonly unknown[];
  readonly requests: readonly NginxRequest[];
  readonly expect: readonly Exchange[];
}

const configMap = { namespace: 'ingress-nginx', name: 'controller' };

/** What every recording had beside its manifests: the class. */
const ingressClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'nginx' },
  spec: { controller: 'k8s.io/ingress-nginx' },
};

/** The objects of one case, translated for a gateway that carries its requests. */
export class NginxCluster {
  readonly #case: NginxCase;
  readonly #feature: string;
  readonly #backends: NginxBackends;
  readonly #certificate: ReadCertificate;
  #gateway: Gateway | undefined;
  #live: NginxLive | undefined;
  #client: NginxClient | undefined;
  #state: KongState | undefined;
  #statusPort = 0;

  constructor(
    recorded: NginxCase,
    feature: string,
    backends: NginxBackends,
    certificate: ReadCertificate,
  ) {
    this.#case = recorded;
    this.#feature = feature;
    this.#backends = backends;
    this.#certificate = certificate;
  }

  async start(): Promise<void> {
    const { flags = [], requests } = this.#case;
    if (needsController(flags, requests)) {
      this.#live = new NginxLive();
      const ports = await this.#live.start(this.#objects(), flags, { resolveName });
      this.#client = new NginxClient(ports, this.#certificate);
      return;
    }
    const hasMetrics = this.#case.requests.some(({ kind }) => kind === 'metrics');
    const { state } = translate(this.#objects(), {
      routerFlavor: 'expressions',
      nginx: {
        ...nginxOptions(this.#case.flags ?? []),
        configMap: `${configMap.namespace}/${configMap.name}`,
        fallbackCertificate: await nginxFallbackCertificate(),
        availablePlugins: await availablePlugins(),
        ...(hasMetrics && { metrics: { namespace: configMap.namespace, pod: configMap.name } }),
      },
    });
    // The ConfigMap says what clients send; where the gateway listens is its operator's to say.
    const isProxyProtocol = this.#case.config?.['use-proxy-protocol'] === 'true';
    this.#gateway = new Gateway({
      flavor: 'expressions',
      config: toDeclarativeConfig(state, { isDbless: true }),
      proxy: [
        { host: '127.0.0.1', port: 0, publicPort: 80, isProxyProtocol },
        { host: '127.0.0.1', port: 0, isTls: true, publicPort: 443, isProxyProtocol },
      ],
      admin: false,
      ...(hasMetrics && { status: { host: '127.0.0.1', port: 0 } }),
      drainMs: 0,
      resolveName,
    });
    const { proxy, status } = await this.#gateway.start();
    this.#state = state;
    this.#statusPort = status?.port ?? 0;
    const [http, https] = proxy;
    const ports = { http: http?.port ?? 0, https: https?.port ?? 0, streams: new Map() };
    this.#client = new NginxClient(ports, this.#certificate);
  }

  /** What our webhook would say otherwise than the recorded one did. */
  admission(): Promise<string[]> {
    const { flags = [], admission = [] } = this.#case;
    const key = `${configMap.namespace}/${configMap.name}`;
    return admissionDifferences(this.#objects(), admission, {
      ...nginxOptions(flags),
      configMap: key,
    });
  }

  async stop(): Promise<void> {
    await this.#live?.stop();
    await this.#gateway?.stop();
  }

  /** Plays one request, and says what came out otherwise than in the recording. */
  async play(index: number): Promise<string[]> {
    const { requests, expect } = this.#case;
    const [request, want] = [requests[index], expect[index]];
    if (request === undefined || want === undefined) return ['there is no such request'];
    if (request.kind === 'metrics') return this.#metricDifferences(request, want);
    if (request.kind === 'status') return this.#statusDifferences(request, want);
    const got = await this.#exchange(this.#filled(request));
    const { manifests, config } = this.#case;
    const isTimed = /load-balance["']?: *["']?ewma/.test(`${manifests}${JSON.stringify(config)}`);
    const isUnsafe = /^(POST|LOCK|PATCH)$/.test(request.method ?? '');
    return differences(want, got, { feature: this.#feature, isTimed, isUnsafe });
  }

  /** The status of an Ingress, which comes a while after what it is about. */
  async #statusDifferences(
    { namespace = '', name = '' }: NginxRequest,
    { data }: Exchange,
  ): Promise<string[]> {
    const wanted = JSON.stringify(data);
    let status = '';
    for (let tries = 0; tries < 50 && status !== wanted; tries += 1) {
      if (tries > 0) await after(20);
      status = JSON.stringify(await this.#live?.status(namespace, name)) ?? 'none';
    }
    return status === wanted ? [] : [`status ${wanted} ≠ ${status}`];
  }

  /** Lines of `/metrics`, as of the gateway and of the controller. */
  async #metricDifferences({ match = '' }: NginxRequest, want: Exchange): Promise<string[]> {
    const text = await (await fetch(`http://127.0.0.1:${this.#statusPort}/metrics`)).text();
    const controllerClass = ingressClass.spec.controller;
    const rows = certificateRows(this.#state?.certificates ?? [], { controllerClass });
    return metricDifferences(want, [...text.split('\n'), ...certificateLines(rows)], match);
  }

  async #exchange(request: NginxRequest): Promise<Exchange> {
    const { received } = this.#backends;
    const send = () => (this.#client as NginxClient).send(request);
    if (request.wait !== undefined && request.kind === undefined) await after(request.wait);
    received.length = 0;
    if (request.repeat === undefined) {
      const answer = await send();
      await after(request.settle ?? 5);
      return { ...this.#answer(answer), received: received.map((one) => this.#received(one)) };
    }
    const answers: NginxAnswer[] = [];
    if (request.parallel === true) {
      answers.push(...(await Promise.all(Array.from({ length: request.repeat }, send))));
    } else {
      for (let count = 0; count < request.repeat; count += 1) {
        answers.push(await send());
        if (request.gap !== undefined) await after(request.gap);
      }
    }
    await after(request.settle ?? 5);
    return {
      repeat: request.repeat,
      statuses: countOf(answers.map(({ status, error }) => String(status ?? error))),
      servers: countOf(received.map(({ server }) => server)),
    };
  }

  #objects(): KubeObject[] {
    const documents = parseYamlAll(this.#filledText(this.#case.manifests)).filter(isObject);
    const objects = [ingressClass, ...documents, ...foreign] as unknown as KubeObject[];
    const data = this.#filled(this.#case.config ?? {});
    objects.push({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: configMap,
      data,
    } as unknown as KubeObject);
    return objects.map((object, index) => withUid(object, index));
  }

  #filled<T>(value: T): T {
    return JSON.parse(this.#filledText(JSON.stringify(value))) as T;
  }

  /** The ports of the backends in the place of their names. */
  #filledText(text: string): string {
    const { ports } = this.#backends;
    return text
      .replace(/__([a-z0-9]+)__/g, (all, name: string) => String(ports[name] ?? all))
      .replaceAll('10.96.200.1', '127.0.0.1')
      .replace(/\b90(\d\d)\b/g, (all, number: string) => {
        const name = recordedPorts[Number(number)];
        return name === undefined ? all : String(ports[name] ?? all);
      })
      .replace(/\b8088\b/g, String(ports.vip))
      .replace(/\b8444\b/g, String(ports.viptls));
  }

  #answer(answer: NginxAnswer): Exchange {
    const { body, data, headers = {}, ...rest } = answer;
    const dropped = answer.status === 101 ? new Set(['date']) : volatile;
    return {
      ...rest,
      headers: this.#headers(headers, dropped),
      ...(data !== undefined && { data: data === null ? null : this.#scrub(data) }),
      ...(body !== undefined && body !== '' && body.length <= 2_000 && { body: this.#scrub(body) }),
    } as Exchange;
  }

  #received(entry: BackendEntry): Received {
    const hidden = new Set(['x-echo', 'sec-websocket-key']);
    const texts = ['method', 'path', 'body', 'data'].flatMap((key) =>
      typeof entry[key] === 'string' ? [[key, this.#scrub(entry[key])]] : [],
    );
    const { server, bodySize, headers, params } = entry;
    return {
      server,
      ...Object.fromEntries(texts),
      ...(bodySize !== undefined && { bodySize }),
      ...(isObject(headers) && { headers: this.#headers(headers, hidden) }),
      ...(isObject(params) && {
        params: this.#headers({ ...params, REMOTE_PORT: '<port>' }, new Set()),
      }),
    } as Received;
  }

  #headers(
    headers: Readonly<Record<string, unknown>>,
    dropped: ReadonlySet<string>,
  ): Record<string, string | string[]> {
    const kept = Object.entries(headers).filter(([name]) => !dropped.has(name));
    return Object.fromEntries(
      kept.map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((one) => this.#scrub(String(one)))
          : this.#scrub(String(value)),
      ]),
    );
  }

  /** What is chosen by chance or by the clock becomes a placeholder, as the recorder wrote it. */
  #scrub(value: string): string {
    let text = value;
    for (const [name, port] of Object.entries(this.#backends.ports))
      text = text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:__${name}__`);
    return text
      .replace(/(PROXY TCP4 \S+ \S+) \d+ /g, '$1 <port> ')
      .replace(/^Active connections:[\s\S]*/, '<stub_status>')
      .replace(/(?<![|0-9a-f])[0-9a-f]{32}(?![|0-9a-f])/g, '<hex32>')
      .replace(/=[0-9.]+\.[0-9]+\.[0-9]+(\|[0-9a-f]{32})/g, '=<key>$1')
      .replace(/=[0-9a-f]{32}(\|[0-9a-f]{32})/g, '=<key>$1')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/nonce="[0-9a-f]+"/g, 'nonce="<nonce>"')
      .replace(/(Expires=)[A-Z][a-z]{2}, [^;]+/g, '$1<date>');
  }
}

/** Ingresses of somebody else's class, as many as are asked for: nothing may come out otherwise. */
const foreign = Array.from(
  { length: Number(process.env.WAYGATE_FOREIGN_INGRESSES ?? 0) },
  (_, index) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: `foreign-${index}`, namespace: 'foreign' },
    spec: {
      ingressClassName: 'foreign',
      rules: [
        {
          host: `foreign-${index}.test`,
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
  }),
);

/** Backends that a manifest names by the port they had, counted from 9000. */
const recordedPorts: Readonly<Record<number, string>> = { 1: 'a', 2: 'b', 3: 'c', 4: 'd' };

const volatile: ReadonlySet<string> = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
]);

/** The names that the recorder's DNS knew, and whatever else leads nowhere. */
async function resolveName(name: string): Promise<{ addresses: { ip: string }[]; ttlMs: number }> {
  if (!/(^|\.)(svc|backend|vip)\.test$/.test(name)) throw new Error(`${name} is not known here`);
  return { addresses: [{ ip: '127.0.0.1' }], ttlMs: 5_000 };
}

let plugins: Promise<ReadonlySet<string>> | undefined;

/** The plugins that the gateway says it has. */
function availablePlugins(): Promise<ReadonlySet<string>> {
  plugins ??= (async () => {
    const gateway = new Gateway({ proxy: [] });
    const { admin } = await gateway.start();
    try {
      const known = new Set<string>();
      for (const name of nginxPlugins) {
        const answer = await fetch(`http://127.0.0.1:${admin?.port}/schemas/plugins/${name}`);
        await answer.arrayBuffer();
        if (answer.ok) known.add(name);
      }
      return known;
    } finally {
      await gateway.stop();
    }
  })();
  return plugins;
}

/** An API server would have given each object one. */
function withUid(object: KubeObject, index: number): KubeObject {
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return { ...object, metadata: { uid, ...object.metadata } };
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
