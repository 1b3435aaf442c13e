import { expect, test } from 'vitest';
import { OutputBook, type ReadOptions } from './output-book.ts';

const plain = (more: Partial<ReadOptions> = {}): ReadOptions => ({
  isFollowing: false,
  isPrevious: false,
  hasTimestamps: false,
  tailLines: undefined,
  sinceMs: undefined,
  signal: new AbortController().signal,
  ...more,
});
const all = async (lines: AsyncIterable<string>): Promise<string> => {
  let text = '';
  for await (const line of lines) text += line;
  return text;
};

test('a run has its lines, and the one before it stays for those who ask', async () => {
  const book = new OutputBook();
  book.begin('web');
  book.add('web', 1_000, 'one');
  book.add('web', 2_000, 'two');
  expect(await all(book.read('web', plain()))).toBe('one\ntwo\n');
  expect(await all(book.read('web', plain({ tailLines: 1 })))).toBe('two\n');
  expect(await all(book.read('web', plain({ tailLines: 0 })))).toBe('');
  expect(await all(book.read('web', plain({ sinceMs: 1_500, hasTimestamps: true })))).toBe(
    '1970-01-01T00:00:02.000Z two\n',
  );
  book.end('web');
  book.begin('web');
  book.add('web', 3_000, 'three');
  expect(await all(book.read('web', plain()))).toBe('three\n');
  expect(await all(book.read('web', plain({ isPrevious: true })))).toBe('one\ntwo\n');
});

test('who follows hears what comes, until the run is over, another begins, or they go', async () => {
  const book = new OutputBook();
  book.begin('web');
  const followed = all(book.read('web', plain({ isFollowing: true })));
  book.add('web', 1, 'a');
  await Promise.resolve();
  book.add('web', 2, 'b');
  book.end('web');
  expect(await followed).toBe('a\nb\n');
  book.begin('web');
  const replaced = all(book.read('web', plain({ isFollowing: true })));
  await Promise.resolve();
  book.begin('web');
  expect(await replaced).toBe('');
  const gone = new AbortController();
  const left = all(book.read('web', plain({ isFollowing: true, signal: gone.signal })));
  gone.abort();
  expect(await left).toBe('');
});

test('a program that never stops printing does not fill memory, and who follows misses nothing', async () => {
  const book = new OutputBook();
  book.begin('web');
  let heard = 0;
  const follower = (async () => {
    for await (const _line of book.read('web', plain({ isFollowing: true }))) heard += 1;
  })();
  for (let index = 0; index < 12_000; index += 1) {
    book.add('web', index, `line ${index}`);
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  book.end('web');
  await follower;
  expect(heard).toBe(12_000);
  const kept = (await all(book.read('web', plain()))).split('\n').length - 1;
  expect(kept).toBeLessThanOrEqual(5_000);
});
