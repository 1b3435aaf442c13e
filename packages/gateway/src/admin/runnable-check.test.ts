import { afterEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

const gateways: Gateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

const plugin = { name: 'pre-function', config: { access: ['return'] } };
const good = {
  _format_version: '3.0',
  routes: [
    {
      name: 'r',
      paths: ['/r'],
      plugins: [{ name: 'request-termination', config: { status_code: 204 } }],
    },
  ],
};

async function start(mode: 'dbless' | 'database') {
  const gateway = new Gateway({ mode, proxy: [{ host: '127.0.0.1', port: 0 }] });
  gateways.push(gateway);
  const { proxy, admin } = await gateway.start();
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${admin?.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const ask = async (path: string) =>
    (await fetch(`http://127.0.0.1:${proxy[0]?.port}${path}`)).status;
  return { post, ask };
}

describe('a plugin that is not run here', () => {
  test('is refused for everything in a document, and what was good stays', async () => {
    const { post, ask } = await start('dbless');
    expect((await post('/config', good)).status).toBe(201);
    const refused = await post('/config', { ...good, plugins: [plugin] });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("plugin 'pre-function' is not run by this gateway");
    expect(await ask('/r')).toBe(204);
  });

  test('is refused for everything by the Admin API', async () => {
    const { post, ask } = await start('database');
    const refused = await post('/plugins', plugin);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('name a route, service or consumer');
    // Who only asks whether its configuration is right has not said where it will apply.
    expect((await post('/schemas/plugins/validate', plugin)).status).toBe(200);
    await post('/routes', { name: 'r', paths: ['/r'] });
    expect(await ask('/r')).toBe(503);
  });

  test('costs its own route only where it is taken', async () => {
    const { post, ask } = await start('dbless');
    const other = { name: 'other', paths: ['/other'], plugins: [plugin] };
    const document = { ...good, routes: [...good.routes, other] };
    expect((await post('/config', document)).status).toBe(201);
    expect([await ask('/r'), await ask('/other')]).toEqual([204, 501]);
    // One that only watches is left out, also where it applies to everything.
    const watching = { ...good, plugins: [{ name: 'syslog' }] };
    expect((await post('/config', watching)).status).toBe(201);
    expect(await ask('/r')).toBe(204);
  });
});
