import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

test('a change is shown with three lines around it', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const after = before.map((line) => (line === 'e' ? 'E' : line));
  expect(unifiedDiff(before.join('\n'), after.join('\n'))).toBe(
    '@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n',
  );
});

test('changes that are far apart are shown apart', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const after = before.map((line, i) => (i === 1 || i === 18 ? `${line}!` : line));
  expect(unifiedDiff(before.join('\n'), after.join('\n')).match(/^@@/gm)).toHaveLength(2);
});

test('equal texts have no difference', () => {
  expect(unifiedDiff('a\nb', 'a\nb')).toBe('');
});

test('what is removed and added makes the one text of the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, unifiedDiff(before.join('\n'), after.join('\n')))).toEqual(after);
    }),
  );
});

function patched(lines: readonly string[], diff: string): string[] {
  const result = [...lines];
  let shift = 0;
  for (const hunk of diff.split(/^(?=@@)/m).filter((each) => each !== '')) {
    const [head = '', ...body] = hunk.trimEnd().split('\n');
    const [, start = '1', count] = /^@@ -(\d+)(?:,(\d+))?/.exec(head) ?? [];
    const length = count === undefined ? 1 : Number(count);
    const at = (length === 0 ? Number(start) : Number(start) - 1) + shift;
    const next = body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    result.splice(at, length, ...next);
    shift += next.length - length;
  }
  return result;
}
