import { expect, test } from 'vitest';
import { oncePer } from './once-per.ts';

test('an answer is worked out once for each object, nothing among them', () => {
  const asked: object[] = [];
  const first = oncePer((list: readonly (number | undefined)[]) => {
    asked.push(list);
    return list[0];
  });
  const [one, same, none] = [[1], [1], [undefined]];
  expect([first(one), first(none), first(one), first(same), first(none)]).toEqual([
    1,
    undefined,
    1,
    1,
    undefined,
  ]);
  expect(asked).toEqual([one, none, same]);
});

test('what threw is asked again', () => {
  let count = 0;
  const answer = oncePer((_: object) => {
    count += 1;
    if (count === 1) throw new Error('not yet');
    return count;
  });
  const key = {};
  expect(() => answer(key)).toThrow('not yet');
  expect([answer(key), answer(key)]).toEqual([2, 2]);
});
