import type { KubeObject } from '@waygate/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import { Indexer } from './indexer.ts';
import { MutationCache, type MutationCacheOptions } from './mutation-cache.ts';

let clock: FakeClock;
let store: Indexer<KubeObject>;

beforeEach(() => {
  clock = new FakeClock();
  store = new Indexer<KubeObject>();
});

const object = (resourceVersion: string, uid = 'u', name = 'a'): KubeObject => ({
  metadata: { name, namespace: 'n', uid, resourceVersion },
});
const cacheOf = (options: MutationCacheOptions = {}) =>
  new MutationCache(store, { clock, ...options });
const version = (cache: MutationCache<KubeObject>, key = 'n/a') =>
  cache.getByKey(key)?.metadata.resourceVersion;

describe('what was written lies over what the informer has seen', () => {
  test.each([
    ['a newer write', '5', '6', '6'],
    ['a much newer write', '9', '10', '10'],
    ['an older write', '6', '5', '6'],
    ['a much older write', '10', '9', '10'],
    ['the same', '5', '5', '5'],
    ['one without a number', 'x', '6', 'x'],
    ['a store without a number', '5', 'y', '5'],
    ['a number that begins with nothing', '5', '06', '5'],
  ])('%s', (_name, stored, written, wanted) => {
    const cache = cacheOf();
    store.add(object(stored));
    cache.mutation(object(written));
    expect(version(cache)).toBe(wanted);
    expect(version(cache)).toBe(wanted);
  });

  test('another object of the same name is not meant', () => {
    const cache = cacheOf();
    store.add(object('5', 'other'));
    cache.mutation(object('9'));
    expect(version(cache)).toBe('5');
    store.add(object('5', 'u'));
    expect(version(cache)).toBe('5');
  });

  test('what the store does not have is answered only when that is wanted', () => {
    for (const [includeAdds, wanted] of [
      [false, undefined],
      [true, '6'],
    ] as const) {
      const cache = cacheOf({ includeAdds });
      cache.mutation(object('6'));
      expect(version(cache)).toBe(wanted);
    }
    expect(version(cacheOf({ includeAdds: true }))).toBeUndefined();
  });

  test('a write is forgotten after its time', async () => {
    const cache = cacheOf({ ttlMs: 100 });
    store.add(object('5'));
    cache.mutation(object('6'));
    await clock.advance(99);
    expect(version(cache)).toBe('6');
    await clock.advance(1);
    expect(version(cache)).toBe('5');
    const usual = cacheOf();
    usual.mutation(object('6'));
    await clock.advance(59_999);
    expect(version(usual)).toBe('6');
    await clock.advance(1);
    expect(version(usual)).toBe('5');
  });

  test('of too many the oldest are forgotten; writing again makes one new', () => {
    const cache = cacheOf({ capacity: 2, includeAdds: true });
    for (const name of ['a', 'b', 'a', 'c']) cache.mutation(object('6', 'u', name));
    expect(['n/a', 'n/b', 'n/c'].map((key) => version(cache, key))).toEqual(['6', undefined, '6']);
    const usual = cacheOf({ includeAdds: true });
    for (let index = 0; index <= 100; index++) usual.mutation(object('6', 'u', `o${index}`));
    expect(version(usual, 'n/o0')).toBeUndefined();
    expect(version(usual, 'n/o1')).toBe('6');
  });
});

describe('what the informer sees', () => {
  test.each([
    ['an older state keeps the write', '5', '6'],
    ['the write itself', '6', undefined],
    ['a newer state', '7', undefined],
  ])('%s', (_name, seen, wanted) => {
    const cache = cacheOf({ includeAdds: true });
    cache.mutation(object('6'));
    cache.onAddOrUpdate(object(seen));
    cache.onAddOrUpdate(object(seen, 'u', 'stranger'));
    expect(version(cache)).toBe(wanted);
  });

  test.each([
    ['a deletion of the object', object('5'), undefined],
    ['one of an older object of the name', object('5', 'old'), '6'],
    ['one of a newer object of the name', object('7', 'new'), undefined],
    [
      'one of nobody knows what',
      new DeletedFinalStateUnknown<KubeObject>('n/a', undefined),
      undefined,
    ],
    ['a tombstone', new DeletedFinalStateUnknown('n/a', object('5', 'old')), '6'],
    ['a tombstone of another', new DeletedFinalStateUnknown('n/b', object('7')), '6'],
  ])('%s', (_name, deleted, wanted) => {
    const cache = cacheOf({ includeAdds: true });
    cache.mutation(object('6'));
    cache.onDelete(deleted);
    expect(version(cache)).toBe(wanted);
  });
});
