import { expect, test } from 'vitest';
import { comparedLinesText, lineDifference, plain } from './compare-flux.ts';
import { fluxLines } from './flux-lines.ts';

const outcome = { stdout: '', stderr: '', exitCode: 0, objects: '' };

test.each([
  [{}, {}, 'same'],
  [{ stdout: 'a' }, { stdout: 'b' }, 'other output'],
  [{ stdout: 'A  \tB\t\n' }, { stdout: 'A    B\n' }, 'other layout'],
  [{ stderr: '► a' }, { stderr: '► b' }, 'other words beside it'],
  [{ exitCode: 1 }, {}, 'only ours does it'],
  [{}, { exitCode: 64 }, 'only the real one does it'],
  [{ objects: 'a' }, { stdout: 'b' }, 'other objects'],
  [
    { exitCode: 1, stderr: '✗ name is required\n' },
    { exitCode: 64, stderr: 'waygate: name is required\nSay which.\n' },
    'same',
  ],
  [
    { exitCode: 1, stderr: '✗ no' },
    { exitCode: 1, stderr: 'waygate: never' },
    'both refuse, other words',
  ],
])('%j and %j are: %s', (real, ours, kind) => {
  expect(lineDifference({ ...outcome, ...real }, { ...outcome, ...ours })).toBe(kind);
});

test('what differs from run to run does not count', () => {
  expect(plain('flux get at 2026-01-02T03:04:05.123Z of https://127.0.0.1:4711')).toBe(
    plain('waygate get at 2027-01-02T03:04:05Z of https://127.0.0.1:815'),
  );
});

test('differences are told by class, with the lines that only one has', () => {
  const line = { words: 'get ks' };
  const text = comparedLinesText([
    { line, kind: 'same', real: outcome, ours: outcome },
    {
      line,
      kind: 'other output',
      real: { ...outcome, stdout: 'a\nb' },
      ours: { ...outcome, stdout: 'a\nc' },
    },
  ]);
  expect(text).toBe(
    '2 lines\n      1  same\n      1  other output\n\nother output: get ks\n  stdout real: b\n  stdout ours: c\n',
  );
});

test('there are some hundred lines, each once', () => {
  const typed = fluxLines.map(({ words, stdin = '' }) => `${words} < ${stdin}`);
  expect(new Set(typed).size).toBe(typed.length);
  expect(typed.length).toBeGreaterThan(300);
});
