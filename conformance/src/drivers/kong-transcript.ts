import { Agent, request } from 'node:http';
import { Gateway } from '@waygate/gateway';
import { isObject } from '@waygate/text';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';
import { AnswerComparison } from './kong-compare.ts';

/** One recorded call of the Admin API. */
export interface Exchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** What differs from Kong by its nature: another program's memory, timers and settings. */
const partlyCompared: Readonly<Record<string, readonly string[]>> = {
  '/': ['version', 'tagline', 'edition'],
  '/status': [],
  '/timers': [],
};

/** Where the recorded Kong listened and kept its files, and who it ran as. */
const settingsOfPlace =
  /listen|ssl_enabled|_package_c?path|^pg_port$|^nginx_main|^admin_ssl_cert$|^nginx_(http|stream)_directives$/;

/** Settings as `GET /` shows them; of those that depend on the place only that they are there. */
function settingsOf(configuration: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(isObject(configuration) ? configuration : {}).map(([key, value]) => {
      const isOfPlace = settingsOfPlace.test(key) || /run\/|\/kong/.test(JSON.stringify(value));
      return [key, isOfPlace ? 'there' : value];
    }),
  );
}

const comparedHeaders = ['content-type', 'allow', 'access-control-allow-methods'];

/** Plays a file of exchanges against a gateway of our own, in order. */
export class Transcript {
  readonly #file: string;
  readonly #exchanges: readonly Exchange[];
  readonly #comparison = new AnswerComparison();
  readonly #outcomes: Outcome[] = [];
  #gateway: Gateway | undefined;
  #port = 0;
  #adminPort = 0;
  #state = '';
  #agent = new Agent({ keepAlive: true });

  constructor(file: string, exchanges: readonly Exchange[]) {
    this.#file = file;
    this.#exchanges = exchanges;
  }

  *cases(): Generator<ConformanceCase> {
    const seen = new Map<string, number>();
    for (const [index, exchange] of this.#exchanges.entries()) {
      const count = (seen.get(exchange.name) ?? 0) + 1;
      seen.set(exchange.name, count);
      const suffix = count === 1 ? '' : ` (${count})`;
      yield {
        id: `${this.#file}/${index} ${exchange.name}${suffix}`.replaceAll('\n', ' '),
        feature: featureOf(this.#file),
        run: () => this.#run(index),
      };
    }
  }

  /** Plays up to an exchange: each needs what those before it did. */
  async #run(index: number): Promise<Outcome> {
    if (this.#gateway === undefined) {
      await this.#start();
    }
    while (this.#outcomes.length <= index) {
      const exchange = this.#exchanges[this.#outcomes.length];
      this.#outcomes.push(exchange === undefined ? pass : await this.#play(exchange));
    }
    if (index === this.#exchanges.length - 1) {
      await this.stop();
    }
    return this.#outcomes[index] ?? fail('not played');
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#gateway?.stop();
    this.#gateway = undefined;
  }

