import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { definePlugin } from '../plugin/plugin.ts';

let directory = '';
const gateways: Gateway[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-loaded-'));
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function start(options: GatewayOptions = {}) {
  const gateway = new Gateway({
    mode: 'database',
    directory,
    proxy: [{ host: '127.0.0.1', port: 0 }],
    drainMs: 0,
    ...options,
  });
  gateways.push(gateway);
  const { proxy, admin } = await gateway.start();
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${admin?.port}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, id: ((await answer.json()) as { id?: string }).id ?? '' };
  };
  const ask = async (path: string) =>
    (await fetch(`http://127.0.0.1:${proxy[0]?.port}${path}`)).status;
  return { gateway, send, ask };
}

const guard = definePlugin<object>({
  name: 'guard',
  priority: 1_000,
  schema: { fields: [{ config: { type: 'record', fields: [] } }] },
  access: (context) => context.exit(403),
});
const ends = { name: 'request-termination', config: { status_code: 204 } };

/** Writes a database with a plugin that later starts do not have. */
async function written(scope: object): Promise<string> {
  const { gateway, send, ask } = await start({ plugins: [guard] });
  for (const name of ['a', 'b']) {
    await send('POST', '/routes', { name, paths: [`/${name}`] });
    expect((await send('POST', `/routes/${name}/plugins`, ends)).status).toBe(201);
  }
  const { status, id } = await send('POST', '/plugins', { name: 'guard', ...scope });
  expect(status).toBe(201);
  expect(await ask('/a')).toBe(403);
  await gateway.stop();
  return id;
}

describe('a database with a plugin that cannot be run', () => {
  test('for all requests does not start, and says how to go on', async () => {
    const id = await written({});
    await expect(start()).rejects.toMatchObject({
      code: 'WG_GATEWAY_PLUGIN',
      message: expect.stringContaining(`--remove-plugin ${id}`),
    });
    // With its module it is as before.
    const again = await start({ plugins: [guard] });
    expect(await again.ask('/b')).toBe(403);
    await again.gateway.stop();
    const without = await start({ removePlugins: [id] });
    expect([await without.ask('/a'), await without.ask('/b')]).toEqual([204, 204]);
    await without.gateway.stop();
    // It is gone for good.
    expect(await (await start()).ask('/a')).toBe(204);
  });

  test('for one route costs that route, and is never left out', async () => {
    await written({ route: { name: 'a' } });
    const { ask } = await start();
    expect([await ask('/a'), await ask('/b')]).toEqual([501, 204]);
  });

  test('that is disabled is no matter', async () => {
    const id = await written({});
    const { gateway, send } = await start({ plugins: [guard] });
    expect((await send('PATCH', `/plugins/${id}`, { enabled: false })).status).toBe(200);
    await gateway.stop();
    expect(await (await start()).ask('/a')).toBe(204);
  });

  test('an id that is not there is told', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    await expect(start({ removePlugins: [id] })).rejects.toThrow(`holds no plugin ${id}`);
  });
});
