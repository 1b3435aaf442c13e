import { expect, test } from 'vitest';
import { isOutOfStack } from './out-of-stack.ts';

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('a call without end is out of stack', () => {
  const deeper = (depth: number): number => deeper(depth + 1) + 1;
  expect(isOutOfStack(caught(() => deeper(0)))).toBe(true);
});

test('so is a pattern that could not be compiled for want of stack, as newer lines of Node.js say it', () => {
  // Not made here: up to Node.js 24 a pattern that is first used at the end of the stack ends the process.
  const text = 'Invalid regular expression: /^a$/: Stack overflow';
  expect(isOutOfStack(new SyntaxError(text))).toBe(true);
});

test('a text longer than can be held is', () => {
  expect(isOutOfStack(caught(() => 'a'.repeat(2 ** 30)))).toBe(true);
});

test.each([
  ['a wrong pattern', caught(() => new RegExp(['(', 'a'].join('')))],
  ['wrong JSON', caught(() => JSON.parse('{'))],
  ['a defect', new TypeError('x is not a function')],
  ['what is no error', 'Stack overflow'],
])('%s is not', (_, error) => {
  expect(isOutOfStack(error)).toBe(false);
});
