import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gateway } from '@waygate/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import { AnswerComparison } from '../drivers/kong-compare.ts';
import { answerDifference } from './answer-difference.ts';
import { comparedText, compareKong, type RequestFile } from './compare-kong.ts';
import { compareProxied } from './compare-proxied.ts';
import { KongSide } from './kong-side.ts';

const gateways: Gateway[] = [];
const servers: Server[] = [];

afterEach(async () => {
  for (const each of sides.splice(0)) each.close();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function side(mode: 'dbless' | 'database'): Promise<number> {
  const gateway = new Gateway({ mode, proxy: [] });
  gateways.push(gateway);
  return (await gateway.start()).admin?.port ?? 0;
}

const sides: KongSide[] = [];

function at(port: number): KongSide {
  const made = new KongSide(new URL(`http://127.0.0.1:${port}`));
  sides.push(made);
  return made;
}

/** Stands before a gateway and changes its answers to one path. */
async function changing(
  port: number,
  path: string,
  change: (body: string) => string,
): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const sent = request(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (reply) => {
        let text = '';
        reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
        reply.on('end', () => {
          const body = url === path && method === 'GET' ? change(text) : text;
          const { 'content-length': _length, ...kept } = reply.headers;
          outgoing.writeHead(reply.statusCode ?? 500, kept).end(body);
        });
      },
    );
    incoming.pipe(sent);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const json = { 'Content-Type': 'application/json' };
const id = '00000001-0000-4000-8000-00000000abcd';

function exchange(method: string, path: string, body: unknown = null, answer: unknown = {}) {
  const request = { method, path, headers: body === null ? {} : json, body };
  return { name: path, request, response: { status: 200, headers: {}, body: answer } };
}

/** The id that the server chose for the route stands in the table by the one that was recorded. */
const database: readonly RequestFile[] = [
  {
    name: 'entities',
    exchanges: [
      exchange('POST', '/services', { name: 's', host: 'h' }),
      exchange('POST', '/services/s/routes', { paths: ['/p'] }, { id }),
      exchange('GET', `/routes/${id}`),
      exchange('GET', '/services/s'),
      exchange('POST', '/services', { name: 's' }),
      exchange('GET', '/status'),
      exchange('PATCH', '/services/none', { port: 1 }),
    ],
  },
  {
    name: 'again',
    exchanges: [exchange('GET', '/services'), exchange('POST', '/consumers', { username: 'u' })],
  },
];

describe('comparing a Kong with ours', () => {
  test('the same program answers alike, and is left empty', async () => {
    const [one, two] = [at(await side('database')), at(await side('database'))];
    expect(await compareKong(one, two, database, false)).toEqual({ asked: 9, differences: [] });
    expect([await one.isEmpty(), await two.isEmpty()]).toEqual([true, true]);
  });

  test('a difference that is planted is found, by its kind, and no other', async () => {
    const planted: readonly (readonly [string, (body: string) => string])[] = [
      ['value', (body) => body.replace('"port":80', '"port":81')],
      ['missing', (body) => body.replace('"retries":5,', '"retries":5,"extra":1,')],
      ['extra', (body) => body.replace('"retries":5,', '')],
    ];
    for (const [kind, change] of planted) {
      const real = await changing(await side('database'), '/services/s', change);
      const found = await compareKong(at(real), at(await side('database')), database, false);
      expect(found.differences.map((each) => [each.kind, each.request])).toEqual([
        [kind, 'entities/3 GET /services/s'],
      ]);
      expect(comparedText(found)).toContain('9 requests, 8 answered alike, 1 not');
    }
  });

  test('when a whole configuration was made is no difference, and what it holds is', () => {
    const answer = (config: string) => ({ status: 200, headers: {}, body: { config } });
    const one = answer('services:\n- name: s\n  created_at: 17\n  port: 80\n');
    const later = answer('services:\n- name: s\n  created_at: 18.5\n  port: 80\n');
    const other = answer('services:\n- name: s\n  created_at: 17\n  port: 81\n');
    const compare = (body: typeof one) =>
      answerDifference('/config', one, body, new AnswerComparison())?.kind;
    expect([compare(later), compare(other)]).toEqual([undefined, 'value']);
  });

  test('without a database it is configured as a whole, and emptied again', async () => {
    const config = { _format_version: '3.0', services: [{ name: 's', host: 'h' }] };
    const files = [
      {
        name: 'config',
        exchanges: [exchange('POST', '/config', config), exchange('GET', '/services/s')],
      },
    ];
    const [one, two] = [at(await side('dbless')), at(await side('dbless'))];
    expect((await compareKong(one, two, files, true)).differences).toEqual([]);
    expect(await one.isEmpty()).toBe(true);
    const third = await compareKong(one, at(await side('database')), files, true);
    expect(third.differences.map(({ kind }) => kind)).toContain('status');
  });
});

describe('comparing what goes through', () => {
  async function proxy(status: number) {
    const plugins = [{ name: 'request-termination', config: { status_code: status } }];
    const gateway = new Gateway({
      config: { _format_version: '3.0', routes: [{ name: 'r', hosts: ['a.test'], plugins }] },
    });
    gateways.push(gateway);
    const { admin } = await gateway.start();
    return at(admin?.port ?? 0).ports();
  }
  const ask = (host: string, scheme: string) => ({
    name: host,
    request: { method: 'GET', scheme, host, path: '/', headers: [], body: null },
  });
  const asks = [ask('a.test', 'http'), ask('a.test', 'https'), ask('b.test', 'http')];

  test('the same is alike, and another answer is found', async () => {
    const [one, two, other] = [await proxy(418), await proxy(418), await proxy(403)];
    expect(await compareProxied(one, two, asks)).toEqual({ asked: 3, differences: [] });
    const plain = { ...one, https: 0 };
    expect(await compareProxied(plain, two, asks)).toEqual({ asked: 2, differences: [] });
    const { differences } = await compareProxied(one, other, asks);
    expect(differences.map(({ kind, what }) => [kind, what])).toEqual([
      ['status', '418, ours 403'],
      ['status', '418, ours 403'],
    ]);
  });
});
