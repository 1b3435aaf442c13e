import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { type DynamicObject, type Kind, kinds } from '@waygate/schema';
import { parseAddressRanges } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../protocol/pages.ts';
import type { TopicSnapshot } from '../protocol/stream.ts';
import { BearerToken } from '../sign-in/bearer-token.ts';
import { OneTimeToken } from '../sign-in/one-time-token.ts';
import { People } from '../sign-in/people.ts';
import { ProxyHeaders } from '../sign-in/proxy-headers.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { EventReader } from '../testing/event-reader.ts';
import { Dashboard } from './dashboard.ts';
import { DashboardCore } from './dashboard-core.ts';

const objectOf = (tags: readonly string[]) => {
  const [namespace, name] = (tags[0] ?? '').split('/');
  if (namespace === undefined || name === undefined) return undefined;
  return { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', namespace, name };
};

let api: TestServer;
let client: KubeClient;
let core: DashboardCore;
let port = 0;
let door: OneTimeToken;
const stop = new AbortController();
const running: Promise<void>[] = [];

const tenants = ['anna', 'bert'] as const;
const defects: string[] = [];
const canary = 'canary-93Kd';

beforeAll(async () => {
  api = await startTestServer({
    tokens: tenants.map((username) => ({ token: `token-of-${username}`, username })),
  });
  const config = {
    server: api.url,
    namespace: 'default',
    credentials: staticToken(api.adminToken),
  };
  client = new KubeClient(config);
  for (const name of tenants) await grant(name);
  const secret = { metadata: { name: 'keys', namespace: 'anna' }, stringData: { a: canary } };
  await client.resource(kinds.Secret).create(secret as never);
  core = new DashboardCore({ client, kinds: [kinds.Ingress as unknown as Kind], objectOf });
  const shared = { cookie: 'test', isSecure: false, clock: systemClock };
  const sessions = new Sessions(shared);
  const people = new People(config);
  door = new OneTimeToken(sessions, { name: 'owner', key: 'owner', client });
  const trusted = parseAddressRanges(['127.0.0.1'])!;
  const dashboard = new Dashboard({
    core,
    signIns: [
      door,
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
    onError: (error) => defects.push(String(error)),
  });
  port = (await dashboard.listen()).port;
  running.push(core.run(stop.signal), dashboard.run(stop.signal));
  stop.signal.addEventListener('abort', () => people.close());
  for (const name of tenants) putRoute(name, `route-of-${name}`);
});

afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  await client.close();
  await api.stop();
});

