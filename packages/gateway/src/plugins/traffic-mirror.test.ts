import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

async function start(config: object, plugins: readonly object[] = []) {
  const mirror = await world.backend('mirror');
  const url = `http://127.0.0.1:${mirror}$request_uri`;
  await world.start(await world.backend('a'), [
    { name: 'nginx-proxy', config: { body_size: 0 } },
    ...plugins,
    { name: 'traffic-mirror', config: { url, ...config } },
  ]);
  return mirror;
}

const mirrored = () => world.received.filter(({ server }) => server === 'mirror');

describe('traffic-mirror', () => {
  test.each([
    [{}, '127.0.0.1', 'hello'],
    [{ host: 'shadow.test' }, 'shadow.test', 'hello'],
    [{ request_body: false }, '127.0.0.1', ''],
  ])('%o copies a request', async (config, host, body) => {
    await start(config);
    const headers = { 'x-mine': '1' };
    expect((await world.ask({ path: '/x?y', method: 'POST', body: 'hello', headers })).status).toBe(
      200,
    );
    await expect.poll(() => mirrored().length).toBe(1);
    expect(mirrored()[0]).toMatchObject({
      method: 'POST',
      url: '/x?y',
      body,
      headers: { host, 'x-mine': '1' },
    });
    expect(world.received.find(({ server }) => server === 'a')?.body).toBe('hello');
  });

  test('has a path of its own without one in the URL', async () => {
    const mirror = await world.backend('mirror');
    await start({ url: `http://127.0.0.1:${mirror}`, location: '/_mirror-1' });
    await world.ask({ path: '/x' });
    await expect.poll(() => mirrored().length).toBe(1);
    expect(mirrored()[0]?.url).toBe('/_mirror-1');
  });

  test('does no harm when it is down, and is not asked for what is refused', async () => {
    await start({ url: 'http://127.0.0.1:1$request_uri' });
    expect((await world.ask()).status).toBe(200);
    await world.stop();
    await start({}, [{ name: 'nginx-return', config: { status: 403 } }]);
    expect((await world.ask()).status).toBe(403);
    expect(world.received).toEqual([]);
  });

  test('leaves out bodies that are too large to be held', async () => {
    await start({});
    const send = (size: number) => world.ask({ method: 'POST', body: Buffer.alloc(size) });
    expect((await send(1_024 * 1_024 + 1)).status).toBe(200);
    expect((await send(1_024 * 1_024)).status).toBe(200);
    await expect.poll(() => mirrored().length).toBe(1);
    expect(mirrored()[0]?.body.length).toBe(1_024 * 1_024);
    await expect(start({ url: 'ftp://x' })).rejects.toThrow(/must be a URL/);
    await expect(start({ host: 'a\r\nb' })).rejects.toThrow(/control characters/);
  });
});
