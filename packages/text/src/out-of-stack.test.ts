import { describe, expect, test } from 'vitest';
import { hasStackLeft, holdStack, isOutOfStack } from './out-of-stack.ts';

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

describe('how much of the stack is left', () => {
  test('is asked before it ends, and in good time', () => {
    const found = { last: 0, end: 0 };
    const deeper = (depth: number): number => {
      if (hasStackLeft()) found.last = depth;
      found.end = depth;
      return deeper(depth + 1) + 1;
    };
    expect(isOutOfStack(caught(() => deeper(1)))).toBe(true);
    expect(found.last).toBeGreaterThan(found.end / 4);
    expect(found.last).toBeLessThan((found.end * 3) / 4);
  });

  test('ends what nests by an error, where patterns can still be compiled', () => {
    const met: RegExpMatchArray[] = [];
    const deeper = (depth: number): number => {
      holdStack(depth);
      met.push(/^[a-z]+/.exec('abc')!, 'b'.match(new RegExp(`b|${depth}`))!);
      return deeper(depth + 1) + 1;
    };
    expect(caught(() => deeper(1))).toEqual(new RangeError('little of the stack is left'));
    expect(met.length).toBeGreaterThan(100);
  });
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
