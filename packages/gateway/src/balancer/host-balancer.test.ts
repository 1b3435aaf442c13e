import { describe, expect, test } from 'vitest';
import type { BalancerAddress } from './balancer-address.ts';
import type { DnsCache, ResolvedAddress } from './dns-cache.ts';
import { HostBalancer } from './host-balancer.ts';

const found = (...ips: string[]): readonly ResolvedAddress[] => ips.map((ip) => ({ ip }));
const dnsOf = (get: () => unknown) => ({ get }) as unknown as DnsCache;
const shown = (value: unknown) => {
  const { kind, address } = value as { kind: string; address?: BalancerAddress };
  return address === undefined ? kind : `${address.ip}:${address.port}`;
};

describe('the addresses of a host', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['::1', '::1'],
  ])('%s is one itself, and no name is asked for', (host, ip) => {
    const balancer = new HostBalancer(
      host,
      80,
      dnsOf(() => expect.unreachable()),
    );
    expect(shown(balancer.pick(undefined))).toBe(`${ip}:80`);
    expect([...balancer.addresses].map((each) => [each.ip, each.weight])).toEqual([[ip, 100]]);
  });

  test('take turns, and those that were tried come last', async () => {
    const list = found('10.0.0.1', '10.0.0.2', '10.0.0.3');
    const balancer = new HostBalancer(
      'h.test',
      80,
      dnsOf(() => list),
    );
    const picked = [1, 2, 3, 4].map(() => shown(balancer.pick(undefined)));
    expect(picked).toEqual(['10.0.0.2:80', '10.0.0.3:80', '10.0.0.1:80', '10.0.0.2:80']);
    const all = [...balancer.addresses];
    expect(all).toHaveLength(3);
    const tried = new Set(all.filter(({ ip }) => ip !== '10.0.0.1'));
    expect([1, 2].map(() => shown(balancer.pick(tried)))).toEqual(['10.0.0.1:80', '10.0.0.1:80']);
    expect(shown(balancer.pick(new Set(all)))).toBe('10.0.0.2:80');
  });

  test('are waited for, kept while they stay, and forgotten when they go', async () => {
    let list: readonly ResolvedAddress[] = [{ ip: '10.0.0.1', port: 81 }, { ip: '10.0.0.2' }];
    const balancer = new HostBalancer(
      'h.test',
      80,
      dnsOf(() => Promise.resolve(list)),
    );
    expect([shown(await balancer.pick(undefined)), shown(await balancer.pick(undefined))]).toEqual([
      '10.0.0.2:80',
      '10.0.0.1:81',
    ]);
    const [first] = [...balancer.addresses];
    list = found('10.0.0.2', '10.0.0.3');
    await balancer.pick(undefined);
    await balancer.pick(undefined);
    expect([...balancer.addresses].map(({ ip }) => ip)).toEqual(['10.0.0.2', '10.0.0.3']);
    expect([...balancer.addresses][0]).toBe(first);
  });

  test.each([
    ['nothing', () => []],
    ['an error', () => Promise.reject(new Error('no such name'))],
  ])('%s is no address', async (_what, get) => {
    const balancer = new HostBalancer('h.test', 80, dnsOf(get));
    expect(await balancer.pick(undefined)).toMatchObject({ kind: 'none' });
  });
});
