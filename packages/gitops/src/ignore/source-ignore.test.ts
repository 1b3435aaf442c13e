import { describe, expect, test } from 'vitest';
import { SourceIgnore } from './source-ignore.ts';

const ignoring = (rules: string) => SourceIgnore.forTree({ files: new Map(), rules });

describe('hostile patterns', () => {
  test.each([
    ['stars', `${'*a'.repeat(2000)}b`, 'a'.repeat(4000)],
    ['classes', `${'[a-z]*'.repeat(1000)}!`, 'a'.repeat(4000)],
    ['spaces within', `x${' '.repeat(1_000_000)}y`, 'x y'],
    ['directories', `${'**/'.repeat(5000)}x`, `${'a/'.repeat(2000)}y`],
    ['brackets', '['.repeat(100_000), '['.repeat(100)],
  ])('%s take no time', (_name, rules, path) => {
    const start = process.cpuUsage();
    ignoring(`${rules}\n`).isIgnored(path);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });

  test('are not taken in any number', () => {
    expect(() => ignoring('a\n'.repeat(10_001))).toThrow('more than 10000 patterns');
  });
});

test('looking at many files gives way to others', async () => {
  const ignore = ignoring(Array.from({ length: 200 }, (_one, index) => `*x${index}*\n`).join(''));
  const files = Array.from({ length: 2000 }, (_one, index) => ({ path: `dir/file-${index}.yaml` }));
  let turns = 0;
  let isDone = false;
  const watch = (): void => {
    turns += 1;
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  const selected = await ignore.select(files);
  isDone = true;
  expect(selected).toHaveLength(2000);
  // One more comes by when all is done.
  expect(turns).toBeGreaterThan(2);
});
