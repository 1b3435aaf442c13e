import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/whole-bundle.mjs', import.meta.url));
const { withLateImports } = (await import(pathToFileURL(script).href)) as {
  withLateImports(code: string): string;
};

const made = 'const require_one=require("./one.cjs")';

test.each([
  ['a call', 'require_one.a(1)', 'require_one().a(1)'],
  ['a call without a receiver', '(0,require_one.a)(1)', '(0,require_one().a)(1)'],
  ['an instance', 'new require_one.A(1)', 'new(require_one().A)(1)'],
  ['an instance of a member', 'new require_one.a.B(1)', 'new(require_one().a.B)(1)'],
  ['a spread', '[...require_one.a]', '[...require_one().a]'],
  ['a class', 'class B extends require_one.A{}', 'class B extends require_one().A{}'],
  ['two in one', 'require_one.a(require_one.b)', 'require_one().a(require_one().b)'],
  ['a name with more to it', 'require_one.a(require_one$1.b)', 'require_one().a(require_one$1.b)'],
  ['a member of that name', 'require_one.a(b.require_one.c)', 'require_one().a(b.require_one.c)'],
])('loads a script when it is used first: %s', (_, use, later) => {
  expect(withLateImports(`${made};${use}`)).toBe(`const require_one=__later("./one.cjs");${later}`);
});

test.each([
  ['passed on as a whole', 'f(require_one)'],
  ['asked for a member by its text', 'require_one["a"]'],
  ['used in two ways', 'require_one.a(require_one)'],
])('loads at once what is %s', (_, use) => {
  expect(withLateImports(`${made};${use}`)).toBe(`${made};${use}`);
});

test('leaves modules of Node.js and scripts without a name alone', () => {
  const code = 'const node_fs=require("node:fs");require("./one.cjs");node_fs.a()';
  expect(withLateImports(code)).toBe(code);
});

test('knows several scripts apart, also where a name needs a dollar', () => {
  const code =
    'const require_a=require("./a.cjs"),require_a$1=require("./b.cjs");require_a.b(require_a$1.c)';
  expect(withLateImports(code)).toBe(
    'const require_a=__later("./a.cjs"),require_a$1=__later("./b.cjs");require_a().b(require_a$1().c)',
  );
});
