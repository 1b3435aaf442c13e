import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Backend } from './config.ts';
import { EndpointPool, keyOf } from './endpoint-pool.ts';

function pool(backend: Partial<Backend>, clock = { ms: 0 }, previous?: EndpointPool): EndpointPool {
  const options = { maxFailures: 2, ejectionMs: 1000, now: () => clock.ms };
  return new EndpointPool({ name: 'b', endpoints: [], ...backend }, options, previous);
}

const endpoints = [
  { address: '10.0.0.1', port: 1 },
  { address: '10.0.0.2', port: 1 },
];
const none = new Set<string>();
const pickPort = (from: EndpointPool, tried = none) => from.pick(tried)?.endpoint.address;

describe('EndpointPool', () => {
  test('shares follow the weights exactly over a full turn, and are spread out', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(weights, (weights) => {
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const balanced = pool({
          endpoints: weights.map((weight, port) => ({ address: 'x', port, weight })),
        });
        const counts = weights.map(() => 0);
        for (let turn = 0; turn < total; turn += 1)
          counts[balanced.pick(none)!.endpoint.port]! += 1;
        expect(counts).toEqual(weights);
      }),
    );
  });

  test.each([
    [[5, 1, 1], 'aabacaa'],
    [[1, 1, 1], 'abc'],
    [[2, 1], 'aba'],
    [[0, 1], 'b'],
    [[undefined, 1], 'ab'],
  ])('with weights %j the turns are %s, again and again', (weights, turn) => {
    const balanced = pool({
      endpoints: weights.map((weight, index) => ({
        address: 'abc'[index]!,
        port: 1,
        ...(weight !== undefined && { weight }),
      })),
    });
    const turns = Array.from({ length: 3 * turn.length }, () => pickPort(balanced)).join('');
    expect(turns).toBe(turn.repeat(3));
  });

  test('an address is told from a name, which is to be looked up', () => {
    const told = ['10.0.0.1', '::1', 'db.example.com'].map(
      (address) => pool({ endpoints: [{ address, port: 1 }] }).pick()?.isAddress,
    );
    expect(told).toEqual([true, true, false]);
  });

  test.each<[string, ('failed' | 'connected')[], number, boolean]>([
    ['after no failure', [], 0, false],
    ['after one failure', ['failed'], 0, false],
    ['after two in a row', ['failed', 'failed'], 0, true],
    ['while its time runs', ['failed', 'failed'], 999, true],
    ['when its time is over', ['failed', 'failed'], 1000, false],
    ['after two that were not in a row', ['failed', 'connected', 'failed'], 0, false],
    ['after two and a success', ['failed', 'failed', 'connected'], 0, false],
    ['after a third, whose time runs anew', ['failed', 'failed', 'failed'], 0, true],
  ])('%s an endpoint is left out: %#', (_when, outcomes, ms, isOut) => {
    const clock = { ms: 0 };
    const sick = pool({ endpoints: [{ ...endpoints[0]!, weight: 1000 }, endpoints[1]!] }, clock);
    const lease = sick.pick()!;
    for (const outcome of outcomes) lease[outcome]();
    clock.ms = ms;
    expect(pickPort(sick)).toBe(isOut ? '10.0.0.2' : '10.0.0.1');
  });

  test('load counts by weight, and what is given back no longer', () => {
    const heavy = { ...endpoints[0]!, weight: 3 };
    const least = pool({ endpoints: [heavy, endpoints[1]!], balance: 'least-connections' });
    const leases = Array.from({ length: 8 }, () => least.pick()!);
    expect(leases.map(({ endpoint }) => endpoint.address.at(-1)).join('')).toBe('12111211');
    for (const lease of leases) lease.release();
    expect([pickPort(least), pickPort(least)]).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  test('a change keeps the load and the turn of those who stay, and takes their new weight', () => {
    const before = pool({ endpoints, balance: 'least-connections' });
    before.pick();
    const after = pool({ endpoints, balance: 'least-connections' }, { ms: 0 }, before);
    expect(pickPort(after)).toBe('10.0.0.2');
    const silent = [{ ...endpoints[0]!, weight: 0 }, endpoints[1]!];
    expect(pickPort(pool({ endpoints: silent }, { ms: 0 }, after))).toBe('10.0.0.2');
  });

  test('least-connections picks the idle one, by weight', () => {
    const least = pool({ endpoints, balance: 'least-connections' });
    const first = least.pick(none)!;
    expect(pickPort(least)).toBe('10.0.0.2');
    first.release();
    expect(pickPort(least)).toBe('10.0.0.1');
  });

  test('an endpoint that failed twice in a row is left out for a while, and comes back', () => {
    const clock = { ms: 0 };
    const sick = pool({ endpoints }, clock);
    for (let times = 0; times < 4; times += 1) {
      const lease = sick.pick(none)!;
      if (lease.endpoint.address === '10.0.0.1') lease.failed();
      lease.release();
    }
    expect([pickPort(sick), pickPort(sick), pickPort(sick)]).toEqual([
      '10.0.0.2',
      '10.0.0.2',
      '10.0.0.2',
    ]);
    clock.ms = 1001;
    expect([pickPort(sick), pickPort(sick)]).toContain('10.0.0.1');
  });

  test('when all are out, they are tried all the same', () => {
    const sick = pool({ endpoints: [endpoints[0]!] });
    for (let times = 0; times < 3; times += 1) {
      const lease = sick.pick(none)!;
      lease.failed();
      lease.release();
    }
    expect(pickPort(sick)).toBe('10.0.0.1');
  });

  test('what was tried is not offered again', () => {
    const two = pool({ endpoints });
    const first = two.pick(none)!;
    const second = two.pick(new Set([keyOf(first.endpoint)]))!;
    expect(second.endpoint).not.toEqual(first.endpoint);
    expect(two.pick(new Set(endpoints.map(keyOf)))).toBeUndefined();
  });

  test('health carries over a change of the backend', () => {
    const before = pool({ endpoints: [endpoints[0]!] });
    for (let times = 0; times < 2; times += 1) before.pick(none)!.failed();
    const after = pool({ endpoints }, { ms: 0 }, before);
    expect([pickPort(after), pickPort(after)]).toEqual(['10.0.0.2', '10.0.0.2']);
  });
});