/** A namespace of their own, in which they may read Ingresses and Services. */
async function grant(name: string): Promise<void> {
  const create = (kind: Kind, object: object) =>
    client.resource(kind).create(object as DynamicObject);
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

function putRoute(tenant: string, name: string): void {
  core.view.changeEntity('routes', name, { id: name, name, tags: [`${tenant}/${name}`] });
  // Whatever tells of a change makes it seen.
  core.setReported([]);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

function ask(
  path: string,
  headers: Readonly<Record<string, string | string[]>> = {},
  options: { readonly method?: string; readonly body?: string; readonly from?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
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

const as = (name: string) => ({ authorization: `Bearer token-of-${name}` });

async function routesOf(headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { text } = await ask('/api/routes', headers);
  return (JSON.parse(text) as TopicSnapshot<'routes'>).items.map(({ name }) => name).sort();
}

function openStream(
  headers: Readonly<Record<string, string>>,
  path: string,
): Promise<{
  readonly reader: EventReader;
  readonly asked: ClientRequest;
  readonly answer: IncomingMessage;
}> {
  return new Promise((resolve, reject) => {
    const reader = new EventReader();
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => reader.push(part));
      answer.on('error', () => undefined);
      resolve({ reader, asked, answer });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('who may look', () => {
  test('nobody without a sign-in', async () => {
    for (const path of ['/api/session', '/api/routes', '/api/stream?topics=routes', '/api/flow']) {
      const { status, text } = await ask(path);
      expect([path, status]).toEqual([path, 401]);
      expect(JSON.parse(text)).toMatchObject({
        error: { code: 'WG_DASHBOARD_UNAUTHENTICATED' },
        signIn: { token: true },
      });
    }
    expect((await ask('/api/session', { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test('whoever has the token of the address, once', async () => {
    const path = `/?token=${door.renew()}`;
    const first = await ask(path);
    expect([first.status, first.headers.location]).toEqual([303, '/']);
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^test=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/;/);
    const signedIn = { cookie: cookie.split(';')[0]! };
    expect(JSON.parse((await ask('/api/session', signedIn)).text)).toMatchObject({ user: 'owner' });
    const second = await ask(path);
    expect([second.status, second.headers['set-cookie']]).toEqual([303, undefined]);
    await expect.poll(() => routesOf(signedIn)).toEqual(['route-of-anna', 'route-of-bert']);
  });

  test('a tenant, at what is theirs', async () => {
    await expect.poll(() => routesOf(as('anna'))).toEqual(['route-of-anna']);
    await expect.poll(() => routesOf(as('bert'))).toEqual(['route-of-bert']);
    for (const topic of ['flow', 'routes', 'problems', 'changes', 'traffic'])
      expect((await ask(`/api/${topic}`, as('anna'))).text).not.toContain('bert');
    const { namespaces } = JSON.parse((await ask('/api/session', as('anna'))).text) as Session;
    expect(namespaces).toEqual(['anna']);
  });

  test('whoever the proxy names, and nobody of the cluster itself', async () => {
    await expect.poll(() => routesOf({ 'x-user': 'anna' })).toEqual(['route-of-anna']);
    expect((await ask('/api/session', { 'x-user': 'system:admin' })).status).toBe(401);
    const masked = await ask('/api/routes', { 'x-user': 'carl', 'x-groups': 'system:masters' });
    expect(JSON.parse(masked.text)).toMatchObject({ items: [] });
  });

  // Only Linux has more than one address of its own to call from.
  test.skipIf(process.platform !== 'linux')(
    'whom another than the proxy names, is nobody',
    async () => {
      const named = { 'x-user': 'anna' };
      expect((await ask('/api/session', named)).status).toBe(200);
      expect((await ask('/api/session', named, { from: '127.0.0.2' })).status).toBe(401);
      // Nor is it who says that they come from there.
      const claimed = { ...named, 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' };
      expect((await ask('/api/session', claimed, { from: '127.0.0.2' })).status).toBe(401);
      // One name came through the proxy, the other is its own: which is which, nobody knows.
      expect((await ask('/api/session', { 'x-user': ['bert', 'anna'] })).status).toBe(401);
    },
  );

  test('with a token that is exchanged for a cookie, until it is given back', async () => {
    const json = { 'content-type': 'application/json' };
    const wrong = { method: 'POST', body: JSON.stringify({ token: 'wrong' }) };
    expect((await ask('/api/sign-in', json, wrong)).status).toBe(401);
    const body = JSON.stringify({ token: 'token-of-anna' });
    const { status, headers } = await ask('/api/sign-in', json, { method: 'POST', body });
    expect(status).toBe(204);
    const cookie = { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0]! };
    const session = JSON.parse((await ask('/api/session', cookie)).text) as Session;
    expect(session.user).toBe('anna');
    await ask('/api/sign-out', cookie, { method: 'POST' });
    expect((await ask('/api/session', cookie)).status).toBe(401);
  });
});

describe('pages of other origins', () => {
  test('are refused by Host, Origin and Sec-Fetch-Site', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect((await ask('/api/session', { ...as('anna'), ...headers })).status).toBe(403);
    const sameOrigin = { origin: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}` };
    expect((await ask('/api/session', { ...as('anna'), ...sameOrigin })).status).toBe(200);
  });

  test('may link to a page, and to nothing else', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const page = await ask('/trace?url=http://shop.test/', link);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await ask('/api/routes', { ...as('anna'), ...link })).status).toBe(403);
  });

  test('what is served runs nothing inline and stands in no frame', async () => {
    const { headers } = await ask('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const again = await ask('/', { 'if-none-match': String(headers.etag) });
    expect(again.status).toBe(304);
    expect((await ask('/assets/gone.js')).status).toBe(404);
  });
});

describe('what is asked for one at a time', () => {
  const owner = async () => {
    const { headers } = await ask(`/?token=${door.renew()}`);
    const cookie = (headers['set-cookie']?.[0] ?? '').split(';')[0]!;
    const session = JSON.parse((await ask('/api/session', { cookie })).text) as Session;
    return { cookie, token: session.csrfToken };
  };
  const json = { 'content-type': 'application/json' };

  test('changes nothing without the token of the session', async () => {
    const { cookie, token } = await owner();
    const object = { group: '', version: 'v1', kind: 'Service', namespace: 'anna', name: 'x' };
    const body = JSON.stringify({ action: 'reconcile', object });
    const act = (headers: Readonly<Record<string, string>>) =>
      ask('/api/actions', { ...json, cookie, ...headers }, { method: 'POST', body });
    for (const headers of [{}, { 'x-waygate-csrf': 'wrong' }, { 'x-waygate-csrf': '' }]) {
      const { status, text } = await act(headers as Record<string, string>);
      expect([status, text]).toEqual([400, expect.stringContaining('x-waygate-csrf')]);
    }
    const right = await act({ 'x-waygate-csrf': token });
    expect([right.status, right.text]).toEqual([400, expect.stringContaining('no reconcile')]);
    const foreign = { 'x-waygate-csrf': token, origin: 'https://evil.example' };
    expect((await act(foreign)).status).toBe(403);
  });

  test('a defect is answered, and its words are for the log alone', async () => {
    const { cookie, token } = await owner();
    const headers = { ...json, cookie, 'x-waygate-csrf': token };
    const body = JSON.stringify({ url: 'http://x/' });
    const { status, text } = await ask('/api/trace', headers, { method: 'POST', body });
    expect([status, text]).toEqual([500, expect.stringContaining('WG_DASHBOARD_INTERNAL')]);
    expect(text).not.toContain(canary);
    expect(defects).toEqual([expect.stringContaining('a defect that knows')]);
  });

  test('asks the API as the person, and shows no secret', async () => {
    const { cookie } = await owner();
    const page = await ask('/api/objects/core/v1/Secret/anna/keys', { cookie });
    expect(JSON.parse(page.text)).toMatchObject({
      object: { kind: 'Secret', namespace: 'anna', name: 'keys' },
      yaml: expect.stringContaining("a: '***'"),
      fieldOwners: [{ fields: expect.arrayContaining(['data.a']) }],
    });
    expect((await ask('/api/objects/core/v1/Secret/anna/keys', as('anna'))).status).toBe(403);
    expect((await ask('/api/objects/core/v1/Service/bert/x', as('anna'))).status).toBe(403);
    expect((await ask('/api/objects/core/v1/Service/anna/gone', as('anna'))).status).toBe(404);
    expect((await ask('/api/objects/a.test/v1/Nothing/anna/x', as('anna'))).status).toBe(404);
  });

  test('a change is told to those whom it is about, masked', async () => {
    const { cookie } = await owner();
    const ingress = (namespace: string) => ({
      group: 'networking.k8s.io',
      version: 'v1',
      kind: 'Ingress',
      namespace,
      name: 'web',
    });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'k' },
      data: { x: canary },
    };
    core.note({
      kind: 'apply',
      at: 1,
      subject: { ...ingress('flux'), kind: 'Kustomization' },
      revision: `main@sha1:${'e'.repeat(40)}`,
      objects: [
        { object: ingress('anna'), action: 'created', after: secret },
        { object: ingress('bert'), action: 'created', after: secret },
      ],
      entities: [
        {
          collection: 'plugins',
          name: 'key-auth',
          object: ingress('anna'),
          before: undefined,
          after: { id: 'p', name: 'rate-limiting', config: { redis: { password: canary } } },
        },
      ],
    });
    const changesOf = async (headers: Readonly<Record<string, string>>) =>
      (JSON.parse((await ask('/api/changes', headers)).text) as TopicSnapshot<'changes'>).items;
    await expect.poll(async () => (await changesOf(as('anna'))).length).toBe(1);
    const [change] = await changesOf(as('anna'));
    const detail = await ask(`/api/changes/${change!.id}`, as('anna'));
    expect(JSON.parse(detail.text).objects).toHaveLength(1);
    expect(detail.text).not.toMatch(/bert|flux|eeee/);
    const whole = await ask(`/api/commits/${'e'.repeat(40)}`, { cookie });
    expect(JSON.parse(whole.text).changes[0].objects).toHaveLength(2);
    expect(detail.text + whole.text).not.toContain(canary);
    expect((await ask('/api/changes/gone', as('anna'))).status).toBe(404);
  });

  test('nothing that is planted as a secret comes out anywhere', async () => {
    const { cookie } = await owner();
    core.view.changeEntity('plugins', 'planted', {
      id: 'planted',
      name: 'key-auth',
      config: { client_secret: canary },
      tags: ['anna/x'],
    });
    core.setReported([]);
    await expect
      .poll(async () => (await ask('/api/routes', { cookie })).text)
      .toContain('"key-auth"');
    const { reader, asked } = await openStream({ cookie }, '/api/stream?topics=changes');
    const entity = (redis: { readonly password: string }) => ({
      id: 'limit',
      name: 'rate-limiting',
      config: { redis },
    });
    core.note({
      kind: 'sync',
      at: Date.now(),
      entities: [
        {
          collection: 'plugins',
          name: 'limit-of-all',
          object: undefined,
          before: entity({ password: `${canary}-old` }),
          after: entity({ password: canary }),
        },
      ],
    });
    const told = (): string => JSON.stringify(reader.events);
    await expect.poll(told).toContain('the gateway took');
    asked.destroy();
    const changes = JSON.parse((await ask('/api/changes', { cookie })).text) as {
      readonly items: readonly { readonly id: string }[];
    };
    const paths = changes.items.map(({ id }) => `/api/changes/${id}`);
    const pages = await Promise.all(
      [...paths, '/api/objects/core/v1/Secret/anna/keys'].map((path) => ask(path, { cookie })),
    );
    const said = pages.map(({ text }) => text).join('');
    expect(said).toContain('rate-limiting');
    expect(said + told()).not.toContain(canary);
    const topics = ['flow', 'routes', 'problems', 'changes', 'traffic'];
    const answers = await Promise.all(topics.map((topic) => ask(`/api/${topic}`, { cookie })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.map(({ text }) => text).join('')).not.toContain(canary);
  });
});

describe('the stream', () => {
  test('goes on behind a snapshot, and behind a lost connection, and tells a tenant nothing of others', async () => {
    await expect.poll(() => routesOf(as('anna'))).toEqual(['route-of-anna']);
    const { version } = JSON.parse((await ask('/api/routes', as('anna'))).text) as TopicSnapshot;
    const first = await openStream(as('anna'), `/api/stream?topics=routes:${version},problems`);
    putRoute('bert', 'second-of-bert');
    putRoute('anna', 'second-of-anna');
    await expect.poll(() => JSON.stringify(first.reader.events)).toContain('second-of-anna');
    first.asked.destroy();
    putRoute('anna', 'third-of-anna');
    core.view.changeEntity('routes', 'second-of-anna', undefined);
    core.view.changeEntity('routes', 'second-of-bert', undefined);
    core.setReported([]);
    const again = { ...as('anna'), 'last-event-id': first.reader.lastId };
    const second = await openStream(again, `/api/stream?topics=routes:${version},problems`);
    await expect.poll(() => JSON.stringify(second.reader.events)).toContain('third-of-anna');
    const text = JSON.stringify([...first.reader.events, ...second.reader.events]);
    expect(text).not.toContain('bert');
    const puts = [...first.reader.events, ...second.reader.events].flatMap(({ message }) =>
      'put' in message ? (message.put ?? []).map(({ id }) => id) : [],
    );
    expect(puts).toEqual(['second-of-anna', 'third-of-anna']);
    const drops = second.reader.events.flatMap(({ message }) =>
      'drop' in message ? message.drop : [],
    );
    expect(drops).toEqual(['second-of-anna']);
    second.asked.destroy();
    await expect.poll(() => core.hub.pageCount).toBe(0);
  });

  test('holds nothing for a reader that does not read, and brings it up to date when it does', async () => {
    const { version } = JSON.parse((await ask('/api/routes', as('anna'))).text) as TopicSnapshot;
    const { reader, asked, answer } = await openStream(
      as('anna'),
      `/api/stream?topics=routes:${version}`,
    );
    answer.pause();
    const long = 'x'.repeat(20_000);
    // More than the sockets of both sides and the limit hold together, each time the same route.
    for (let round = 0; round < 800; round += 1) {
      const item = { id: 'big', name: 'big', paths: [`/${round}${long}`], tags: ['anna/big'] };
      core.view.changeEntity('routes', 'big', item);
      core.hub.publish('routes', core.view.settle().routes);
      if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    answer.resume();
    await expect
      .poll(() => JSON.stringify(reader.events.at(-1)?.message).includes(`/799${long}`))
      .toBe(true);
    // What it missed is not sent after all: only how it ended.
    expect(reader.events.length).toBeLessThan(700);
    asked.destroy();
  });

  test('refuses a topic that is none', async () => {
    expect((await ask('/api/stream?topics=secrets', as('anna'))).status).toBe(400);
  });
});
