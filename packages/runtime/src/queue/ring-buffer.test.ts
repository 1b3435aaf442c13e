import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RingBuffer } from './ring-buffer.ts';

test.each([
  [undefined, 16],
  [1, 16],
  [16, 16],
  [17, 32],
  [1_024, 1_024],
])('room for %s at first is room for %i', (asked, capacity) => {
  expect(new RingBuffer(asked).capacity).toBe(capacity);
});

test('is a list from whose front is taken, and keeps no more room than it needs', () => {
  const command = fc.oneof(
    { weight: 3, arbitrary: fc.record({ op: fc.constant('push' as const), count: fc.nat(40) }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('shift' as const), count: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.constant({ op: 'clear' as const, count: 0 }) },
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      const buffer = new RingBuffer<number>();
      let model: number[] = [];
      let next = 0;
      for (const { op, count } of commands) {
        if (op === 'clear') {
          buffer.clear();
          model = [];
        }
        for (let left = count; left > 0; left--) {
          if (op === 'push') {
            buffer.push(next);
            model.push(next++);
          } else expect(buffer.shift()).toBe(model.shift());
        }
        expect([...buffer]).toEqual(model);
        expect(buffer.length).toBe(model.length);
        expect(buffer.at(0)).toBe(model[0]);
        expect(buffer.at(model.length - 1)).toBe(model.at(-1));
        expect(buffer.at(model.length)).toBeUndefined();
        expect(buffer.capacity).toBeGreaterThanOrEqual(model.length);
      }
      while (buffer.length > 0) buffer.shift();
      expect(buffer.capacity).toBe(16);
    }),
  );
});
