import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedNames } from './sorted-names.ts';

const name = fc.string({ maxLength: 2 });
const step = fc.record({ isDelete: fc.boolean(), isRead: fc.boolean(), name });

test('are those that were added and not deleted, in order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const names = new SortedNames();
      const model = new Set<string>();
      for (const { isDelete, isRead, name } of steps) {
        if (isDelete) {
          names.delete(name);
          model.delete(name);
        } else {
          names.add(name);
          model.add(name);
        }
        if (isRead) expect(names.values()).toEqual([...model].sort());
      }
      expect(names.values()).toEqual([...model].sort());
    }),
  );
});
