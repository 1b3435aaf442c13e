import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { lowPriority, PriorityQueue } from './priority-queue.ts';

const taken = (queue: PriorityQueue<string>) => {
  const items: string[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) {
    items.push(item);
    queue.done(item);
  }
  return items;
};

describe('PriorityQueue', () => {
  test('higher priorities go first, equal ones in order of arrival', () => {
    const queue = new PriorityQueue<string>({ clock: new FakeClock() });
    queue.addWithOptions('initial-1', { priority: lowPriority });
    queue.addWithOptions('initial-2', { priority: lowPriority });
    queue.add('change-1');
    queue.addWithOptions('urgent', { priority: 5 });
    queue.add('change-2');
    expect(queue.length).toBe(5);
    expect(taken(queue)).toEqual(['urgent', 'change-1', 'change-2', 'initial-1', 'initial-2']);
  });

  test('adding again keeps the higher priority and moves to the end of its new level', () => {
    const queue = new PriorityQueue<string>({ clock: new FakeClock() });
    queue.addWithOptions('a', { priority: lowPriority });
    queue.add('b');
    queue.add('a');
    queue.addWithOptions('b', { priority: lowPriority });
    expect(queue.priorityOf('a')).toBe(0);
    expect(queue.length).toBe(2);
    expect(taken(queue)).toEqual(['b', 'a']);
  });

  test('adding now ends a wait; a delay does not hold back what is ready', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    queue.addWithOptions('a', { afterMs: 1_000, priority: 3 });
    queue.add('a');
    expect(queue.priorityOf('a')).toBe(3);
    queue.addWithOptions('a', { afterMs: 5_000 });
    expect(taken(queue)).toEqual(['a']);
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  test('a low priority survives the wait, and being added while worked on', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    queue.addWithOptions('late', { afterMs: 100, priority: lowPriority });
    await clock.advance(100);
    expect(queue.priorityOf('late')).toBe(lowPriority);
    expect(queue.tryGet()).toBe('late');
    queue.addWithOptions('late', { priority: 7 });
    queue.add('other');
    queue.done('late');
    expect(taken(queue)).toEqual(['late', 'other']);
  });

  test('failures of one item wait ever longer, with no limit over all items', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    for (let item = 0; item < 500; item++) queue.addRateLimited(`item-${item}`);
    await clock.advance(5);
    expect(queue.length).toBe(500);
  });

  test('an item that is done without having been taken waits once, as before', () => {
    const queue = new PriorityQueue<string>({ clock: new FakeClock() });
    queue.addWithOptions('a', { priority: 1 });
    queue.done('a');
    queue.add('b');
    expect(queue.length).toBe(2);
    expect(taken(queue)).toEqual(['a', 'b']);
    expect([queue.length, queue.tryGet(), queue.priorityOf('a')]).toEqual([
      0,
      undefined,
      undefined,
    ]);
  });

  test('an item that rises twice comes once, and the levels that it left do not hold it', () => {
    const queue = new PriorityQueue<string>({ clock: new FakeClock() });
    for (const priority of [1, 2, 3]) queue.addWithOptions('a', { priority });
    queue.addWithOptions('b', { priority: 2 });
    queue.addWithOptions('c', { priority: 1 });
    queue.addWithOptions('c', { priority: 2, afterMs: 50 });
    expect(queue.length).toBe(3);
    expect(taken(queue)).toEqual(['a', 'b', 'c']);
    queue.shutDown();
    queue.addWithOptions('late', { priority: 1 });
    expect(queue.priorityOf('late')).toBeUndefined();
  });

  test('of a delay and a limit the longer counts', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    queue.addWithOptions('a', { afterMs: 3, isRateLimited: true });
    queue.addWithOptions('b', { afterMs: 8, isRateLimited: true });
    queue.addAfter('c', 7);
    expect(['a', 'b', 'c'].map((item) => queue.readyAtMs(item))).toEqual([5, 8, 7]);
    expect(['a', 'b', 'c'].map((item) => queue.numRequeues(item))).toEqual([1, 1, 0]);
    await clock.advance(10);
    expect(taken(queue)).toEqual(['a', 'c', 'b']);
  });
});
