import { expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

const env = { X: '5' };

// What the real flux prints for the same.
test.each([
  [`a: \${X:=1} \${Y}\n`, [], 'a: 5 \n', 0, ''],
  [`c: $$X $X \${X/5/6}\n`, [], 'c: $X $X 6\n', 0, ''],
  [`a: \${Y:-d}\nb`, ['--strict'], 'a: d\nb\n', 0, ''],
  [`a: 1\nb: \${Y}\n`, ['--strict'], 'a: 1\n', 1, 'line 2: variable not set (strict mode): "Y"'],
  [`b: \${Z\n`, [], '', 1, 'line 1: missing closing brace'],
  ['', [], '', 0, ''],
])('%j %j', async (stdin, flags, stdout, exitCode, message) => {
  const result = await runInProcess(['envsubst', ...flags], { stdin, env });
  expect([result.stdout, result.exitCode]).toEqual([stdout, exitCode]);
  expect(result.stderr).toContain(message);
});
