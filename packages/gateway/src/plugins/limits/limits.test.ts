import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { LeakyBuckets } from './leaky-buckets.ts';
import { Slots } from './slots.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

describe('leaky buckets', () => {
  const limit = (key: string, perSecond: number, burst: number) => ({ key, perSecond, burst });

  test('let a burst and one in at once, and then what leaks away', () => {
    const buckets = new LeakyBuckets();
    const take = (now: number) => buckets.take('z', [limit('a', 1, 5)], now);
    expect(Array.from({ length: 8 }, () => take(0))).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect([take(1_100), take(1_100), take(2_200)]).toEqual([true, false, true]);
  });

  test('count a request for all limits or for none', () => {
    const buckets = new LeakyBuckets();
    const take = (now: number) => buckets.take('z', [limit('s', 1, 0), limit('m', 0.05, 2)], now);
    expect([take(0), take(10), take(1_000), take(2_000), take(3_000)]).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  test('never let in more than the burst and what the rate allows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 10 }),
        (gaps, rate, burst) => {
          const buckets = new LeakyBuckets();
          let now = 0;
          let admitted = 0;
          for (const gap of gaps) {
            now += gap;
            admitted += buckets.take('z', [limit('a', rate, burst)], now) ? 1 : 0;
          }
          expect(admitted).toBeLessThanOrEqual(1 + burst + (now * rate) / 1_000 + 1e-6);
        },
      ),
    );
  });

  test('forget who is quiet, and hold no more than a zone may', () => {
    const buckets = new LeakyBuckets();
    for (let client = 0; client < 70_000; client += 1) {
      buckets.take('z', [limit(String(client), 1, 1)], 0);
    }
    expect(buckets.size).toBeLessThanOrEqual(65_536);
    for (let time = 0; time < 70_000; time += 1) {
      buckets.take('z', [limit('only', 1_000, 1_000)], 10_000 + time);
    }
    expect(buckets.size).toBeLessThanOrEqual(1);
  });
});

describe('slots', () => {
  test('of a process that is gone are free', () => {
    const slots = new Slots((id) => id === 1);
    expect([
      slots.take('k', 2, 1),
      slots.take('k', 2, 2),
      slots.take('k', 2, 1),
      slots.take('k', 2, 1),
    ]).toEqual([true, true, true, false]);
    slots.give('k', 1);
    slots.give('k', 1);
    slots.give('k', 1);
    expect(slots.size).toBe(0);
  });
});

describe('request-rate', () => {
  async function start(config: object, more: readonly object[] = []) {
    await world.start(
      await world.backend('a'),
      [
        { name: 'nginx-proxy' },
        { name: 'request-rate', config: { zone: 'z', ...config } },
        ...more,
      ],
      {},
      { now: () => 1_000_000 },
    );
  }
  const statuses = async (count: number, from = '127.0.0.1') => {
    const found: number[] = [];
    for (let index = 0; index < count; index += 1) {
      found.push((await world.ask({ from })).status);
    }
    return found;
  };

  test('limits each address by itself', async () => {
    await start({ limits: [{ rate: 1, burst: 1 }], status: 429 });
    expect(await statuses(3)).toEqual([200, 200, 429]);
    expect(await statuses(3, '127.0.0.4')).toEqual([200, 200, 429]);
  });

  test('leaves out who is on the list, and comes before who asks for a password', async () => {
    const auth = [{ name: 'htpasswd-auth', config: { users: ['a:{PLAIN}b'] } }];
    await start({ limits: [{ rate: 2, per: 'minute', burst: 2 }], allow: ['127.0.0.4/31'] }, auth);
    expect(await statuses(4)).toEqual([401, 401, 401, 503]);
    expect(await statuses(5, '127.0.0.5')).toEqual([401, 401, 401, 401, 401]);
  });

  test.each([
    [{ limits: [{ rate: 0 }] }, /rate/],
    [{ limits: [{ rate: 1, per: 'hour' }] }, /per/],
    [{ limits: [], allow: ['x'] }, /no network/],
    [{ limits: [], key: '$x' }, /no variable/],
  ])('%o is refused', async (config, message) => {
    await expect(start(config)).rejects.toThrow(message);
  });
});

describe('connection-limit', () => {
  test('counts what is under way, and no more once it is over', async () => {
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const port = await world.backend('a', async () => {
      await opened;
      return {};
    });
    const config = { zone: 'z', limit: 2, allow: ['127.0.0.9'] };
    await world.start(port, [{ name: 'nginx-proxy' }, { name: 'connection-limit', config }]);
    const held = [world.ask(), world.ask()];
    await expect.poll(() => world.received.length).toBe(2);
    expect((await world.ask()).status).toBe(503);
    const other = [world.ask({ from: '127.0.0.4' }), world.ask({ from: '127.0.0.9' })];
    await expect.poll(() => world.received.length).toBe(4);
    open();
    const answers = await Promise.all([...held, ...other]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await expect.poll(async () => (await world.ask()).status).toBe(200);
  });
});
