import { Gateway, type GatewayOptions } from '@waygate/gateway';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';
import { Backend } from './kong-backend.ts';
import { sendRaw } from './kong-client.ts';

export interface RoutingFile {
  readonly router_flavor: 'traditional' | 'traditional_compatible' | 'expressions';
  readonly proxy_http_port: number;
  readonly proxy_https_port: number;
  readonly scenarios: readonly Scenario[];
}

interface Scenario {
  readonly name: string;
  readonly services: readonly Record<string, unknown>[];
  readonly routes: readonly Record<string, unknown>[];
  readonly extra: Record<string, unknown> | null;
  readonly requests: readonly { readonly request: Asked; readonly result: Result }[];
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly host?: string;
  readonly scheme?: string;
  readonly sni?: string | null;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | null;
}

interface Result {
  readonly status: number;
  readonly route: string | null;
  readonly service: string | null;
  readonly upstream?: Readonly<Record<string, string | null>>;
  readonly upgrade?: string;
  readonly location?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The port of the service in the recordings. */
const recordedBackendPort = 20_080;

/** Routes each recorded request through a gateway and compares where it went and what was seen there. */
export function* routingCases(name: string, file: RoutingFile): Generator<ConformanceCase> {
  for (const scenario of file.scenarios) {
    const player = new ScenarioPlayer(file, scenario);
    for (const [index, { request }] of scenario.requests.entries()) {
      const label = `${request.method ?? 'GET'} ${request.host ?? ''}${request.path}`;
      yield {
        id: `${name}/${scenario.name}/${index} ${label}`,
        feature: name,
        run: () => player.run(index),
      };
    }
  }
}

class ScenarioPlayer {
  readonly #file: RoutingFile;
  readonly #scenario: Scenario;
  readonly #backend = new Backend();
  #gateway: Gateway | undefined;
  #ports: readonly number[] = [];

  constructor(file: RoutingFile, scenario: Scenario) {
    this.#file = file;
    this.#scenario = scenario;
  }

  async run(index: number): Promise<Outcome> {
    if (this.#gateway === undefined) await this.#start();
    const item = this.#scenario.requests[index];
    const outcome = item === undefined ? pass : await this.#play(item.request, item.result);
    if (index === this.#scenario.requests.length - 1) {
      await this.#gateway?.stop();
      await this.#backend.stop();
    }
    return outcome;
  }

  async #start(): Promise<void> {
    await this.#backend.start();
    const options: GatewayOptions = {
      flavor: this.#file.router_flavor,
      areDebugHeadersAllowed: true,
      config: this.#config(),
      proxy: [
        { host: '127.0.0.1', port: 0, publicPort: this.#file.proxy_http_port },
        { host: '127.0.0.1', port: 0, isTls: true, publicPort: this.#file.proxy_https_port },
      ],
      admin: false,
    };
    this.#gateway = new Gateway(options);
    const { proxy } = await this.#gateway.start();
    this.#ports = proxy.map((address) => address.port);
  }

  #config(): object {
    const { services, routes, extra } = this.#scenario;
    const document = {
      _format_version: '3.0',
      services,
      routes,
      ...extra,
    };
    return JSON.parse(
      JSON.stringify(document, (key, value: unknown) => {
        if (key === 'port' && value === recordedBackendPort) return this.#backend.port;
        return key === 'target' && typeof value === 'string'
          ? value.replace(`:${recordedBackendPort}`, `:${this.#backend.port}`)
          : value;
      }),
    ) as object;
  }

  async #play(request: Asked, result: Result): Promise<Outcome> {
    const isTls = request.scheme === 'https';
    this.#backend.requests.length = 0;
    const answer = await sendRaw({
      method: request.method ?? 'GET',
      path: request.path,
      host: request.host ?? 'x.invalid',
      headers: [['Kong-Debug', '1'], ...(request.headers ?? [])],
      body: request.body ?? undefined,
      port: this.#ports[isTls ? 1 : 0] ?? 0,
      isTls,
      sni: request.sni ?? undefined,
    });
    const route = answer.headers.get('kong-route-name') ?? null;
    if (answer.status !== result.status || route !== result.route) {
      return fail(
        `expected ${result.status} by route ${result.route}, got ${answer.status} by ${route}`,
      );
    }
    const service = answer.headers.get('kong-service-name') ?? null;
    if (service !== result.service) {
      return fail(`expected service ${result.service}, got ${service}`);
    }
    for (const name of ['upgrade', 'location'] as const) {
      const expected = result[name];
      if (expected !== undefined && answer.headers.get(name) !== expected) {
        return fail(`${name}: expected ${expected}, got ${answer.headers.get(name)}`);
      }
    }
    return this.#compareBody(result, answer.body) ?? this.#compareUpstream(result);
  }

  #compareBody(result: Result, text: string): Outcome | undefined {
    if (result.body === undefined) return undefined;
    const { request_id: _id, ...body } = JSON.parse(text) as Record<string, unknown>;
    const expected = JSON.stringify(result.body);
    return JSON.stringify(body) === expected
      ? undefined
      : fail(`body: expected ${expected}, got ${text}`);
  }

  #compareUpstream(result: Result): Outcome {
    const seen = this.#backend.requests.at(-1);
    for (const [name, recorded] of Object.entries(result.upstream ?? {})) {
      const expected =
        recorded?.replace(`:${recordedBackendPort}`, `:${this.#backend.port}`) ?? null;
      const actual =
        name === 'method' || name === 'url' ? seen?.[name] : (seen?.headers[name] ?? null);
      if (actual !== expected) {
        return fail(`upstream ${name}: expected ${expected}, got ${String(actual)}`);
      }
    }
    return pass;
  }
}
