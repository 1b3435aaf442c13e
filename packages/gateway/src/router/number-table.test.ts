import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NumberTable } from './number-table.ts';

describe('NumberTable', () => {
  test('holds what a Map holds, also with keys that all want the same place', () => {
    const key = fc.oneof(
      fc.nat(40),
      fc.nat(40).map((one) => one * 1_024),
    );
    const step = fc.record({ key, value: fc.option(fc.integer({ min: -100, max: 100 })) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const table = new NumberTable();
        const map = new Map<number, number>();
        const keys = new Set(steps.map((one) => one.key));
        for (const one of steps) {
          if (one.value === null) {
            table.delete(one.key);
            map.delete(one.key);
          } else {
            table.set(one.key, one.value);
            map.set(one.key, one.value);
          }
        }
        for (const one of keys) {
          expect(table.get(one)).toBe(map.get(one));
        }
      }),
    );
  });

  test('shrinks again', () => {
    const table = new NumberTable();
    for (let key = 0; key < 5_000; key += 1) table.set(key * 7, key);
    for (let key = 0; key < 4_999; key += 1) table.delete(key * 7);
    expect(table.get(4_999 * 7)).toBe(4_999);
    expect(table.get(7)).toBeUndefined();
  });
});
