import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import {
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from './rate-limiter.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';

const limiters: Record<string, () => RateLimiter<string>> = {
  exponential: () => new ItemExponentialFailureRateLimiter(1, 64),
  'max of two that count': () =>
    new MaxOfRateLimiter(
      new ItemExponentialFailureRateLimiter(1, 64),
      new ItemFastSlowRateLimiter(2, 50, 3),
    ),
  'with a longest wait': () =>
    new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter(1, 64), 10),
};

describe('RateLimitingQueue', () => {
  // A queue lets its limiter count in the queue's own table. Nobody can tell, also not when the
  // limiter serves two queues and is asked directly, or when items come and go meanwhile.
  test.each(Object.keys(limiters))('delays as its limiter alone would: %s', async (name) => {
    const item = fc.constantFrom('a', 'b', 'c');
    const command = fc.record({
      op: fc.constantFrom('limited', 'limited', 'forget', 'ask', 'add', 'work', 'advance'),
      queue: fc.constantFrom(0, 1),
      item,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const clock = new FakeClock();
        const rateLimiter = limiters[name]!();
        const model = limiters[name]!();
        const queues = [0, 1].map(() => new RateLimitingQueue<string>({ clock, rateLimiter }));
        for (const { op, queue: which, item: one } of commands) {
          const queue = queues[which]!;
          if (op === 'limited') {
            const dueMs = clock.monotonicMs() + model.when(one);
            const earlierMs = queue.readyAtMs(one) ?? Number.POSITIVE_INFINITY;
            queue.addRateLimited(one);
            expect(queue.readyAtMs(one)).toBe(Math.min(dueMs, earlierMs));
          } else if (op === 'forget') {
            queue.forget(one);
            model.forget(one);
          } else if (op === 'ask') expect(rateLimiter.when(one)).toBe(model.when(one));
          else if (op === 'add') queue.add(one);
          else if (op === 'advance') await clock.advance(3);
          else {
            const taken = queue.tryGet();
            if (taken !== undefined) queue.done(taken);
          }
          for (const each of ['a', 'b', 'c'])
            expect(queue.numRequeues(each)).toBe(model.numRequeues(each));
        }
      }),
    );
  });

  test('what was forgotten and done leaves hardly anything behind', () => {
    const queue = new RateLimitingQueue<number>({
      clock: new FakeClock(),
      rateLimiter: new ItemExponentialFailureRateLimiter(0, 0),
    });
    const items = Array.from({ length: 20_000 }, (_, index) => index);
    for (const item of items) {
      queue.addRateLimited(item);
      queue.done(queue.tryGet()!);
    }
    expect(queue.rememberedCount).toBe(items.length);
    for (const item of items) queue.forget(item);
    expect(queue.rememberedCount).toBeLessThanOrEqual(1_024);
  });
});
