import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { upstreamKey } from './affinity-state.ts';
import { rendezvous } from './rendezvous.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

const up = 'nginx.shop.a.80';

/** Three targets of a service, and one of its canary. */
async function start(plugins: readonly object[], drops: readonly string[] = []) {
  const port = (name: string) =>
    world.backend(name, () => (drops.includes(name) ? { drop: true } : undefined));
  const targets = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => ({ target: `127.0.0.1:${await port(name)}` })),
  );
  const other = [{ target: `127.0.0.1:${await port('canary')}` }];
  const all = [{ name: 'nginx-proxy' }, ...plugins];
  await world.start(0, [], {
    services: [
      {
        name: 's',
        host: up,
        routes: [{ name: 'r', paths: ['/'], preserve_host: true, plugins: all }],
      },
    ],
    upstreams: [
      { name: up, targets },
      { name: 'nginx.shop.new.80', targets: other },
    ],
  });
}

async function servers(count: number, headers: Record<string, string> = {}, path = '/') {
  const found = [];
  for (let index = 0; index < count; index += 1) {
    found.push((await world.ask({ headers, path })).body);
  }
  return new Set(found);
}

describe('rendezvous', () => {
  const place = fc.record({ authority: fc.string({ minLength: 1, maxLength: 12 }) });
  const places = fc.uniqueArray(place, {
    selector: ({ authority }) => authority,
    minLength: 1,
    maxLength: 8,
  });

  test('moves only the keys of what comes or goes', () => {
    fc.assert(
      fc.property(places, place, fc.string(), (some, one, key) => {
        fc.pre(some.every(({ authority }) => authority !== one.authority));
        const [before, after] = [rendezvous(key, some), rendezvous(key, [...some, one])];
        expect(after === one || after === before).toBe(true);
        expect(rendezvous(key, [...some].reverse())?.authority).toBe(before?.authority);
      }),
    );
  });

  test('spreads keys over all', () => {
    const choices = ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'].map((authority) => ({
      authority,
    }));
    const counts = new Map<string, number>();
    for (let key = 0; key < 3_000; key += 1) {
      const name = rendezvous(`/item/${key}`, choices)?.authority ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(Math.min(...counts.values())).toBeGreaterThan(800);
  });
});

