import { afterEach, describe, expect, test } from 'vitest';
import { type Ask, PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

async function start(config: object): Promise<void> {
  await world.start(await world.backend('a'), [
    { name: 'nginx-proxy', config: {} },
    { name: 'nginx-snippet', config },
  ]);
}

const at = (path: string, headers: Readonly<Record<string, string>> = {}): Ask => ({
  path,
  headers: { host: 'shop.test', ...headers },
});
const bots = { variable: '$http_user_agent', operator: '~*', value: 'bot', status: 403 };
const ping = { variable: '$uri', operator: '=', value: '/ping', status: 200, body: 'pong\n' };
const away = { pattern: '^/r/(.*)$', target: 'https://x.test/$1', flag: 'permanent' };

describe('nginx-snippet', () => {
  test.each<[object, Ask, number, string | undefined]>([
    [bots, at('/', { 'user-agent': 'GoodBOT' }), 403, undefined],
    [bots, at('/', { 'user-agent': 'person' }), 200, undefined],
    [ping, at('/ping'), 200, undefined],
    [away, at('/r/a?b=c'), 301, 'https://x.test/a?b=c'],
    [away, at('/s'), 200, undefined],
    [{ pattern: '^/t', target: '/u', flag: 'redirect' }, at('/t'), 302, 'http://shop.test/u'],
    [{ variable: '$arg_x', operator: 'set', status: 410 }, at('/?x=1'), 410, undefined],
    [{ variable: '$arg_x', operator: 'set', status: 410 }, at('/?x=0'), 200, undefined],
  ])('%j', async (rule, ask, status, location) => {
    await start({ rules: [rule] });
    const answer = await world.ask(ask);
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });

  test('headers of an answer are set, added and taken away', async () => {
    await start({
      response_headers: [
        { name: 'X-Host', value: '$host', replaces: true, always: true },
        { name: 'X-Added', value: 'one' },
      ],
      clear_headers: ['Content-Type'],
    });
    const { headers } = await world.ask(at('/'));
    expect(headers).toMatchObject({ 'x-host': 'shop.test', 'x-added': 'one' });
    expect(headers['content-type']).toBeUndefined();
  });

  test.each<[string, object]>([
    ['a line in a header', { response_headers: [{ name: 'X-A', value: 'a\r\nX-B: b' }] }],
    ['a name that is none', { request_headers: [{ name: 'X A', value: 'a' }] }],
    ['a line in a redirect', { rules: [{ status: 302, body: '/a\r\nX-B: b' }] }],
    ['a pattern that is none', { rules: [{ pattern: '(', target: '/', flag: 'break' }] }],
  ])('%s is refused', async (_, config) => {
    await expect(start(config)).rejects.toThrow();
  });
});