  async #start(mode?: 'database'): Promise<void> {
    const isDbless =
      mode === undefined && (this.#file.startsWith('dbless') || this.#file.startsWith('status'));
    const isStatus = this.#file.startsWith('status');
    this.#agent = new Agent({ keepAlive: true });
    this.#gateway = new Gateway({
      mode: isDbless ? 'dbless' : 'database',
      takesUnrunnablePlugins: true,
      flavor: this.#file.includes('expressions') ? 'expressions' : 'traditional_compatible',
      areDebugHeadersAllowed: this.#file.includes('expressions'),
      proxy: [],
      ...(isStatus ? { status: { host: '127.0.0.1', port: 0 } } : {}),
    });
    const { admin, status } = await this.#gateway.start();
    this.#port = (isStatus ? status?.port : admin?.port) ?? 0;
    this.#adminPort = admin?.port ?? 0;
    if (!isDbless) {
      await this.#seed();
    }
  }

  /** Makes what a recording reads but was made before it began. */
  async #seed(): Promise<void> {
    const made = new Set<string>();
    const missing = new Map<string, { path: string; entity: Record<string, unknown> }>();
    for (const { request: call, response } of this.#exchanges) {
      if (call.method === 'GET' && response.status === 200 && isObject(response.body)) {
        const path = (call.path.split('?')[0] ?? '').split('/')[1] ?? '';
        const { data } = response.body;
        const isTop = /^\/[a-z_-]+(\?|$)/.test(call.path);
        for (const entity of Array.isArray(data) && isTop ? data : []) {
          if (isObject(entity) && typeof entity.id === 'string' && !made.has(entity.id)) {
            made.add(entity.id);
            missing.set(entity.id, { path, entity });
          }
        }
      }
      noteIds(response.body, made);
    }
    const order = ['services', 'consumers', 'upstreams', 'certificates', 'routes', 'plugins'];
    const sorted = [...missing.values()].sort(
      (a, b) => order.indexOf(a.path) - order.indexOf(b.path),
    );
    for (const { path, entity } of sorted) {
      await this.#call('PUT', `/${path}/${String(entity.id)}`, json, JSON.stringify(entity));
    }
    for (const call of this.#exchanges) {
      const parent = /^\/upstreams\/([^/]+)\/targets$/.exec(call.request.path);
      if (this.#file.startsWith('pg-inputs') && parent !== null) {
        await this.#call('PUT', `/upstreams/${parent[1]}`, json, '{}');
      }
    }
  }

  async #play(exchange: Exchange): Promise<Outcome> {
    const { request: call } = exchange;
    const text =
      call.body === null || call.body === undefined
        ? ''
        : typeof call.body === 'string'
          ? call.body
          : JSON.stringify(call.body);
    this.#comparison.noteRequest(`${decode(call.path)}\n${text}`);
    const path = this.#comparison.translate(call.path);
    const body = this.#comparison.translate(text);
    if (this.#file.startsWith('status')) await this.#enterState(exchange.name);
    const isConfig = call.path.startsWith('/config') && this.#file.startsWith('status');
    const answer = await this.#call(call.method, path, call.headers, body, isConfig);
    const outcome = this.#judge(exchange, answer);
    if (this.#file.startsWith('pg-inputs')) {
      await this.#undo(path, answer);
    }
    return outcome;
  }

  /** The names in the status file say which state Kong was in; it was brought there by other calls. */
  async #enterState(name: string): Promise<void> {
    const state = name.split(':')[0] ?? '';
    if (state === this.#state) return;
    this.#state = state;
    if (state.startsWith('postgres')) {
      await this.#gateway?.stop();
      await this.#start('database');
      return;
    }
    const services = [{ name: 's', host: 'h', port: 80 }];
    const configs: Readonly<Record<string, object>> = {
      'dbless after empty config': { _format_version: '3.0' },
      'dbless after config': { _format_version: '3.0', services },
      'dbless after bad config': { _format_version: '3.0', services: [{}] },
    };
    const config = configs[state];
    if (config !== undefined) {
      await this.#call('POST', '/config', json, JSON.stringify(config), true);
    }
  }

  #judge({ request: call, response }: Exchange, answer: Answer): Outcome {
    if (response.status === 500) return judgeInsteadOfFailure(call.method, answer);
    if (response.status !== answer.status) {
      const body = JSON.stringify(answer.body)?.slice(0, 500);
      return fail(`status ${response.status} expected, got ${answer.status}: ${body}`);
    }
    for (const name of comparedHeaders) {
      const expected = response.headers[name];
      const isSame = String(answer.headers[name] ?? '').toLowerCase() === expected?.toLowerCase();
      if (expected !== undefined && call.method !== 'HEAD' && !isSame) {
        return fail(`header ${name}: expected ${expected}, got ${String(answer.headers[name])}`);
      }
    }
    if (call.method === 'HEAD') {
      return pass;
    }
    const path = call.path.split('?')[0] ?? '';
    if (path === '/metrics') {
      return typeof answer.body === 'string' ? pass : fail('no text');
    }
    if (isLostCause(response.body)) {
      return pass;
    }
    const parts = partlyCompared[path];
    const isSchema = /^\/(schemas|plugins\/schema)\//.test(path);
    const recorded = isSchema ? withoutProse(response.body, response.body) : response.body;
    const answered = isSchema ? withoutProse(answer.body, response.body) : answer.body;
    const difference =
      parts === undefined || !isObject(recorded) || !isObject(answer.body)
        ? this.#comparison.compare(recorded, answered)
        : this.#comparePartly(parts, recorded, answer.body);
    return difference === undefined ? pass : fail(difference);
  }

  #comparePartly(
    parts: readonly string[],
    expected: Readonly<Record<string, unknown>>,
    actual: Readonly<Record<string, unknown>>,
  ): string | undefined {
    for (const key of Object.keys(expected)) {
      if (actual[key] === undefined) {
        return `$.${key} is missing`;
      }
    }
    for (const key of parts) {
      const difference = this.#comparison.compare(expected[key], actual[key], `$.${key}`);
      if (difference !== undefined) return difference;
    }
    const { plugins, configuration } = expected;
    if (isObject(configuration)) {
      const difference = this.#comparison.compare(
        settingsOf(configuration),
        settingsOf(actual.configuration),
        '$.configuration',
      );
      if (difference !== undefined) return difference;
    }
    return isObject(plugins)
      ? this.#comparison.compare(plugins, actual.plugins, '$.plugins')
      : undefined;
  }

  async #undo(path: string, answer: Answer): Promise<void> {
    if (answer.status === 201 && isObject(answer.body)) {
      const { id } = answer.body;
      await this.#call('DELETE', `${path.split('?')[0]}/${String(id)}`, {}, '');
    }
  }

  #call(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    isAdmin = false,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port: isAdmin ? this.#adminPort : this.#port,
          method,
          path: encodeURI(decode(path)) === path ? path : path.replaceAll(' ', '%20'),
          agent: this.#agent,
          headers: {
            ...headers,
            ...(body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: parseBody(text, response.headers['content-type']),
            });
          });
        },
      );
      call.on('error', reject);
      call.end(body === '' ? undefined : body);
    });
  }
}

