import { afterEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

const gateways: Gateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

const plugin = { name: 'ai-prompt-guard', config: { allow_patterns: ['x'] } };
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

async function start(mode: 'dbless' | 'database', takesUnrunnablePlugins = false) {
  const gateway = new Gateway({
    mode,
    takesUnrunnablePlugins,
    proxy: [{ host: '127.0.0.1', port: 0 }],
  });
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
    expect(refused.text).toContain("this gateway cannot run the plugin 'ai-prompt-guard'");
    expect(await ask('/r')).toBe(204);
  });

  test('is refused by the Admin API, wherever it would apply, and who asks beforehand is told', async () => {
    const { post, ask } = await start('database');
    await post('/routes', { name: 'r', paths: ['/r'] });
    for (const path of ['/plugins', '/routes/r/plugins', '/schemas/plugins/validate']) {
      const refused = await post(path, plugin);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain("this gateway cannot run the plugin 'ai-prompt-guard'");
    }
    expect(await ask('/r')).toBe(503);
    // One that is off decides on nothing.
    expect((await post('/plugins', { ...plugin, enabled: false })).status).toBe(201);
  });

  test('is refused for everything also by a gateway that takes it for routes', async () => {
    const { post } = await start('database', true);
    expect((await post('/plugins', plugin)).text).toContain('name a route, service or consumer');
  });

  test('costs its own route only where it is taken', async () => {
    const { post, ask } = await start('dbless', true);
    const other = { name: 'other', paths: ['/other'], plugins: [plugin] };
    const document = { ...good, routes: [...good.routes, other] };
    expect((await post('/config', document)).status).toBe(201);
    expect([await ask('/r'), await ask('/other')]).toEqual([204, 501]);
  });
});
