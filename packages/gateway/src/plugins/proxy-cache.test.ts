import { afterEach, describe, expect, test } from 'vitest';
import { type Ask, PluginGateway } from '../testing/plugin-gateway.ts';

const stage = new PluginGateway();
afterEach(() => stage.stop());

type Said = { status?: number; headers?: Record<string, string>; body?: string };

/** A cache before a backend that counts its answers, and a clock that is set by hand. */
async function started(config: object = {}, said: Said = {}) {
  const clock = { ms: 1_000_000_000_000 };
  let answers = 0;
  const port = await stage.backend('b', () => ({ body: `${++answers}`, ...said }));
  const plugin = {
    name: 'proxy-cache',
    config: { strategy: 'memory', content_type: ['text/plain'], cache_ttl: 10, ...config },
  };
  await stage.start(port, [plugin], {}, { now: () => clock.ms });
  const ask = async (request: Ask = {}, afterMs = 0) => {
    clock.ms += afterMs;
    const { status, headers, body } = await stage.ask(request);
    return {
      status,
      cache: headers['x-cache-status'],
      age: headers.age,
      key: headers['x-cache-key'],
      body,
    };
  };
  return { ask };
}

const control = (value: string): Ask => ({ headers: { 'cache-control': value } });

describe('what is answered again', () => {
  test.each<[string, object, Said, Ask, Ask, string]>([
    ['the same', {}, {}, {}, {}, 'Miss Hit'],
    ['another path', {}, {}, {}, { path: '/b' }, 'Miss Miss'],
    ['another case of the path', {}, {}, { path: '/a' }, { path: '/A' }, 'Miss Miss'],
    [
      'a case that does not count',
      { ignore_uri_case: true },
      {},
      { path: '/a' },
      { path: '/A' },
      'Miss Hit',
    ],
    ['another method', {}, {}, {}, { method: 'HEAD' }, 'Miss Miss'],
    ['a method that is not kept', {}, {}, { method: 'POST' }, { method: 'POST' }, 'Bypass Bypass'],
    ['a query in another order', {}, {}, { path: '/?a=1&b=2' }, { path: '/?b=2&a=1' }, 'Miss Hit'],
    ['another query', {}, {}, { path: '/?a=1' }, { path: '/?a=2' }, 'Miss Miss'],
    [
      'a query that does not count',
      { vary_query_params: ['a'] },
      {},
      { path: '/?a=1&b=1' },
      { path: '/?a=1&b=2' },
      'Miss Hit',
    ],
    [
      'one that does',
      { vary_query_params: ['a'] },
      {},
      { path: '/?a=1' },
      { path: '/?a=2' },
      'Miss Miss',
    ],
    ['another header', {}, {}, {}, { headers: { 'x-a': '1' } }, 'Miss Hit'],
    [
      'one that counts',
      { vary_headers: ['X-A'] },
      {},
      {},
      { headers: { 'x-a': '1' } },
      'Miss Miss',
    ],
    ['a status that is not kept', {}, { status: 500 }, {}, {}, 'Bypass Bypass'],
    ['one that is', { response_code: [500] }, { status: 500 }, {}, {}, 'Miss Hit'],
    [
      'a type that is not kept',
      {},
      { headers: { 'Content-Type': 'text/html' } },
      {},
      {},
      'Bypass Bypass',
    ],
    [
      'a type with a parameter',
      {},
      { headers: { 'Content-Type': 'text/plain; charset=utf-8' } },
      {},
      {},
      'Bypass Bypass',
    ],
    [
      'a type in another spelling',
      { content_type: ['text/plain;charset=utf-8'] },
      { headers: { 'Content-Type': 'Text/Plain; Charset=UTF-8' } },
      {},
      {},
      'Miss Hit',
    ],
    [
      'any type',
      { content_type: ['*/*'] },
      { headers: { 'Content-Type': 'a/b' } },
      {},
      {},
      'Miss Hit',
    ],
  ])('%s', async (_what, config, said, first, second, expected) => {
    const { ask } = await started(config, said);
    const answers = [await ask(first), await ask(second)];
    expect(answers.map(({ cache }) => cache).join(' ')).toBe(expected);
  });

  test('is what was stored, with its age and under its key', async () => {
    const { ask } = await started({}, { headers: { 'x-own': 'yes' } });
    const first = await ask();
    expect(first).toMatchObject({ status: 200, body: '1', age: undefined });
    expect(first.key).toMatch(/^[0-9a-f]{64}$/);
    expect(await ask({}, 3_999)).toEqual({ ...first, cache: 'Hit', age: '3' });
    expect((await stage.ask()).headers).toMatchObject({ 'x-own': 'yes', 'content-length': '1' });
    expect(stage.received).toHaveLength(1);
  });

  test('says nothing of it where it shall not', async () => {
    const quiet = { age: false, 'X-Cache-Status': false, 'X-Cache-Key': false };
    const { ask } = await started({ response_headers: quiet });
    await ask();
    expect(await ask({}, 2_000)).toEqual({
      status: 200,
      body: '1',
      cache: undefined,
      age: undefined,
      key: undefined,
    });
  });
});

