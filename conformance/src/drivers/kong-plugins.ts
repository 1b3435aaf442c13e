import { Gateway } from '@waygate/gateway';
import { isObject } from '@waygate/text';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';
import { Backend } from './kong-backend.ts';
import { type RawAnswer, sendRaw } from './kong-client.ts';
import { pluginConfig } from './kong-plugin-config.ts';

/** One recorded request through a plugin. */
export interface PluginExchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly scheme: string;
    readonly host: string;
    readonly path: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string | null;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  /** What the backend answered it saw. */
  readonly backend_saw?: unknown;
}

const ports = { http: 28_000, https: 28_443 };
/** Chosen by chance or by the clock, or about a single connection. */
const volatile: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'keep-alive',
  'x-kong-request-id',
  'x-kong-upstream-latency',
  'x-kong-proxy-latency',
  'x-kong-response-latency',
  'x-cache-key',
  'x-cid',
  'ratelimit-reset',
  'retry-after',
  'set-cookie',
]);
/** In bodies also: ids and times. */
const volatileFields: ReadonlySet<string> = new Set([
  'request_id',
  'x-kong-request-id',
  'x-credential-identifier',
  'x-cid',
  'connection',
  'port',
  'created_at',
  'updated_at',
  'node_id',
  'worker_pid',
  'hostname',
  'ws_id',
]);

export function* pluginCases(
  name: string,
  exchanges: readonly PluginExchange[],
): Generator<ConformanceCase> {
  const player = new PluginPlayer(exchanges);
  for (const [index, exchange] of exchanges.entries()) {
    yield {
      id: `${name}/${index} ${exchange.name}`,
      feature: name,
      run: () => player.run(index),
    };
  }
}

/** Plays the exchanges in order: counters and caches carry over. */
class PluginPlayer {
  readonly #exchanges: readonly PluginExchange[];
  readonly #outcomes: Outcome[] = [];
  readonly #backend = new Backend();
  #gateway: Gateway | undefined;
  #ports: readonly number[] = [];

  constructor(exchanges: readonly PluginExchange[]) {
    this.#exchanges = exchanges;
  }

  async run(index: number): Promise<Outcome> {
    if (this.#gateway === undefined) await this.#start();
    while (this.#outcomes.length <= index) {
      const exchange = this.#exchanges[this.#outcomes.length];
      this.#outcomes.push(exchange === undefined ? pass : await this.#play(exchange));
    }
    if (index === this.#exchanges.length - 1) {
      await this.#gateway?.stop();
      await this.#backend.stop();
    }
    return this.#outcomes[index] ?? fail('not played');
  }

  async #start(): Promise<void> {
    await this.#backend.start();
    const recordedAt = this.#recordedAt();
    const startedAt = performance.now();
    this.#gateway = new Gateway({
      config: pluginConfig(this.#backend.port),
      now: () => recordedAt + performance.now() - startedAt,
      proxy: [
        { host: '127.0.0.1', port: 0, publicPort: ports.http },
        { host: '127.0.0.1', port: 0, isTls: true, publicPort: ports.https },
      ],
      admin: false,
    });
    const { proxy } = await this.#gateway.start();
    this.#ports = proxy.map((address) => address.port);
  }

  /** Signed requests carry the time at which they were made, and are good for a while only. */
  #recordedAt(): number {
    const dates = this.#exchanges.flatMap(({ request }) =>
      request.headers.filter(([name]) => name === 'Date').map(([, date]) => Date.parse(date)),
    );
    return Math.max(...dates, 0) || Date.now();
  }

  async #play({ request, response, backend_saw }: PluginExchange): Promise<Outcome> {
    const isTls = request.scheme === 'https';
    const answer = await sendRaw({
      method: request.method,
      path: request.path,
      host: request.host,
      headers: request.headers,
      body: request.body ?? undefined,
      port: this.#ports[isTls ? 1 : 0] ?? 0,
      isTls,
    });
    if (answer.status !== response.status) {
      return fail(`status ${response.status} expected, got ${answer.status}: ${answer.body}`);
    }
    return (
      compareHeaders(response.headers, answer) ?? this.#compareBody(response, backend_saw, answer)
    );
  }

  #compareBody(
    response: PluginExchange['response'],
    backendSaw: unknown,
    answer: RawAnswer,
  ): Outcome {
    const expected = backendSaw ?? response.body;
    if (expected === undefined || expected === null || expected === '') return pass;
    const actual = answer.headers.get('content-type')?.includes('json')
      ? (JSON.parse(answer.body) as unknown)
      : answer.body;
    const text = (value: unknown) =>
      JSON.stringify(stable(value)).replaceAll(String(this.#backend.port), '20080');
    const withoutIds = (value: string) => value.replace(/request_id: [0-9a-f]{32}/, '');
    return withoutIds(text(expected)) === withoutIds(text(actual))
      ? pass
      : fail(`body: expected ${text(expected)}, got ${text(actual)}`);
  }
}

/** How headers differ from those that are expected, what is volatile aside. */
export function compareHeaders(
  expected: Readonly<Record<string, string>>,
  answer: RawAnswer,
): Outcome | undefined {
  for (const [name, value] of Object.entries(expected)) {
    const actual = answer.headers.get(name);
    if (actual === undefined) return fail(`header ${name} is missing`);
    const isSame = volatile.has(name) || name === 'content-length' || actual === value;
    if (!isSame) return fail(`header ${name}: expected ${value}, got ${actual}`);
  }
  for (const name of answer.headers.keys()) {
    if (expected[name] === undefined && !volatile.has(name))
      return fail(`unexpected header ${name}`);
  }
  return undefined;
}

/** A value with its keys sorted and without what is volatile. */
export function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !volatileFields.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, stable(item)]),
  );
}
