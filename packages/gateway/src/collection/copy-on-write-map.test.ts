import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CopyOnWriteMap } from './copy-on-write-map.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd');
const change = fc.tuple(key, fc.option(fc.nat(9), { nil: undefined }));

describe('CopyOnWriteMap', () => {
  test('every version reads as a copy that was made of it', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }), (batches) => {
        const copy = new Map<string, number>();
        const versions = [{ version: CopyOnWriteMap.of<number>(), copy: new Map(copy) }];
        for (const batch of batches) {
          const version = versions.at(-1)?.version.change(batch);
          for (const [name, value] of batch) {
            if (value === undefined) copy.delete(name);
            else copy.set(name, value);
          }
          if (version !== undefined) versions.push({ version, copy: new Map(copy) });
        }
        for (const one of versions) {
          for (const name of ['a', 'b', 'c', 'd']) {
            expect(one.version.get(name)).toBe(one.copy.get(name));
          }
        }
      }),
    );
  });

  test('holds what a plain map would while it grows past many parts and shrinks again', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `key ${index}`);
    let map = CopyOnWriteMap.of<number>();
    for (const [index, name] of names.entries()) map = map.change([[name, index]]);
    expect(map.size).toBe(2_000);
    expect(names.map((name) => map.get(name))).toEqual(names.map((_, index) => index));
    const full = map;
    for (const name of names.slice(10)) map = map.change([[name, undefined]]);
    expect(map.size).toBe(10);
    expect(names.filter((name) => map.get(name) !== undefined)).toEqual(names.slice(0, 10));
    expect(full.get('key 1999')).toBe(1_999);
  });

  test('is the same when nothing changed', () => {
    const map = CopyOnWriteMap.of([['a', 1]]);
    expect(map.change([])).toBe(map);
  });
});
