import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import { findChanges } from './entity-equality.ts';

const paths = (changes: readonly { readonly path: readonly string[] }[]) =>
  changes.map(({ path }) => path.join('.'));

describe('findChanges', () => {
  it('sees no difference in defaults, timestamps, order of tags and empty tags', () => {
    const stored = { id: '1', created_at: 1, name: 'a', host: 'h', port: 80, tags: ['x', 'y'] };
    expect(findChanges('services', stored, { name: 'a', host: 'h', tags: ['y', 'x'] })).toEqual([]);
    expect(findChanges('services', { host: 'h', tags: null }, { host: 'h', tags: [] })).toEqual([]);
  });

  it('takes old and new names of a plugin field for the same', () => {
    const stored = {
      name: 'rate-limiting',
      config: { minute: 5, redis_host: 'r', redis: { host: 'r', port: 6379 } },
    };
    const old = { name: 'rate-limiting', config: { minute: 5, redis_host: 'r' } };
    const recent = { name: 'rate-limiting', config: { minute: 5, redis: { host: 'r' } } };
    expect(findChanges('plugins', stored, old)).toEqual([]);
    expect(findChanges('plugins', stored, recent)).toEqual([]);
    const other = { name: 'rate-limiting', config: { minute: 5, redis: { host: 's' } } };
    expect(paths(findChanges('plugins', stored, other))).toEqual(['config.redis.host']);
  });

  it('minds the order of lists, but not of sets in a configuration', () => {
    const cors = (origins: readonly string[]) => ({ name: 'cors', config: { origins } });
    expect(paths(findChanges('plugins', cors(['a', 'b']), cors(['b', 'a'])))).toEqual([
      'config.origins',
    ]);
    const session = (response_headers: readonly string[]) => ({
      name: 'session',
      config: { secret: 's', response_headers },
    });
    expect(findChanges('plugins', session(['id', 'subject']), session(['subject', 'id']))).toEqual(
      [],
    );
  });

  it('knows the algorithm that hashing implies', () => {
    const stored = { name: 'u', algorithm: 'consistent-hashing', hash_on: 'ip' };
    expect(findChanges('upstreams', stored, { name: 'u', hash_on: 'ip' })).toEqual([]);
  });

  it('compares passwords with their hash, or not at all', () => {
    const consumer = { id: 'c' };
    const password = createHash('sha1').update('secretc').digest('hex');
    const stored = { username: 'u', password, consumer };
    const file = (text: string) => ({ username: 'u', password: text, consumer });
    expect(findChanges('basicauth_credentials', stored, file('secret'))).toEqual([]);
    expect(findChanges('basicauth_credentials', stored, file(password))).toEqual([]);
    expect(paths(findChanges('basicauth_credentials', stored, file('other')))).toEqual([
      'password',
    ]);
    const ignoring = { passwords: 'ignore' } as const;
    expect(findChanges('basicauth_credentials', stored, file('other'), ignoring)).toEqual([]);
  });

  it('compares the configuration of a plugin that it does not know as it is', () => {
    const plugin = (config: Record<string, number | null>) => ({ name: 'own-plugin', config });
    expect(findChanges('plugins', plugin({ a: 1, b: null }), plugin({ a: 1 }))).toEqual([]);
    expect(paths(findChanges('plugins', plugin({ a: 1 }), plugin({ a: 2 })))).toEqual(['config.a']);
  });
});

describe('a time to live', () => {
  const key = (ttl: number | null): JsonObject => ({ id: 'k', key: 'a', ttl });

  it.each([
    [3597, 3600, true],
    [3600, 3600, true],
    [3601, 3600, false],
    [null, 3600, false],
    [3597, null, false],
    [null, null, true],
  ])('of which %j are left is the one of %j: %s', (left, given, isSame) => {
    const changes = findChanges('keyauth_credentials', key(left), key(given));
    expect(changes.map(({ path }) => path)).toEqual(isSame ? [] : [['ttl']]);
  });
});

it('does not count the order of the CA certificates of a service', () => {
  const service = (ids: readonly string[]): JsonObject => ({
    name: 's',
    host: 'h',
    ca_certificates: ids,
  });
  expect(findChanges('services', service(['a', 'b']), service(['b', 'a']))).toEqual([]);
  expect(findChanges('services', service(['a', 'b']), service(['b', 'c']))).toHaveLength(1);
});
