import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';

type Item = Record<string, unknown>;
type Document = Record<string, unknown>;

let backend: Server;
let port = 0;
let pairs: readonly CertificatePair[];
const gateways: Gateway[] = [];

beforeAll(async () => {
  backend = createServer((_request, reply) => reply.end('ok'));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  port = (backend.address() as AddressInfo).port;
  pairs = await Promise.all([makeCertificate('a.test'), makeCertificate('b.test')]);
});

afterAll(() => backend.close());

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

let counter = 0;
const uuid = (): string => {
  counter += 1;
  return `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`;
};

/** One of each kind, nested as deep as it goes. */
function nested(): Document {
  return {
    _format_version: '3.0',
    services: [
      {
        name: 'shop',
        host: 'pool',
        plugins: [{ name: 'correlation-id' }],
        routes: [
          {
            name: 'keyed',
            paths: ['/keyed'],
            plugins: [
              { name: 'key-auth' },
              { name: 'acl', config: { allow: ['staff'] } },
              {
                name: 'rate-limiting',
                config: { year: 50, policy: 'local', limit_by: 'credential' },
              },
            ],
          },
          { name: 'basic', paths: ['/basic'], plugins: [{ name: 'basic-auth' }] },
        ],
      },
      // Neither has a name: what is written in them has to do.
      { host: '127.0.0.1', port, routes: [{ paths: ['/plain'] }, { paths: ['/also'] }] },
    ],
    upstreams: [
      {
        name: 'pool',
        healthchecks: { passive: { unhealthy: { http_failures: 1 } } },
        targets: [{ target: `127.0.0.1:${port}` }, { target: '127.0.0.1:1' }],
      },
    ],
    consumers: [
      {
        username: 'ann',
        keyauth_credentials: [{ key: 'k1' }, { key: 'k2' }],
        basicauth_credentials: [{ username: 'ann', password: 'p1' }],
        hmacauth_credentials: [{ username: 'ann', secret: 's' }],
        jwt_secrets: [{ key: 'j1', secret: 's', algorithm: 'HS256' }],
        oauth2_credentials: [
          { name: 'app', client_id: 'c1', client_secret: 'x', redirect_uris: ['https://a.test/'] },
        ],
        acls: [{ group: 'staff' }],
        plugins: [{ name: 'request-size-limiting' }],
      },
      // Its key is drawn by the gateway, once.
      { custom_id: 'only', keyauth_credentials: [{}] },
    ],
    certificates: [
      { ...pairs[0], snis: [{ name: 'a.test' }, { name: '*.a.test' }] },
      { ...pairs[1], snis: [{ name: 'b.test' }] },
    ],
    ca_certificates: [{ cert: pairs[0]?.cert }],
    plugins: [{ name: 'bot-detection' }],
    vaults: [{ prefix: 'my-env', name: 'env', config: { prefix: 'X' } }],
    key_sets: [
      { name: 'set', keys: [{ kid: 'k', name: 'key', pem: { private_key: pairs[0]?.key } }] },
    ],
  };
}

const above: Readonly<Record<string, string>> = {
  services: 'service',
  routes: 'route',
  upstreams: 'upstream',
  consumers: 'consumer',
  certificates: 'certificate',
  key_sets: 'set',
};

/** The same with an id on everything, at its top (with references) or where it was. */
function withIds(document: Document, isFlat: boolean): Document {
  const flat: Record<string, Item[]> = {};
  const visit = (collection: string, item: Item, parent?: { field: string; id: string }): Item => {
    const id = uuid();
    const own: Item = { id, ...(isFlat && parent ? { [parent.field]: parent.id } : {}) };
    for (const [name, value] of Object.entries(item)) {
      const field = above[collection];
      const isList = Array.isArray(value) && typeof value[0] === 'object' && name !== 'pem';
      if (!isList || field === undefined) {
        own[name] = value;
        continue;
      }
      const children = value.map((one) => visit(name, one as Item, { field, id }));
      if (!isFlat) own[name] = children;
    }
    flat[collection] = [...(flat[collection] ?? []), own];
    return own;
  };
  const top: Document = {};
  for (const [name, value] of Object.entries(document)) {
    top[name] = Array.isArray(value) ? value.map((item) => visit(name, item as Item)) : value;
  }
  return isFlat ? { ...top, ...flat } : top;
}

const withRoute = (document: Document): Document => ({
  ...document,
  routes: [...((document.routes ?? []) as Item[]), { name: 'new', paths: ['/new'] }],
});