const json = { 'Content-Type': 'application/json' };

/** Kong loses the cause of some errors when it flattens them; to name it is better. */
function isLostCause(body: unknown): boolean {
  return (
    isObject(body) &&
    isEmpty(body.flattened_errors) &&
    isEmpty(body.fields) &&
    typeof body.message === 'string'
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * A schema without the sentences that explain it, which are Kong's own writing: of those there is left that
 * a field has one, where the recorded one does.
 */
function withoutProse(value: unknown, recorded: unknown): unknown {
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(recorded) ? recorded : [];
    return value.map((item, index) => withoutProse(item, others[index]));
  }
  if (!isObject(value)) return value;
  const other = isObject(recorded) ? recorded : {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'deprecation' && (key !== 'description' || key in other))
      .map(([key, item]) => [
        key,
        key === 'description' ? typeof item : withoutProse(item, other[key]),
      ]),
  );
}

function parseBody(text: string, type: string | undefined): unknown {
  if (text === '') return null;
  return type?.includes('json') ? JSON.parse(text) : text;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function noteIds(value: unknown, ids: Set<string>): void {
  if (isObject(value) && typeof value.id === 'string') ids.add(value.id);
}

function featureOf(file: string): string {
  return file.replace(/^(pg|dbless)-(inputs|validate|flatten-ids|flatten)-.*/, '$1 $2');
}

/**
 * Kong failed here, so that there is no answer to compare with. What was asked for is refused with a
 * word of why; what was only a question may also be answered, and what is not there be deleted.
 */
function judgeInsteadOfFailure(method: string, { status, body }: Answer): Outcome {
  const message = isObject(body) ? body.message : undefined;
  const isRefused = status >= 400 && status < 500 && typeof message === 'string' && message !== '';
  const isAnswered =
    method === 'GET' && status === 200 && isObject(body) && Array.isArray(body.data);
  const isGone = method === 'DELETE' && status === 204;
  if (isRefused || isAnswered || isGone) return pass;
  return fail(`Kong failed; answered ${status} ${JSON.stringify(body)?.slice(0, 200)}`);
}
