import { expect, test } from 'vitest';
import { kubernetesDeclarations } from './kubernetes.ts';
import { callCostLimit, compileCel } from './program.ts';
import { dynType } from './types/type.ts';
import { celOfJson } from './values/json.ts';
import { CelFailure } from './values/value.ts';

const declarations = kubernetesDeclarations.with({ self: dynType });

function run(text: string, self: unknown) {
  const checked = compileCel(text, declarations);
  if ('issues' in checked) throw new Error(checked.issues);
  const program = checked.program(declarations);
  if (program instanceof CelFailure) throw new Error(program.message);
  return program.evaluate((name) => (name === 'self' ? celOfJson(self) : undefined));
}

const many = Array.from({ length: 2000 }, (_, index) => index);

test.each([
  'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))',
  'self.map(a, self.map(b, self.filter(c, c > b))).size() > 0',
  'self.all(i, a, self.all(j, b, self.all(k, c, a + b + c >= 0)))',
  'self.exists_one(a, self.exists_one(b, self.exists(c, a + b + c < 0)))',
  'self.map(a, self).map(b, b.map(c, self)).size() > 0',
  "self.all(a, self.map(b, 'x').join('y').contains('z') || true)",
  'self.map(a, self.distinct()).size() > 0',
])('what would go on for ever is stopped: %s', (text) => {
  const { isOverLimit, cost, value } = run(text, many);
  expect(isOverLimit).toBe(true);
  // What it spent before it was found out is at most one step too much.
  expect(cost).toBeLessThan(callCostLimit * 20);
  expect(value).toEqual(new CelFailure('operation cancelled: actual cost limit exceeded'));
});

test.each([
  ['a text', 'x'.repeat(100)],
  ['a list', [1, 2, 3]],
])('%s that doubles itself is stopped before it fills the memory', (_name, self) => {
  const doubled = Array.from({ length: 40 }).reduce<string>(
    (text) => `[${text}].map(x, x + x)[0]`,
    'self',
  );
  const { value } = run(doubled, self);
  expect(value).toBeInstanceOf(CelFailure);
});

const nested = (open: string, close: string, depth: number) =>
  `${open.repeat(depth)}self${close.repeat(depth)}`;

test.each([
  ['brackets', nested('(', ')', 300)],
  ['lists', nested('[', ']', 300)],
  ['brackets without end', '('.repeat(50_000)],
  ['fields', `self${'.a'.repeat(5000)}`],
  ['sums', Array.from({ length: 5000 }, () => '1').join('+')],
  ['negations', `${nested('!(', ')', 260)}`],
])('an expression may not be too deep: %s', (_name, text) => {
  const checked = compileCel(text, declarations);
  expect('issues' in checked && checked.issues).toContain('recursion limit exceeded');
});

test('a long chain of conditions is not deep', () => {
  const text = Array.from({ length: 2000 }, (_, index) => `self == ${index}`).join(' || ');
  expect(run(text, 1999).value).toBe(true);
});

test('an expression may not be too long', () => {
  const checked = compileCel(`'${'x'.repeat(100_001)}'`, declarations);
  expect('issues' in checked && checked.issues).toContain('code point size exceeds limit');
});

test.each(['self.constructor', 'self.__proto__', "self['toString']", 'self.hasOwnProperty'])(
  'nothing of the program can be reached: %s',
  (text) => {
    expect(run(text, {}).value).toBeInstanceOf(CelFailure);
    expect(run(text, [1]).value).toBeInstanceOf(CelFailure);
  },
);
