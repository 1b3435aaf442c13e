import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

const gateways: Gateway[] = [];
let backend: Server;
let port = 0;

beforeEach(async () => {
  backend = createServer((request, reply) => {
    reply.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  port = (backend.address() as AddressInfo).port;
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(mode: 'dbless' | 'database') {
  const problems: string[] = [];
  const log = (message: string, details?: object) =>
    void problems.push(`${message} ${JSON.stringify(details)}`);
  const gateway = new Gateway({
    mode,
    proxy: [{ host: '127.0.0.1', port: 0 }],
    log: { warn: log, error: log },
  });
  gateways.push(gateway);
  const { proxy, admin } = await gateway.start();
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${admin?.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
    return { status: answer.status, body: (await answer.json()) as { fields?: object } };
  };
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${proxy[0]?.port}${path}`, { headers });
    const body = (await answer.json()) as { url?: string; headers?: Record<string, string> };
    return { status: answer.status, ...body };
  };
  return { post, ask, problems };
}

const transformer = (config: object) => ({ name: 'request-transformer', config });
const document = (config: object) => ({
  _format_version: '3.0',
  services: [
    {
      name: 's',
      url: `http://127.0.0.1:${port}`,
      routes: [{ name: 'r', paths: ['/'], plugins: [transformer(config)] }],
    },
  ],
});

describe('a template that cannot be run', () => {
  test('is refused by the Admin API, with its field and what is not understood', async () => {
    const { post } = await start('database');
    const refused = await post(
      '/plugins',
      transformer({
        replace: { uri: '/$(kong.request.get_path())' },
        add: { headers: ['x:1', 'y:$(headers.a:dump())'] },
      }),
    );
    expect(refused).toMatchObject({
      status: 400,
      body: {
        fields: {
          config: {
            replace: { uri: "the gateway cannot run this template: the name 'kong' is not known" },
            add: {
              headers: [
                null,
                "the gateway cannot run this template: the function 'dump' is not known",
              ],
            },
          },
        },
      },
    });
    const taken = transformer({ add: { headers: ['x:$(headers.a:upper())'] } });
    expect((await post('/plugins', taken)).status).toBe(201);
  });

  test('is refused in a document, and the one before stays in force', async () => {
    const { post, ask } = await start('dbless');
    expect((await post('/config', document({ replace: { uri: '/good' } }))).status).toBe(201);
    const refused = await post('/config', document({ replace: { uri: '$(os.exit())' } }));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain("the name 'os' is not known");
    expect((await ask('/x')).url).toBe('/good');
  });
});

describe('a template that fails for a request', () => {
  test('ends that request, and no other', async () => {
    const { post, ask, problems } = await start('dbless');
    const uri = '/u/$(headers["x-user"]:lower())';
    expect((await post('/config', document({ replace: { uri } }))).status).toBe(201);
    expect((await ask('/')).status).toBe(500);
    expect(problems.join()).toContain("attempt to index field 'x-user' (a nil value)");
    expect((await ask('/', { 'x-user': 'ANN' })).url).toBe('/u/ann');
  });

  test('does not send a path that is none', async () => {
    const { post, ask, problems } = await start('dbless');
    await post('/config', document({ replace: { uri: '$(query_params.to)' } }));
    expect((await ask('/')).status).toBe(500);
    expect(problems.join()).toContain('does not start with a slash');
    expect((await ask('/?to=/a%20%C3%A9%0D%0AX:1')).url).toBe(
      '/a%20%C3%A9%0D%0AX:1?to=/a%20%C3%A9%0D%0AX:1',
    );
  });
});
