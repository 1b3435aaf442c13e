import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAlgorithm } from './algorithm.ts';
import { BalancerAddress, parseTarget } from './balancer-address.ts';
import { DnsCache } from './dns-cache.ts';
import { HealthCounter } from './health-counter.ts';
import { parseHosts } from './system-resolver.ts';
import { UpstreamBalancer } from './upstream-balancer.ts';

const addresses = (weights: readonly number[]) =>
  weights.map((weight, index) => new BalancerAddress('h', `10.0.0.${index + 1}`, 80, weight));
const surroundings = { random: Math.random, now: () => 0 };

describe('round-robin', () => {
  test('gives each address exactly its share, in every round', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(weights, (list) => {
        const all = addresses(list);
        const total = list.reduce((sum, weight) => sum + weight, 0);
        const algorithm = createAlgorithm('round-robin', all, 100, surroundings);
        const counts = new Map<BalancerAddress, number>();
        for (let turn = 0; turn < total; turn += 1) {
          const picked = algorithm.pick(undefined, undefined);
          if (picked !== undefined) counts.set(picked, (counts.get(picked) ?? 0) + 1);
        }
        expect(all.map((address) => counts.get(address) ?? 0)).toEqual(list);
      }),
    );
  });

  test('spreads a heavy address, and leaves out one of weight 0', () => {
    const [a, b, c] = addresses([3, 1, 0]);
    const algorithm = createAlgorithm('round-robin', addresses([3, 1, 0]), 100, surroundings);
    const picked = Array.from({ length: 4 }, () => algorithm.pick(undefined, undefined)?.ip);
    expect(picked.filter((ip) => ip === a?.ip)).toHaveLength(3);
    expect(picked).toContain(b?.ip);
    expect(picked).not.toContain(c?.ip);
  });
});

describe('consistent hashing', () => {
  test('moves only the hashes of an address that goes', () => {
    const all = addresses([10, 10, 10, 10]);
    const before = createAlgorithm('consistent-hashing', all, 1_000, surroundings);
    const after = createAlgorithm('consistent-hashing', all.slice(0, 3), 1_000, surroundings);
    for (let index = 0; index < 500; index += 1) {
      const was = before.pick(`client ${index}`, undefined);
      const is = after.pick(`client ${index}`, undefined);
      if (was !== all[3]) expect(is).toBe(was);
      expect(before.pick(`client ${index}`, undefined)).toBe(was);
    }
  });
});

describe('least-connections', () => {
  test('takes the address with the fewest for its weight', () => {
    const [a, b] = addresses([1, 2]) as [BalancerAddress, BalancerAddress];
    const algorithm = createAlgorithm('least-connections', [a, b], 100, surroundings);
    a.connections = 1;
    b.connections = 2;
    expect(algorithm.pick(undefined, undefined)).toBe(b);
    b.connections = 5;
    expect(algorithm.pick(undefined, undefined)).toBe(a);
  });
});

describe('health', () => {
  test('counts failures in a row, and a success in between starts anew', () => {
    const counter = new HealthCounter();
    const settings = {
      healthy: { http_statuses: [200], successes: 2 },
      unhealthy: { http_statuses: [500], http_failures: 2, tcp_failures: 1 },
    };
    const status = (code: number) => counter.record(settings, { kind: 'status', status: code });
    expect([status(500), status(200), status(500), status(500)]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ]);
    expect([status(200), status(200)]).toEqual([undefined, true]);
    expect(counter.record(settings, { kind: 'tcp-failure' })).toBe(false);
  });

  test('an unhealthy target gets no requests; when targets change the others keep their state', () => {
    const dns = new DnsCache(
      () => Promise.reject(new Error('not asked')),
      () => 0,
    );
    const upstream = {
      id: 'u',
      name: 'u',
      healthchecks: { passive: { unhealthy: { tcp_failures: 1 } } },
    };
    const targets = ['10.0.0.1:80', '10.0.0.2:80'].map((target) => ({
      id: target,
      target,
      weight: 10,
    }));
    const balancer = new UpstreamBalancer(upstream, { ...surroundings, dns, slowStartMs: 0 });
    balancer.update(upstream, targets);
    const first = balancer.pick(undefined, new Set());
    if (first !== undefined) balancer.reportPassive(first, { kind: 'tcp-failure' });
    const picks = () =>
      new Set(Array.from({ length: 8 }, () => balancer.pick(undefined, new Set())?.ip));
    expect(picks()).not.toContain(first?.ip);
    balancer.update(upstream, [...targets, { id: 'n', target: '10.0.0.3:80', weight: 10 }]);
    expect(picks()).not.toContain(first?.ip);
    expect(picks()).toContain('10.0.0.3');
  });
});