describe('how long it is', () => {
  test.each<[string, object, number[], string]>([
    ['its time', {}, [0, 9_999, 0], 'Miss Hit Hit'],
    ['no longer', {}, [0, 10_000, 0], 'Miss Miss Hit'],
    [
      'kept beyond the time that it is fresh for',
      { storage_ttl: 60 },
      [0, 10_999, 1, 0],
      'Miss Hit Refresh Hit',
    ],
    ['until that is over too', { storage_ttl: 60 }, [0, 60_000], 'Miss Miss'],
  ])('%s', async (_what, config, waits, expected) => {
    const { ask } = await started(config);
    const states: (string | string[] | undefined)[] = [];
    for (const wait of waits) states.push((await ask({}, wait)).cache);
    expect(states.join(' ')).toBe(expected);
  });
});

describe('cache-control', () => {
  // What the backend says, what the second request asks for, and how much later it comes.
  test.each<[string | undefined, string, number, string]>([
    [undefined, '', 0, 'Miss Hit'],
    ['private', '', 0, 'Bypass Bypass'],
    ['no-store', '', 0, 'Bypass Bypass'],
    ['no-cache', '', 0, 'Bypass Bypass'],
    ['max-age=0', '', 0, 'Bypass Bypass'],
    ['public, Max-Age="5"', '', 4_999, 'Miss Hit'],
    ['max-age=5', '', 5_000, 'Miss Miss'],
    ['max-age=1, s-maxage=5', '', 4_000, 'Miss Hit'],
    ['max-age=5, s-maxage=1', '', 4_000, 'Miss Miss'],
    [undefined, 'no-store', 0, 'Miss Bypass'],
    [undefined, 'no-cache', 0, 'Miss Bypass'],
    [undefined, 'only-if-cached', 0, 'Miss Hit'],
    [undefined, 'only-if-cached', 10_000, 'Miss Bypass 504'],
    [undefined, 'max-age=3', 3_999, 'Miss Hit'],
    [undefined, 'max-age=3', 4_000, 'Miss Refresh'],
    [undefined, 'max-age=x', 4_000, 'Miss Hit'],
    [undefined, 'min-fresh=6', 4_000, 'Miss Hit'],
    [undefined, 'min-fresh=7', 4_000, 'Miss Refresh'],
    [undefined, 'max-stale=0', 9_000, 'Miss Hit'],
  ])('of the answer %j and the request %j after %i ms', async (said, asked, ms, expected) => {
    const headers = said === undefined ? {} : { 'cache-control': said };
    const { ask } = await started({ cache_control: true }, { headers });
    const first = await ask();
    const second = await ask(asked === '' ? {} : control(asked), ms);
    const status = second.status === 200 ? '' : ` ${second.status}`;
    expect(`${first.cache} ${second.cache}${status}`).toBe(expected);
  });

  test.each([
    ['max-stale=5', 15_999, 'Hit'],
    ['max-stale=5', 16_000, 'Refresh'],
  ])('%s after %i ms of what is kept for long', async (asked, ms, expected) => {
    const { ask } = await started({ cache_control: true, storage_ttl: 60 });
    await ask();
    expect((await ask(control(asked), ms)).cache).toBe(expected);
  });

  test('counts only where it shall', async () => {
    const { ask } = await started({}, { headers: { 'cache-control': 'no-store' } });
    await ask();
    expect((await ask(control('no-store'))).cache).toBe('Hit');
  });
});
