import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareKeys } from './key-order.ts';

// Each list is in order, and so are any two of it.
test.each([
  [['', 'a', 'aa', 'aaa']],
  [['a', 'a-', 'a0', 'a1', 'a01', 'a2', 'a10', 'ab']],
  [['a1', 'a2', 'a02', 'a10', 'a010']],
  [['A', 'B', 'a', 'b', 'é', '日']],
  [['-', '_', 'Z', 'z']],
  [['.a', '1', '2', '10', 'a']],
  [['a9', 'a10', 'a99', 'a100', 'a101', 'a110']],
  [['x-1', 'x-2', 'x-10', 'x1', 'xy']],
  [['a\u{1F600}', 'a\u{1F601}', 'a\u{20000}', 'a\u{20001}']],
  [['1.2', '1.10', '1.a', '2']],
])('%j', (keys) => {
  for (let first = 0; first < keys.length; first++)
    for (let second = 0; second < keys.length; second++)
      expect(
        Math.sign(compareKeys(keys[first]!, keys[second]!)),
        `${keys[first]} and ${keys[second]}`,
      ).toBe(Math.sign(first - second));
});

test('two keys are in one order, whichever is asked first', () => {
  const key = fc.stringMatching(/^[a0-9.é-]{0,6}$/);
  fc.assert(
    fc.property(key, key, (one, other) => {
      expect(Math.sign(compareKeys(one, other))).toBe(0 - Math.sign(compareKeys(other, one)) + 0);
    }),
  );
});