describe('cookie-affinity', () => {
  const affinity = (config: object = {}) => ({
    name: 'cookie-affinity',
    config: { upstreams: [up], ...config },
  });
  const cookieOf = (headers: { 'set-cookie'?: string[] | undefined }) =>
    headers['set-cookie']?.[0] ?? '';

  test.each(['balanced', 'persistent'])(
    '%s binds a client to the target it met first',
    async (mode) => {
      await start([affinity({ mode })]);
      const first = await world.ask();
      expect(cookieOf(first.headers)).toMatch(
        new RegExp(`^INGRESSCOOKIE=[\\w.]+\\|${upstreamKey(up)}; Path=/; HttpOnly$`),
      );
      const cookie = cookieOf(first.headers).split(';')[0] ?? '';
      for (let index = 0; index < 6; index += 1) {
        const answer = await world.ask({ headers: { cookie } });
        expect(answer.body).toBe(first.body);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      expect((await servers(40)).size).toBe(3);
    },
  );

  test('names upstreams in the cookie as ingress-nginx does', () => {
    expect(upstreamKey('nginx.aff-cookie.a.80')).toBe('9cb30ab2a14b2e364d05589a895ea758');
  });

  test.each([
    ['balanced', 'unknown', false],
    ['balanced', 'k|wrong', false],
    ['persistent', 'unknown', true],
  ])('%s with the cookie %s: a new one %s', async (mode, value, isNew) => {
    await start([affinity({ mode })]);
    const answer = await world.ask({ headers: { cookie: `INGRESSCOOKIE=${value}` } });
    expect(answer.headers['set-cookie'] !== undefined).toBe(isNew);
  });

  test('writes all attributes, in nginx’s order', async () => {
    await start([
      affinity({
        cookie: 'sid',
        path: '/app',
        domain: 'shop.test',
        expires: 60,
        max_age: 60,
        samesite: 'None',
        secure: true,
      }),
    ]);
    expect(cookieOf((await world.ask()).headers)).toMatch(
      /^sid=[^;]+; Expires=\w{3}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT; Max-Age=60; Domain=shop.test; Path=\/app; Secure; HttpOnly; SameSite=None$/,
    );
  });

  test('leaves SameSite=None out for browsers that do not know it', async () => {
    await start([affinity({ samesite: 'None', conditional_samesite_none: true })]);
    const old = {
      'user-agent': 'Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/60.0.1 Safari/537.36',
    };
    expect(cookieOf((await world.ask({ headers: old })).headers)).not.toContain('SameSite');
    expect(cookieOf((await world.ask()).headers)).toContain('SameSite=None');
  });

  test.each([
    [true, 200],
    [false, 502],
  ])('changes the target on a failure %s: %i', async (change, status) => {
    await start([affinity({ mode: 'persistent', change_on_failure: change })]);
    const first = await world.ask();
    const cookie = cookieOf(first.headers).split(';')[0] ?? '';
    await world.stop();
    await start(
      [affinity({ change_on_failure: change })],
      ['a', 'b', 'c'].filter((name) => name !== 'b'),
    );
    // Some key that leads to a target which fails.
    const answers = [];
    for (let key = 0; key < 12; key += 1) {
      answers.push(await world.ask({ headers: { cookie: `INGRESSCOOKIE=key${key}` } }));
    }
    expect(cookie).not.toBe('');
    expect(answers.some((answer) => answer.status === status)).toBe(true);
    expect(answers.some((answer) => answer.status === 502)).toBe(!change);
    expect(answers.some(({ headers }) => headers['set-cookie'] !== undefined)).toBe(change);
  });

  test.each([
    [{ cookie: 'a b' }, /no name of a cookie/],
    [{ path: '/; Domain=evil' }, /semicolons/],
    [{ samesite: 'maybe' }, /samesite/],
  ])('%o is refused', async (config, message) => {
    await expect(start([affinity(config)])).rejects.toThrow(message);
  });
});

describe('canary', () => {
  const canary = (config: object) => ({
    name: 'canary',
    config: { upstream: 'nginx.shop.new.80', ...config },
  });
  const isCanary = async (headers: Record<string, string | string[]>) =>
    (await world.ask({ headers })).body === 'canary';

  test.each<[object, Record<string, string | string[]>, boolean]>([
    [{ header: 'X-Canary' }, { 'x-canary': 'always' }, true],
    [{ header: 'X-Canary' }, { 'x-canary': 'other' }, false],
    [{ header: 'X-Canary', weight: 100 }, { 'x-canary': 'never' }, false],
    [{ header: 'X-Canary', weight: 100 }, {}, true],
    [{ header: 'X-Canary', header_value: 'v' }, { 'x-canary': 'v' }, true],
    [{ header: 'X-Canary', header_value: 'v' }, { 'x-canary': 'always' }, false],
    [{ header: 'X-Canary', header_value: 'v' }, { 'x-canary': ['v', 'w'] }, false],
    [{ header: 'X-Canary', header_value: 'v', weight: 100 }, { 'x-canary': 'never' }, true],
    [{ header: 'X-User', header_pattern: '^(alice|bob)$' }, { 'x-user': 'alice' }, true],
    [{ header: 'X-User', header_pattern: '^(alice|bob)$' }, { 'x-user': 'ALICE' }, false],
    [{ header: 'X-User', header_pattern: 'li' }, { 'x-user': 'alice' }, true],
    [{ header: 'X-User', header_value: 'v', header_pattern: '.*' }, { 'x-user': 'w' }, false],
    [{ cookie: 'trial' }, { cookie: 'x=1; Trial=always' }, true],
    [{ cookie: 'trial', weight: 100 }, { cookie: 'trial=never' }, false],
    [
      { header: 'X-Canary', cookie: 'trial' },
      { 'x-canary': 'never', cookie: 'trial=always' },
      false,
    ],
    [{ weight: 0 }, {}, false],
    [{ weight: 150 }, {}, true],
  ])('%o and %o: %s', async (config, headers, expected) => {
    await start([canary(config)]);
    expect(await isCanary(headers)).toBe(expected);
  });

  test('takes about the share that its weight says', async () => {
    await start([canary({ weight: 100, weight_total: 200 })]);
    let taken = 0;
    for (let index = 0; index < 200; index += 1) taken += (await isCanary({})) ? 1 : 0;
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(150);
  });

  test.each([true, false])('and a cookie, sticky %s', async (sticky) => {
    const upstreams = [up, 'nginx.shop.new.80'];
    await start([
      canary({ header: 'X-Canary', sticky }),
      { name: 'cookie-affinity', config: { upstreams } },
    ]);
    const cookieAt = (key: string) => `INGRESSCOOKIE=k|${upstreamKey(key)}`;
    expect(await isCanary({ 'x-canary': 'always', cookie: cookieAt(up) })).toBe(false);
    expect(await isCanary({ 'x-canary': 'never', cookie: cookieAt('nginx.shop.new.80') })).toBe(
      sticky,
    );
    const answer = await world.ask({ headers: { 'x-canary': 'always' } });
    expect(answer.body).toBe('canary');
    expect(answer.headers['set-cookie'] !== undefined).toBe(sticky);
  });

  test('a pattern that cannot be run is refused', async () => {
    await expect(start([canary({ header: 'X', header_pattern: '(a)\\1' })])).rejects.toThrow(
      /header_pattern/,
    );
  });
});

describe('upstream-hash', () => {
  const hash = (config: object) => [{ name: 'upstream-hash', config }];

  test('sends what is alike to the same target', async () => {
    await start(hash({ value: '$request_uri' }));
    const met = new Set<string | undefined>();
    for (let path = 0; path < 30; path += 1) {
      const [one, ...others] = await servers(3, {}, `/${path}`);
      expect(others).toEqual([]);
      met.add(one);
    }
    expect(met.size).toBe(3);
  });

  test('goes on to another when the target fails', async () => {
    await start(hash({ value: '$request_uri' }), ['a']);
    for (let path = 0; path < 10; path += 1) {
      expect((await world.ask({ path: `/${path}` })).status).toBe(200);
    }
  });

  test('or to one of as many as it is told', async () => {
    await start(hash({ value: '$request_uri', subset_size: 2 }));
    expect((await servers(40, {}, '/one')).size).toBe(2);
    await expect(start(hash({ value: '$nothing' }))).rejects.toThrow(/no variable/);
  });
});
