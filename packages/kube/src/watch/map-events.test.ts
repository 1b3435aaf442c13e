import { expect, it } from 'vitest';
import { mapEvents, type WatchStream } from './event-stream.ts';

function streamOf(...events: number[]): WatchStream<number> & { isReturned: boolean } {
  return {
    isReturned: false,
    [Symbol.asyncIterator]() {
      return this;
    },
    poll: () => events.shift(),
    next: async () => {
      const value = events.shift();
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    async return() {
      this.isReturned = true;
      return { done: true, value: undefined };
    },
  };
}

it('changes what is waited for and what is there at once, and ends as the other ends', async () => {
  const stream = streamOf(1, 2, 3);
  const mapped = mapEvents(stream, (event) => `#${event}`);
  expect(mapped.poll()).toBe('#1');
  expect(await mapped.next()).toEqual({ done: false, value: '#2' });
  const rest: string[] = [];
  for await (const event of mapped) rest.push(event);
  expect(rest).toEqual(['#3']);
  expect(mapped.poll()).toBeUndefined();
  expect(await mapped.next()).toEqual({ done: true, value: undefined });
  expect(stream.isReturned).toBe(false);
});

it('whoever leaves the loop ends the other', async () => {
  const stream = streamOf(1, 2);
  for await (const _event of mapEvents(stream, String)) break;
  expect(stream.isReturned).toBe(true);
});
