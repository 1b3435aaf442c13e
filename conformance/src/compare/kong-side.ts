import { Agent, request } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { isObject } from '@waygate/text';
import { AnswerComparison } from '../drivers/kong-compare.ts';
import type { KongAnswer } from './answer-difference.ts';

/** Collections in the order in which they can be emptied. */
const collections = [
  ...['plugins', 'routes', 'services', 'consumers', 'upstreams', 'snis', 'certificates'],
  ...['ca_certificates', 'keys', 'key-sets', 'vaults'],
];

/** One of the two that are compared: its Admin API, and which of its ids stand for which of the table. */
export class KongSide {
  readonly #admin: URL;
  readonly #agent: Agent;
  /** Ids of the table → those that this one chose. */
  #ids = new AnswerComparison();

  constructor(admin: URL) {
    this.#admin = admin;
    const options = { keepAlive: true, timeout: 1_000 };
    this.#agent = admin.protocol === 'https:' ? new TlsAgent(options) : new Agent(options);
  }

  /** Sends a request of the table, in the ids of this side, and learns those of its answer. */
  async play(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    recorded: unknown,
  ): Promise<KongAnswer> {
    this.#ids.noteRequest(`${path}\n${body}`);
    const answer = await this.call(
      method,
      this.#ids.translate(path),
      headers,
      this.#ids.translate(body),
    );
    this.#ids.compare(recorded, answer.body);
    return answer;
  }

  /** What `GET /` says of its settings. */
  async settings(): Promise<Record<string, unknown>> {
    const { body } = await this.call('GET', '/');
    return isObject(body) && isObject(body.configuration) ? body.configuration : {};
  }

  /** The first port of each sort that it takes requests on. */
  async ports(): Promise<{ readonly http: number; readonly https: number }> {
    const { proxy_listeners: listeners } = await this.settings();
    const list = (Array.isArray(listeners) ? listeners : []).filter(isObject);
    const portOf = (isTls: boolean) => Number(list.find(({ ssl }) => ssl === isTls)?.port ?? 0);
    return { http: portOf(false), https: portOf(true) };
  }

  /** Puts a whole configuration in place, without a database. */
  async configure(config: string): Promise<void> {
    const { status, body } = await this.call('POST', '/config', json, config);
    if (status !== 201)
      throw new Error(`${this.#admin.origin} refuses it: ${JSON.stringify(body)}`);
  }

  async isEmpty(): Promise<boolean> {
    for (const collection of collections) {
      if ((await this.#list(collection)).length > 0) return false;
    }
    return true;
  }

  /** Takes out everything: what the requests of a file made is not there for the next. */
  async clear(isDbless: boolean): Promise<void> {
    this.#ids = new AnswerComparison();
    if (isDbless) {
      await this.call('POST', '/config', json, '{"_format_version":"3.0"}');
      return;
    }
    for (const collection of collections) {
      for (const id of await this.#list(collection)) {
        await this.call('DELETE', `/${collection}/${id}`);
      }
    }
  }

  call(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body = '',
  ): Promise<KongAnswer> {
    return new Promise((resolve, reject) => {
      const send = this.#admin.protocol === 'https:' ? requestTls : request;
      const base = this.#admin.pathname.replace(/\/$/, '');
      const sent = send(
        {
          host: this.#admin.hostname,
          port: this.#admin.port,
          method,
          path: `${base}${path.replaceAll(' ', '%20')}`,
          agent: this.#agent,
          rejectUnauthorized: false,
          headers: {
            ...headers,
            ...(body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) }),
          },
        },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () =>
            resolve({
              status: reply.statusCode ?? 0,
              headers: reply.headers,
              body: parsed(Buffer.concat(chunks).toString('utf8')),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body === '' ? undefined : body);
    });
  }

  /** Lets its connections go. */
  close(): void {
    this.#agent.destroy();
  }

  async #list(collection: string): Promise<readonly string[]> {
    const { body } = await this.call('GET', `/${collection}?size=1000`);
    const data = isObject(body) && Array.isArray(body.data) ? body.data : [];
    return data.flatMap((entity) => (isObject(entity) ? [String(entity.id)] : []));
  }
}

const json = { 'Content-Type': 'application/json' };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