function fingerprint(tlsPort: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port: tlsPort, host: '127.0.0.1', servername, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerX509Certificate()?.subject ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function startGateway() {
  const host = '127.0.0.1';
  const gateway = new Gateway({
    proxy: [
      { host, port: 0 },
      { host, port: 0, isTls: true },
    ],
  });
  gateways.push(gateway);
  const { proxy, admin } = await gateway.start();
  const api = `http://127.0.0.1:${admin?.port}`;
  const url = `http://127.0.0.1:${proxy[0]?.port}`;
  const push = async (document: Document) => {
    const answer = await fetch(`${api}/config`, {
      method: 'POST',
      body: JSON.stringify(document),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(answer.status, await answer.text()).toBe(201);
  };
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(url + path, { headers })).status;
  /** What does not change by being looked at. */
  const observe = async () => ({
    served: await Promise.all(
      ['a.test', 'x.a.test', 'b.test', 'c.test'].map((name) =>
        fingerprint(proxy[1]?.port ?? 0, name),
      ),
    ),
    answers: [
      await status('/keyed', { apikey: 'k1' }),
      await status('/keyed', { apikey: 'nobody' }),
      await status('/basic', { authorization: `Basic ${btoa('ann:p1')}` }),
      await status('/plain'),
      await status('/also'),
      await status('/none'),
    ],
    health: (
      (await (await fetch(`${api}/upstreams/pool/health`)).json()) as {
        data: { target: string; health: string }[];
      }
    ).data
      .map(({ target, health }) => `${target} ${health}`)
      .sort(),
    names: ((await (await fetch(`${api}/snis`)).json()) as { data: Item[] }).data
      .map(({ name }) => name)
      .sort(),
  });
  const lists = async () =>
    ((await (await fetch(`${api}/config`)).json()) as { config: string }).config;
  const remaining = async (key: string) =>
    Number(
      (await fetch(`${url}/keyed`, { headers: { apikey: key } })).headers.get(
        'x-ratelimit-remaining-year',
      ),
    );
  return { api, push, observe, lists, remaining };
}

describe('a document that comes again', () => {
  test.each([
    ['nested, without ids', () => nested()],
    ['nested, with ids', () => withIds(nested(), false)],
    ['flat, with ids', () => withIds(nested(), true)],
  ])('%s: all stays as it was', async (_name, make) => {
    const document = make();
    const { api, push, observe, lists, remaining } = await startGateway();
    await push(document);
    await fetch(`${api}/upstreams/pool/targets/127.0.0.1:1/unhealthy`, { method: 'PUT' });
    await remaining('k2');
    const before = { seen: await observe(), lists: await lists() };
    expect(before.seen.served.map((subject) => subject.slice(0, 9))).toEqual([
      'CN=a.test',
      'CN=a.test',
      'CN=b.test',
      'CN=localh',
    ]);
    expect(before.seen.answers).toEqual([200, 401, 200, 200, 200, 404]);
    expect(before.seen.health[0]).toBe('127.0.0.1:1 UNHEALTHY');
    const left = await remaining('k2');
    expect(left).toBe(48);

    await push(document);
    expect(await observe()).toEqual(before.seen);
    expect(await lists()).toBe(before.lists);
    expect(await remaining('k2')).toBe(left - 1);

    await push(withRoute(document));
    expect(await observe()).toEqual(before.seen);
    expect(await remaining('k2')).toBe(left - 2);

    await push(document);
    expect(await lists()).toBe(before.lists);
  });

  test('what the gateway says of itself can be given back to it, passwords and all', async () => {
    const { push, observe, lists } = await startGateway();
    await push(nested());
    const before = { seen: await observe(), lists: await lists() };
    expect(before.lists).toContain('_transform: false');
    for (let time = 0; time < 2; time += 1) {
      await push({ config: await lists() });
      expect(await observe()).toEqual(before.seen);
      expect(await lists()).toBe(before.lists);
    }
  });

  test('a password is hashed or not as the document says, whatever the one before said', async () => {
    const { push, observe } = await startGateway();
    const document = withIds(nested(), false);
    const answer = async (more: Document) => {
      await push({ ...document, ...more });
      return (await observe()).answers[2];
    };
    expect(await answer({})).toBe(200);
    // As it stands it would be a hash, and it is none of any password.
    expect(await answer({ _transform: false })).toBe(401);
    expect(await answer({ _transform: true })).toBe(200);
  });

  test('names that change hands are served by who has them', async () => {
    const { push, observe } = await startGateway();
    const ids = [uuid(), uuid(), uuid(), uuid()];
    const document = (first: string, second: string): Document => ({
      _format_version: '3.0',
      upstreams: [{ name: 'pool' }],
      certificates: [
        { id: ids[0], ...pairs[0], snis: [{ id: ids[2], name: first }] },
        { id: ids[1], ...pairs[1], snis: [{ id: ids[3], name: second }] },
      ],
    });
    const served = async () => (await observe()).served.map((subject) => subject.slice(0, 9));
    const fallback = 'CN=localh';
    await push(document('a.test', 'b.test'));
    expect(await served()).toEqual(['CN=a.test', fallback, 'CN=b.test', fallback]);
    await push(document('b.test', 'a.test'));
    expect(await served()).toEqual(['CN=b.test', fallback, 'CN=a.test', fallback]);
    await push(document('c.test', 'b.test'));
    expect(await served()).toEqual([fallback, fallback, 'CN=b.test', 'CN=a.test']);
  });
});
