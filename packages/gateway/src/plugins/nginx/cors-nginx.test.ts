import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

async function start(config: object = {}, status = 200) {
  const port = await world.backend('a', () => ({
    status,
    headers: { 'access-control-max-age': '1' },
  }));
  await world.start(port, [{ name: 'nginx-proxy' }, { name: 'cors-nginx', config }]);
}

describe('cors-nginx', () => {
  const usual = {
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, PUT, POST, DELETE, PATCH, OPTIONS',
    'access-control-max-age': '1728000',
  };

  test.each([
    ['GET', 200, 1],
    ['GET', 404, 1],
    ['OPTIONS', 204, 0],
  ])(
    '%s answers %i with all headers, which replace the upstream’s',
    async (method, status, count) => {
      await start({}, status);
      const answer = await world.ask({ method });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject(usual);
      expect(world.received.length).toBe(count);
    },
  );

  test.each([
    [['https://app.test'], 'https://app.test', true],
    [['https://app.test'], 'HTTPS://APP.TEST', true],
    [['https://app.test'], 'https://app.test:8443', false],
    [['https://app.test'], 'https://app.test.evil', false],
    [['https://app.test'], undefined, false],
    [['http://*.sub.test'], 'http://x.sub.test', true],
    [['http://*.sub.test'], 'http://x.y.sub.test', false],
    [['http://*.sub.test'], 'http://sub.test', false],
    [['http://*.sub.test'], 'http://evil.test/.sub.test', false],
    [['https://p.test:8443', 'null'], 'null', true],
  ])('%o and the origin %s: %s', async (origins, origin, isAllowed) => {
    await start({ allow_origin: origins });
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const answer = await world.ask({ method: 'OPTIONS', headers });
    expect(answer.status).toBe(isAllowed ? 204 : 200);
    expect(answer.headers['access-control-allow-origin']).toBe(isAllowed ? origin : undefined);
  });

  test('has settings for each header', async () => {
    await start({
      expose_headers: 'X-Exp',
      allow_credentials: false,
      allow_methods: 'GET',
      max_age: 6,
    });
    const { headers } = await world.ask();
    expect(headers).toMatchObject({
      'access-control-expose-headers': 'X-Exp',
      'access-control-allow-methods': 'GET',
      'access-control-max-age': '6',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    await expect(start({ allow_headers: 'a\nb' })).rejects.toThrow(/control characters/);
  });
});
