import { expect, test } from 'vitest';
import { parseYaml } from './parse.ts';

const blocks = (depth: number) =>
  Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:`).join('\n');

test.each([
  ['lists', `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['open maps', '{a: '.repeat(50_000)],
  ['lists with brackets in strings', '["]",'.repeat(5000)],
  ['blocks', blocks(1000)],
  ['dashes on one line', `${'- '.repeat(20_000)}x`],
  ['keys in keys', `${'? '.repeat(20_000)}x`],
])('%s nested without end are refused quickly', (_what, text) => {
  const started = process.cpuUsage();
  expect(() => parseYaml(text)).toThrow(/max depth/);
  expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
});

test.each([
  ['many lists side by side', `a:\n${'- [1, {b: [2]}]\n'.repeat(3000)}`],
  ['brackets in strings', `a: "${'['.repeat(5000)}"\nb: |\n  ${'{'.repeat(5000)}\n`],
  ['rules of dashes', `a: |\n  ${'-'.repeat(5000)}\n`],
  ['a far indentation', `a: |\n  b\n${' '.repeat(5000)}c\n`],
  ['some depth', `a: ${'['.repeat(300)}${']'.repeat(300)}\n`],
  ['some depth of blocks', blocks(150)],
])('%s are not deep', (_what, text) => {
  expect(() => parseYaml(text)).not.toThrow();
});
