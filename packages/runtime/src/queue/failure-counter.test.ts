import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FailureCounter } from './failure-counter.ts';

test('counts as a plain map of counts does', () => {
  const step = fc.tuple(fc.constantFrom('fail', 'fail', 'forget'), fc.constantFrom('a', 'b', 'c'));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const counter = new FailureCounter<string>();
      const model = new Map<string, number>();
      for (const [action, item] of steps) {
        if (action === 'forget') {
          counter.forget(item);
          model.delete(item);
        } else {
          expect(counter.increment(item)).toBe(model.get(item) ?? 0);
          model.set(item, (model.get(item) ?? 0) + 1);
        }
        for (const one of ['a', 'b', 'c']) expect(counter.countOf(one)).toBe(model.get(one) ?? 0);
      }
    }),
  );
});
