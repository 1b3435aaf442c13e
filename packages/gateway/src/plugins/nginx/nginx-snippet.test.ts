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

  test('an answer of the server gets what the server adds, not what its locations do', async () => {
    await start({
      rules: [{ ...ping, is_early: true }],
      response_headers: [
        { name: 'X-Server', value: '1', replaces: true, always: true, is_early: true },
        { name: 'X-Location', value: '1', replaces: true, always: true },
      ],
    });
    const [early, late] = [await world.ask(at('/ping')), await world.ask(at('/'))];
    expect([early.headers['x-server'], early.headers['x-location']]).toEqual(['1', undefined]);
    expect([late.headers['x-server'], late.headers['x-location']]).toEqual(['1', '1']);
  });

  test('texts in bodies are replaced, and their length is told anew', async () => {
    const pairs = [{ from: 'http://', to: 'https://' }];
    const port = await world.backend('a', () => ({
      body: 'see HTTP://x and http://y',
      headers: { 'Content-Length': '25', ETag: '"1"' },
    }));
    await world.start(port, [
      { name: 'nginx-proxy', config: {} },
      { name: 'nginx-snippet', config: { substitutions: { pairs, types: ['text/plain'] } } },
    ]);
    const { body, headers } = await world.ask(at('/'));
    expect(body).toBe('see https://x and http://y');
    expect([headers['content-length'], headers.etag]).toEqual([undefined, 'W/"1"']);
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
