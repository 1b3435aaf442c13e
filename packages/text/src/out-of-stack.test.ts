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

test('so is a pattern that is used for the first time where little of the stack is left', () => {
  // Each call compiles a pattern of its own, so that some stand where the stack ends, whatever a frame takes.
  const met: unknown[] = [];
  const deeper = (depth: number): number => {
    try {
      new RegExp(`^[a-z${depth}]*$`).test('a');
    } catch (error) {
      met.push(error);
      throw error;
    }
    return deeper(depth + 1) + 1;
  };
  expect(isOutOfStack(caught(() => deeper(0)))).toBe(true);
  expect(met.every(isOutOfStack)).toBe(true);
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
