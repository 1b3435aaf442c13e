import { describe, expect, it } from 'vitest';
import { compileLabelSelector } from './label-selector.ts';

const labels = new Map([
  ['app', 'web'],
  ['tier', 'front'],
  ['size', '5'],
]);

describe('compileLabelSelector', () => {
  it.each([
    ['app=web', true],
    ['app==web,tier=front', true],
    ['app!=web', false],
    ['nope!=x', true],
    ['app in (web, db)', true],
    ['app notin (web)', false],
    ['nope notin (web)', true],
    ['app', true],
    ['!nope', true],
    ['!app', false],
    ['size>4', true],
    ['size<4', false],
  ])('%s is %s', (selector, expected) => {
    expect(compileLabelSelector(selector)(labels)).toBe(expected);
  });

  it('says what it did not expect', () => {
    expect(() => compileLabelSelector('app=web=x')).toThrow(
      "found '=', expected: ',' or 'end of string'",
    );
  });
});