describe('slow start', () => {
  test('a target that comes to others gets its share little by little', () => {
    let now = 0;
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const dns = new DnsCache(
      () => Promise.reject(new Error('not asked')),
      () => now,
    );
    const upstream = { id: 'u', name: 'u' };
    const target = (name: string) => ({ id: name, target: `${name}:80`, weight: 10 });
    const balancer = new UpstreamBalancer(upstream, {
      dns,
      random,
      now: () => now,
      slowStartMs: 10_000,
    });
    balancer.update(upstream, [target('10.0.0.1')]);
    balancer.update(upstream, [target('10.0.0.1'), target('10.0.0.2')]);
    const shareOfNew = () => {
      const picks = Array.from({ length: 1_000 }, () => balancer.pick(undefined, undefined)?.ip);
      return picks.filter((ip) => ip === '10.0.0.2').length / 1_000;
    };
    expect(shareOfNew()).toBeLessThan(0.15);
    now = 5_000;
    expect(shareOfNew()).toBeGreaterThan(0.25);
    now = 10_000;
    expect(shareOfNew()).toBe(0.5);
  });
});

describe('names', () => {
  test('a name that does not exist is not asked for with each request', async () => {
    let now = 0;
    let count = 0;
    const dns = new DnsCache(
      () => {
        count += 1;
        return Promise.reject(new Error('no such name'));
      },
      () => now,
    );
    const ask = async () => expect(dns.get('none.test')).rejects.toThrow('no such name');
    await ask();
    await ask();
    expect(count).toBe(1);
    now = 1_500;
    await ask();
    expect(count).toBe(2);
  });

  test('an upstream follows a name that gets other addresses', async () => {
    let now = 0;
    let ip = '10.0.0.1';
    const dns = new DnsCache(
      () => Promise.resolve({ addresses: [{ ip }], ttlMs: 5_000 }),
      () => now,
    );
    const upstream = { id: 'u', name: 'u' };
    const clock = { random: Math.random, now: () => now };
    const balancer = new UpstreamBalancer(upstream, { ...clock, dns, slowStartMs: 0 });
    balancer.update(upstream, [{ id: 't', target: 'a.test:80', weight: 1 }]);
    await balancer.resolve();
    const pick = () => balancer.pick(undefined, undefined)?.ip;
    expect(pick()).toBe('10.0.0.1');
    ip = '10.0.0.2';
    now = 6_000;
    expect(pick()).toBe('10.0.0.1');
    await expect.poll(pick).toBe('10.0.0.2');
  });

  test('the hosts file: IPv4 wins, names have no case, comments do not count', () => {
    const names = parseHosts('127.0.0.1 a B # c\n::1 a\n::2 only6\nnonsense d\n10.0.0.1 b\n');
    expect(Object.fromEntries(names)).toEqual({
      a: ['127.0.0.1'],
      b: ['127.0.0.1', '10.0.0.1'],
      only6: ['::2'],
    });
  });

  test('what has run out is used while it is fetched again', async () => {
    let now = 0;
    let count = 0;
    const dns = new DnsCache(
      () => {
        count += 1;
        return Promise.resolve({ addresses: [{ ip: `10.0.0.${count}` }], ttlMs: 1_000 });
      },
      () => now,
    );
    expect(await dns.get('a.test')).toEqual([{ ip: '10.0.0.1' }]);
    now = 2_000;
    expect(dns.get('a.test')).toEqual([{ ip: '10.0.0.1' }]);
    await expect.poll(() => dns.peek('a.test')).toEqual([{ ip: '10.0.0.2' }]);
  });

  test.each([
    ['a.test:80', 'a.test', 80],
    ['a.test', 'a.test', 8_000],
    ['[::1]:443', '::1', 443],
  ])('%s', (target, host, port) => {
    expect(parseTarget(target)).toEqual({ host, port });
  });
});
