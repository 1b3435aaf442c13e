import { expect, test } from 'vitest';
import { printLogEntry } from './log-entry.ts';

test.each([
  ['plain', 'plain'],
  ['two words', '"two words"'],
  ['', '""'],
  ['a\u00a0b', '"a\\u00a0b"'],
  ['say "a"\n', '"say \\"a\\"\\n"'],
  ['bell\u0007', '"bell\\a"'],
  ['käse', 'käse'],
])('Helm 4 prints %j as Go quotes it', (text, printed) => {
  expect(printLogEntry({ place: 'a.go:1', text }, 4)).toBe(`level=INFO msg=${printed}\n`);
});
