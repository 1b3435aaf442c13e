import { describe, expect, test } from 'vitest';
import type { ControllerFlag } from './controller-flag.ts';
import { FlagReader } from './flag-reader.ts';

const flag = (name: string, more: Partial<ControllerFlag> = {}): ControllerFlag => ({
  name,
  type: 'string',
  default: '',
  summary: 'for a test',
  ...more,
});

const table = [
  flag('a', { variable: 'TEST_A' }),
  flag('old', { replacedBy: 'a' }),
  flag('idle', { withoutEffect: 'it is always so' }),
];

function reading(value: string | undefined): FlagReader {
  return new FlagReader(table, value === undefined ? {} : { a: value }, { environment: {} });
}

describe('a flag', () => {
  test.each<[string | undefined, number | undefined, string[]]>([
    [undefined, undefined, []],
    ['1', 1, []],
    ['99999', 99_999, []],
    ['0', undefined, ['above 0']],
    ['100000', undefined, ['above 0']],
    ['1.5', undefined, ['above 0']],
    ['', undefined, ['above 0']],
  ])('%j as a count is %s', (value, count, problems) => {
    const flags = reading(value);
    expect(flags.count('a')).toBe(count);
    expect(flags.problems.map((text) => /above \d/.exec(text)?.[0])).toEqual(problems);
  });

  test.each<[string, number | undefined, RegExp[]]>([
    ['0', 0, []],
    ['7', 7, []],
    ['8', undefined, [/a number from 0 to 7/]],
  ])('%j as a count from 0 to 7 is %s', (value, count, problems) => {
    const flags = reading(value);
    expect(flags.count('a', 0, 7)).toBe(count);
    expect(flags.problems).toEqual(problems.map((text) => expect.stringMatching(text)));
  });

  test('a count that may be nothing says that it may not be less', () => {
    const flags = reading('-1');
    expect(flags.count('a', 0)).toBeUndefined();
    expect(flags.problems).toEqual([expect.stringContaining('not negative')]);
  });

  test.each<[string | undefined, boolean, number]>([
    [undefined, true, 0],
    ['', true, 0],
    ['TRUE', true, 0],
    ['t', true, 0],
    ['1', true, 0],
    ['False', false, 0],
    ['0', false, 0],
    ['yes', false, 1],
  ])('%j as a switch is %s', (value, isOn, problems) => {
    const flags = reading(value);
    expect(flags.isOn('a', true)).toBe(isOn);
    expect(flags.problems).toHaveLength(problems);
  });

  test.each<[string | undefined, number | undefined, number]>([
    [undefined, undefined, 0],
    ['1.5', 1.5, 0],
    ['-3', -3, 0],
    ['', undefined, 1],
    ['x', undefined, 1],
  ])('%j as a number is %s', (value, number, problems) => {
    const flags = reading(value);
    expect(flags.number('a')).toBe(number);
    expect(flags.problems).toHaveLength(problems);
  });

  test('a list is what stands between commas, and one that is empty was given too', () => {
    expect(reading(' x, ,y ').list('a')).toEqual(['x', 'y']);
    expect(reading('').givenList('a')).toEqual([]);
    expect(reading(undefined).givenList('a')).toBeUndefined();
    expect([reading('').text('a'), reading('').has('a')]).toEqual([undefined, true]);
  });

  test('the command line goes before the environment, and old names are read and told', () => {
    const environment = { TEST_A: 'from the environment' };
    expect(new FlagReader(table, {}, { environment }).text('a')).toBe('from the environment');
    expect(new FlagReader(table, { a: 'given' }, { environment }).text('a')).toBe('given');
    const old = new FlagReader(table, { old: 'x', idle: 'y' }, { environment: {} });
    expect(old.text('a')).toBe('x');
    expect(old.warnings).toEqual([
      '--old is now called --a',
      '--idle has no effect: it is always so',
    ]);
  });
});
