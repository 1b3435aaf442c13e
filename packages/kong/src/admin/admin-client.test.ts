import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AdminClient, type AdminClientOptions } from './admin-client.ts';
import { readState } from './read-state.ts';
import { sendConfig } from './send-config.ts';

interface Scripted {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

let server: Server | undefined;
let client: AdminClient | undefined;
const seen: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
const slept: number[] = [];

/** A client of a server that answers by script. */
async function start(
  answer: (method: string, url: URL, count: number) => Scripted | 'cut',
  options: Partial<AdminClientOptions> = {},
): Promise<AdminClient> {
  seen.length = 0;
  slept.length = 0;
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers });
    const scripted = answer(method, new URL(url, 'http://kong'), seen.length);
    if (scripted === 'cut') return request.socket.destroy();
    response.writeHead(scripted.status, scripted.headers);
    return response.end(scripted.body === undefined ? '' : JSON.stringify(scripted.body));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new AdminClient({
    url,
    sleep: async (ms) => void slept.push(ms),
    random: () => 0.5,
    ...options,
  });
  return client;
}

afterEach(async () => {
  await client?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

describe('AdminClient', () => {
  it('sends no write, and no further try of one, when its fence is closed', async () => {
    let isOpen = true;
    const one = await start(
      (method) => {
        if (method === 'PUT') isOpen = false;
        return { status: method === 'GET' ? 200 : 503, body: { data: [] } };
      },
      { retries: 3 },
    );
    const fenced = one.fenced(() => isOpen);
    const refused = expect.objectContaining({ code: 'WG_KONG_FENCED' });
    await expect(fenced.send('PUT', '/services/a', { body: {} })).rejects.toEqual(refused);
    await expect(fenced.send('DELETE', '/services/a')).rejects.toEqual(refused);
    await fenced.send('GET', '/services');
    expect(seen.map(({ method }) => method)).toEqual(['PUT', 'GET']);
  });

  it('follows pages to the last', async () => {
    const pages = [{ data: [{ id: '1' }], offset: 'o1' }, { data: [{ id: '2' }] }];
    const one = await start((_method, url) => ({
      status: 200,
      body: pages[url.searchParams.get('offset') === 'o1' ? 1 : 0],
    }));
    const ids: string[] = [];
    for await (const page of one.pages('services', { tags: ['a', 'b'] })) {
      ids.push(...page.map(({ id }) => id));
    }
    expect(ids).toEqual(['1', '2']);
    expect(seen[1]?.url).toBe('/services?size=1000&tags=a%2Cb&offset=o1');
  });

  it('does not follow a page that points at itself for ever', async () => {
    const one = await start(() => ({ status: 200, body: { data: [], offset: 'same' } }));
    const read = async () => {
      for await (const _page of one.pages('services'));
    };
    await expect(read()).rejects.toMatchObject({ code: 'WG_KONG_ANSWER' });
  });

  it('retries what may be repeated, longer each time', async () => {
    const one = await start((_method, _url, count) =>
      count < 3 ? { status: 500, body: { message: 'oops' } } : { status: 200, body: {} },
    );
    await one.send('PUT', 'services/1', { body: {} });
    expect(seen).toHaveLength(3);
    expect(slept).toEqual([500, 1000]);
  });

  it('waits as long as Retry-After says', async () => {
    const one = await start((_method, _url, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '7' } } : { status: 200, body: {} },
    );
    await one.send('POST', 'services', { body: {} });
    expect(slept).toEqual([7000]);
  });

  it('does not repeat a POST whose fate is unknown', async () => {
    const one = await start(() => 'cut');
    await expect(one.send('POST', 'services', { body: {} })).rejects.toMatchObject({
      code: 'WG_KONG_UNREACHABLE',
    });
    expect(seen).toHaveLength(1);
  });

  it('does not retry a refusal, and keeps its words', async () => {
    const body = { message: 'schema violation (host: "x")', fields: { host: 'x' } };
    const one = await start(() => ({ status: 400, body }));
    await expect(one.send('PUT', 'services/1', { body: {} })).rejects.toMatchObject({
      code: 'WG_KONG_HTTP',
      status: 400,
      message: 'HTTP status 400 (message: "schema violation (host: \\"x\\")")',
      body,
    });
    expect(seen).toHaveLength(1);
  });

  it('sends headers and prefixes the workspace', async () => {
    const one = await start(() => ({ status: 200, body: { version: '3.9.1', data: [] } }), {
      workspace: 'team a',
      headers: { 'kong-admin-token': 't' },
    });
    await one.info();
    await one.send('GET', 'services');
    expect(seen.map(({ url }) => url)).toEqual(['/', '/team%20a/services']);
    expect(seen[0]?.headers['kong-admin-token']).toBe('t');
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const one = await start(() => {
      controller.abort();
      return { status: 200, body: {} };
    });
    const { signal } = controller;
    await expect(one.send('GET', 'services', { signal })).rejects.toMatchObject({
      code: 'WG_KONG_ABORTED',
    });
  });
});

describe('readState', () => {
  it('takes a kind that an old Kong does not know for an empty one', async () => {
    const one = await start((_method, url) => {
      if (url.pathname === '/services') return { status: 200, body: { data: [{ id: 's' }] } };
      if (['/vaults', '/keys', '/key-sets', '/consumer_groups'].includes(url.pathname)) {
        return { status: 404, body: { message: 'Not found' } };
      }
      return { status: 200, body: { data: [] } };
    });
    expect((await readState(one)).size).toBe(1);
  });

  it('fails on a kind that every Kong knows', async () => {
    const one = await start((_method, url) =>
      url.pathname === '/routes'
        ? { status: 404, body: { message: 'Not found' } }
        : { status: 200, body: { data: [] } },
    );
    await expect(readState(one)).rejects.toThrow('routes: HTTP status 404 (message: "Not found")');
  });

  it('drops credentials of consumers that it does not see, and reads all targets', async () => {
    const answers: Record<string, unknown> = {
      '/consumers': { data: [{ id: 'c' }] },
      '/key-auths': {
        data: [
          { id: 'k', consumer: { id: 'c' } },
          { id: 'x', consumer: { id: 'y' } },
        ],
      },
      '/upstreams': { data: [{ id: 'u' }, { id: 'v' }] },
      '/upstreams/u/targets': { data: [{ id: 't', upstream: { id: 'u' } }] },
      '/upstreams/v/targets': { data: [{ id: 'w', upstream: { id: 'v' } }] },
    };
    const one = await start((_method, url) => ({
      status: 200,
      body: answers[url.pathname] ?? { data: [] },
    }));
    const state = await readState(one);
    expect(state.count('keyauth_credentials')).toBe(1);
    expect(state.count('targets')).toBe(2);
  });
});

describe('sendConfig', () => {
  it('turns flattened errors into problems', async () => {
    const flattened = [
      {
        entity_type: 'service',
        entity_name: 'shop',
        entity_tags: ['k8s-name:shop'],
        errors: [{ field: 'port', message: 'expected an integer', type: 'field' }],
      },
    ];
    const one = await start(() => ({
      status: 400,
      body: { message: 'declarative config is invalid', flattened_errors: flattened },
    }));
    expect(await sendConfig(one, {})).toEqual({
      kind: 'refused',
      message: 'declarative config is invalid',
      problems: [
        {
          collection: 'services',
          object: 'shop',
          field: 'port',
          message: 'expected an integer',
          tags: ['k8s-name:shop'],
        },
      ],
    });
  });

  it('says when there is nothing new', async () => {
    const one = await start(() => ({ status: 304 }));
    expect(await sendConfig(one, {})).toEqual({ kind: 'unchanged' });
  });
});
