import { expect, test } from 'vitest';
import { parallelizeUntil } from './parallelize-until.ts';

test.each([
  [1, 5, undefined],
  [2, 5, undefined],
  [9, 5, undefined],
  [2, 5, 2],
  [2, 5, 9],
  [2, 5, 0],
  [2, 0, undefined],
  [3, 7, 3],
])('%i workers do each of %i pieces once, %s at a time', async (workers, pieces, chunkSize) => {
  const done: number[] = [];
  let [open, most] = [0, 0];
  await parallelizeUntil(
    { workers, pieces, ...(chunkSize !== undefined && { chunkSize }) },
    async (piece) => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      done.push(piece);
    },
  );
  expect(done.sort((a, b) => a - b)).toEqual(
    Array.from({ length: pieces }, (_one, index) => index),
  );
  const chunks = Math.ceil(pieces / Math.max(1, chunkSize ?? 1));
  expect(most).toBe(Math.min(workers, chunks));
});

test('chunks are of neighbours, the next taken by whoever is free', async () => {
  const order: number[] = [];
  await parallelizeUntil(
    { workers: 1, pieces: 5, chunkSize: 2 },
    (piece) => void order.push(piece),
  );
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test('nothing is begun after the signal, within a chunk neither', async () => {
  const abort = new AbortController();
  const done: number[] = [];
  await parallelizeUntil(
    { workers: 2, pieces: 10, chunkSize: 5, signal: abort.signal },
    (piece) => {
      done.push(piece);
      if (done.length === 3) abort.abort();
    },
  );
  expect(done).toHaveLength(3);
});

test('one that fails fails all, when the others have ended', async () => {
  const done: number[] = [];
  const all = parallelizeUntil({ workers: 2, pieces: 4 }, async (piece) => {
    if (piece === 0) throw new Error('no');
    await Promise.resolve();
    done.push(piece);
  });
  await expect(all).rejects.toThrow('no');
  expect(done).toEqual([1, 2, 3]);
});
