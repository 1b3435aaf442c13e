import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { KubeClient, staticToken } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { type DynamicObject, type Kind, kinds } from '@waygate/schema';
import { parseAddressRanges } from '@waygate/text';
import type { Session } from '../protocol/pages.ts';
import type { TopicSnapshot } from '../protocol/stream.ts';
import { Dashboard } from '../server/dashboard.ts';
import { DashboardCore } from '../server/dashboard-core.ts';
import { BearerToken } from '../sign-in/bearer-token.ts';
import { OneTimeToken } from '../sign-in/one-time-token.ts';
import { People } from '../sign-in/people.ts';
import { ProxyHeaders } from '../sign-in/proxy-headers.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { EventReader } from './event-reader.ts';

/** The API that a dashboard asks in a test. */
export interface DashboardApi {
  readonly url: string;
  readonly adminToken: string;
  stop(): Promise<void>;
}

/** Who has a namespace of their own, and a token that the API must know. */
const tenants = ['anna', 'bert'] as const;

/** Tokens of the tenants, for the API. */
export const tenantTokens = tenants.map((username) => ({
  token: `token-of-${username}`,
  username,
}));

/** What stands in Secrets, settings and defects, and may come out nowhere. */
export const canary = 'canary-93Kd';

/** Headers of a tenant. */
export const as = (name: string) => ({ authorization: `Bearer token-of-${name}` });

const objectOf = (tags: readonly string[]) => {
  const [namespace, name] = (tags[0] ?? '').split('/');
  if (namespace === undefined || name === undefined) return undefined;
  return { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', namespace, name };
};

/** What the dashboard answered. */
export interface DashboardAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A page that hears of changes. */
export interface OpenStream {
  readonly reader: EventReader;
  readonly asked: ClientRequest;
  readonly answer: IncomingMessage;
}

/** A dashboard over sockets: two tenants with a route each, and a door for the owner. */
export class DashboardStage implements AsyncDisposable {
  readonly core: DashboardCore;
  /** Gives the address out that opens once. */
  readonly door: OneTimeToken;
  /** What the log was told. */
  readonly defects: string[] = [];
  port = 0;
  readonly #api: DashboardApi;
  readonly #client: KubeClient;
  readonly #people: People;
  readonly #dashboard: Dashboard;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** The API must know {@link tenantTokens}; it is stopped with the stage. */
  static async start(api: DashboardApi): Promise<DashboardStage> {
    const stage = new DashboardStage(api);
    await stage.#start();
    return stage;
  }

  private constructor(api: DashboardApi) {
    this.#api = api;
    const config = {
      server: api.url,
      namespace: 'default',
      credentials: staticToken(api.adminToken),
    };
    const client = new KubeClient(config);
    const core = new DashboardCore({ client, kinds: [kinds.Ingress as unknown as Kind], objectOf });
    const shared = { cookie: 'test', isSecure: false, clock: systemClock };
    const sessions = new Sessions(shared);
    const people = new People(config);
    this.door = new OneTimeToken(sessions, { name: 'owner', key: 'owner', client });
    const trusted = parseAddressRanges(['127.0.0.1'])!;
    this.#dashboard = new Dashboard({
      core,
      signIns: [
        this.door,
        new BearerToken(people, sessions, systemClock),
        new ProxyHeaders({
          people,
          sessions,
          trusted,
          userHeader: 'x-user',
          groupHeader: 'x-groups',
        }),
      ],
      cluster: 'test',
      version: '0',
      trace: {
        trace: async () => {
          throw new Error(`a defect that knows ${canary}`);
        },
      },
      onError: (error) => this.defects.push(String(error)),
    });
    this.#client = client;
    this.#people = people;
    this.core = core;
  }

  async #start(): Promise<void> {
    for (const name of tenants) await this.#grant(name);
    const secret = { metadata: { name: 'keys', namespace: 'anna' }, stringData: { a: canary } };
    await this.#client.resource(kinds.Secret).create(secret as never);
    this.port = (await this.#dashboard.listen()).port;
    const { signal } = this.#stop;
    this.#running.push(this.core.run(signal), this.#dashboard.run(signal));
    for (const name of tenants) this.putRoute(name, `route-of-${name}`);
  }

  /** A namespace of their own, in which they may read Ingresses and Services. */
  async #grant(name: string): Promise<void> {
    const create = (kind: Kind, object: object) =>
      this.#client.resource(kind).create(object as DynamicObject);
    await create(kinds.Namespace as unknown as Kind, { metadata: { name } });
    await create(kinds.Role as unknown as Kind, {
      metadata: { name: 'reader', namespace: name },
      rules: [
        { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['services'], verbs: ['get', 'list'] },
      ],
    });
    await create(kinds.RoleBinding as unknown as Kind, {
      metadata: { name: 'reader', namespace: name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
    });
  }

  /** A route of a tenant comes, or is another. */
  putRoute(tenant: string, name: string): void {
    this.core.view.changeEntity('routes', name, { id: name, name, tags: [`${tenant}/${name}`] });
    // Whatever tells of a change makes it seen.
    this.core.setReported([]);
  }

  ask(
    path: string,
    headers: Readonly<Record<string, string | string[]>> = {},
    options: { readonly method?: string; readonly body?: string; readonly from?: string } = {},
  ): Promise<DashboardAnswer> {
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          headers,
          method: options.method ?? 'GET',
          agent: false,
          ...(options.from === undefined ? {} : { localAddress: options.from }),
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => (text += part));
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(options.body);
    });
  }

  /** The cookie of the owner, who came through the door, and the token of the session. */
  async owner(): Promise<{ readonly cookie: string; readonly token: string }> {
    const { headers } = await this.ask(`/?token=${this.door.renew()}`);
    const cookie = (headers['set-cookie']?.[0] ?? '').split(';')[0]!;
    const session = JSON.parse((await this.ask('/api/session', { cookie })).text) as Session;
    return { cookie, token: session.csrfToken };
  }

  /** The names of the routes that somebody sees. */
  async routesOf(headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const { text } = await this.ask('/api/routes', headers);
    return (JSON.parse(text) as TopicSnapshot<'routes'>).items.map(({ name }) => name).sort();
  }

  openStream(headers: Readonly<Record<string, string>>, path: string): Promise<OpenStream> {
    return new Promise((resolve, reject) => {
      const reader = new EventReader();
      const asked = request(
        { host: '127.0.0.1', port: this.port, path, headers, agent: false },
        (answer) => {
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => reader.push(part));
          answer.on('error', () => undefined);
          resolve({ reader, asked, answer });
        },
      );
      asked.on('error', reject);
      asked.end();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#people.close();
    await Promise.all(this.#running);
    await this.#client.close();
    await this.#api.stop();
  }
}
