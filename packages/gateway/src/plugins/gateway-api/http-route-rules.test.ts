import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

/** A backend that says one status after the other, and then 200. */
async function failing(statuses: readonly number[], name = 'web'): Promise<number> {
  const left = [...statuses];
  return world.backend(name, () => ({ status: left.shift() ?? 200 }));
}

const retry = (config: object) => [{ name: 'http-route-retry', config }];

describe('http-route-retry', () => {
  test.each([
    [
      'a status that is named, as often as allowed',
      [500, 500],
      { codes: [500], attempts: 2 },
      200,
      3,
    ],
    [
      'the last answer, when there is no try left',
      [500, 502],
      { codes: [500, 502], attempts: 1 },
      502,
      2,
    ],
    ['a status that is not named', [503, 200], { codes: [500], attempts: 3 }, 503, 1],
    ['no attempt at all', [500], { codes: [500], attempts: 0 }, 500, 1],
    ['waiting in between', [504, 504], { codes: [504], attempts: 5, backoff_ms: 5 }, 200, 3],
  ])('%s', async (_, statuses, config, status, count) => {
    await world.start(await failing(statuses), retry(config));
    expect((await world.ask()).status).toBe(status);
    expect(world.received).toHaveLength(count);
  });

  test('sends the body again, but nothing that may have changed something', async () => {
    await world.start(await failing([500, 500]), retry({ codes: [500], attempts: 2 }));
    expect((await world.ask({ method: 'POST', body: 'once' })).status).toBe(500);
    expect((await world.ask({ method: 'PUT', body: 'twice' })).status).toBe(200);
    expect(world.received.map(({ method, body }) => `${method} ${body}`)).toEqual([
      'POST once',
      'PUT twice',
      'PUT twice',
    ]);
  });

  test('starts no try that all of them together have no time for', async () => {
    const config = { codes: [500], attempts: 100, backoff_ms: 20, total_ms: 30 };
    await world.start(await failing(Array(100).fill(500)), retry(config));
    // Whether the last try ended before the time did is a matter of the machine.
    expect([500, 504]).toContain((await world.ask()).status);
    expect(world.received.length).toBeLessThan(10);
  });

  test('ends the try under way with the time for all', async () => {
    const port = await world.backend('slow', () => new Promise(() => {}));
    await world.start(port, retry({ codes: [500], attempts: 50, total_ms: 100 }));
    expect((await world.ask()).status).toBe(504);
    expect(world.received.length).toBeLessThan(5);
  });
});

describe('http-route-backends', () => {
  const header = (name: string, value: string) => ({ name, value });
  const backend = (port: number, weight: number, more: object = {}) => ({
    host: '127.0.0.1',
    port,
    weight,
    request: {},
    response: {},
    ...more,
  });

  /** A gateway whose next requests draw these numbers. */
  async function start(draws: readonly number[], backends: readonly object[], prefixes = ['/']) {
    const left = [...draws];
    const plugins = [{ name: 'http-route-backends', config: { backends, prefixes } }];
    await world.start(1, plugins, {}, { random: () => left.shift() ?? 0 });
  }

  test('leads to backends by weight, and changes headers of that one alone', async () => {
    const changes = {
      request: { set: [header('X-Set', 'a')], add: [header('X-Add', 'two')], remove: ['X-Gone'] },
      response: { set: [header('X-From', 'a')] },
    };
    const a = backend(await world.backend('a'), 3, changes);
    const b = backend(await world.backend('b'), 1);
    await start([0, 0.74, 0.76, 0.999], [a, b]);
    const headers = { 'X-Set': 'mine', 'X-Add': 'one', 'X-Gone': 'no' };
    const answers = [];
    for (let index = 0; index < 4; index += 1) answers.push(await world.ask({ headers }));
    expect(answers.map(({ body }) => body)).toEqual(['a', 'a', 'b', 'b']);
    expect(answers.map((answer) => answer.headers['x-from'])).toEqual([
      'a',
      'a',
      undefined,
      undefined,
    ]);
    expect(world.received[0]?.headers).toMatchObject({ 'x-set': 'a', 'x-add': 'one, two' });
    expect(world.received[0]?.headers['x-gone']).toBeUndefined();
    expect(world.received[3]?.headers).toMatchObject({
      'x-set': 'mine',
      'x-add': 'one',
      'x-gone': 'no',
    });
  });

  test('rewrites host and path for one backend alone', async () => {
    const rewrite = { host: 'own.test', prefix: '/new' };
    const a = backend(await world.backend('a'), 1, { rewrite });
    const b = backend(await world.backend('b'), 1, { rewrite: { full_path: '/whole' } });
    const c = backend(await world.backend('c'), 1);
    await start([0, 0, 0, 0.4, 0.9], [a, b, c], ['/', '/old']);
    for (const path of ['/old/x?q=1', '/older', '/old', '/old/x?q=1', '/old/x?q=1'])
      await world.ask({ path, headers: { Host: 'given.test' } });
    expect(world.received.map(({ url, headers }) => [url, headers.host])).toEqual([
      ['/new/x?q=1', 'own.test'],
      ['/new/older', 'own.test'],
      ['/new', 'own.test'],
      ['/whole?q=1', 'given.test'],
      ['/old/x?q=1', 'given.test'],
    ]);
  });

  test('answers 500 for the share of a backend that is not there, and when none has a weight', async () => {
    const a = backend(await world.backend('a'), 1);
    await start([0.2, 0.8], [a, backend(1, 1, { status: 500 }), backend(1, 0)]);
    expect([(await world.ask()).status, (await world.ask()).status]).toEqual([200, 500]);
    await world.stop();
    await start([0], [backend(1, 0)]);
    expect((await world.ask()).status).toBe(500);
  });
});

describe('http-route-listeners', () => {
  const hostnames = ['', 'two.test', '*.wild.test', 'own.wild.test'];

  test.each([
    ['one.test', 'one.test', 200],
    ['one.test', 'two.test', 421],
    ['one.test', 'none.test', 200],
    ['two.test', 'two.test', 200],
    ['two.test', 'TWO.test:443', 200],
    ['two.test', 'none.test', 421],
    ['a.wild.test', 'b.wild.test', 200],
    ['a.wild.test', 'own.wild.test', 421],
    ['own.wild.test', 'a.wild.test', 421],
    ['none.test', 'one.test', 200],
  ])('a connection for %s, a request for %s: %i', async (serverName, host, status) => {
    const backend = await world.backend('a');
    const gateway = await world.start(backend, []);
    const places = [{ address: '127.0.0.1', port: world.securePort, hostnames }];
    const problem = gateway.admin.configure({
      _format_version: '3.0',
      plugins: [{ name: 'http-route-listeners', config: { places } }],
      services: [{ name: 's', host: '127.0.0.1', port: backend, routes: [{ paths: ['/'] }] }],
    });
    expect(problem).toBeUndefined();
    const answer = await world.ask({ isSecure: true, serverName, headers: { host } });
    expect(answer.status).toBe(status);
    expect((await world.ask({ headers: { host } })).status).toBe(200);
  });
});
