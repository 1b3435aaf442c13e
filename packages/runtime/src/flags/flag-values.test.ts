import { describe, expect, test } from 'vitest';
import type { ControllerFlag } from './controller-flag.ts';
import { electionTiming } from './election-timing.ts';
import { gateNames, readGates } from './feature-gates.ts';
import { FlagReader } from './flag-reader.ts';

const flag = (name: string, more: object = {}) =>
  ({ name, type: 'text', default: '', summary: '', ...more }) as unknown as ControllerFlag;

function read<T>(
  value: string | undefined,
  ask: (flags: FlagReader) => T,
  environment: Record<string, string> = {},
  more: object = {},
) {
  const given = value === undefined ? {} : { x: value };
  const flags = new FlagReader([flag('x', more)], given, { environment });
  return [ask(flags), ...flags.problems];
}

describe('a flag is read', () => {
  const number = '--x must be a number';
  test.each([
    [undefined, undefined],
    ['5', 5],
    ['0', 0],
    ['-1.5', -1.5],
    ['', undefined, number],
    ['x', undefined, number],
    ['Infinity', undefined, number],
  ])('as a number: %s', (value, ...wanted) => {
    expect(read(value, (flags) => flags.number('x'))).toEqual(wanted);
  });

  test.each([
    [undefined, [undefined]],
    ['1', [1]],
    ['99999', [99_999]],
    ['0', [undefined, '--x must be a whole number above 0']],
    ['100000', [undefined, '--x must be a whole number above 0']],
    ['1.5', [undefined, '--x must be a whole number above 0']],
    ['-1', [undefined, '--x must be a whole number above 0']],
    ['1234567890', [undefined, '--x must be a whole number above 0']],
  ])('as a count: %s', (value, wanted) => {
    expect(read(value, (flags) => flags.count('x'))).toEqual(wanted);
  });

  test('as a count between others', () => {
    const count = (value: string, ...range: [number, number?]) =>
      read(value, (flags) => flags.count('x', ...range));
    expect(count('0', 0)).toEqual([0]);
    expect(count('-1', 0)).toEqual([undefined, '--x must be a whole number and not negative']);
    expect(count('3', 2, 3)).toEqual([3]);
    expect(count('2', 2, 3)).toEqual([2]);
    expect(count('4', 2, 3)).toEqual([undefined, '--x must be a number from 2 to 3']);
    expect(count('1', 2, 3)).toEqual([undefined, '--x must be a number from 2 to 3']);
  });

  test.each([
    [undefined, [undefined]],
    ['', [undefined]],
    ['10s', [10_000]],
    ['0s', [0]],
    ['soon', [undefined, '--x must be a duration, such as 10s']],
  ])('as a duration: %s', (value, wanted) => {
    expect(read(value, (flags) => flags.duration('x'))).toEqual(wanted);
    const positive =
      value === '0s' ? [undefined, '--x must be a duration above 0, such as 10s'] : wanted;
    expect(read(value, (flags) => flags.positiveDuration('x'))).toEqual(positive);
  });

  test.each([
    [undefined, true, [true]],
    [undefined, false, [false]],
    ['', false, [true]],
    ['true', false, [true]],
    ['T', false, [true]],
    ['1', false, [true]],
    ['FALSE', true, [false]],
    ['0', true, [false]],
    ['f', true, [false]],
    ['yes', true, [false, '--x must be true or false']],
  ])('as a truth: %s, else %s', (value, otherwise, wanted) => {
    expect(read(value, (flags) => flags.isOn('x', otherwise))).toEqual(wanted);
  });

  const notAddress = [undefined, '--x must be host:port'];
  test.each([
    ['off', [undefined]],
    ['0', [undefined]],
    [':80', [{ host: '::', port: 80 }]],
    ['a.example:80', [{ host: 'a.example', port: 80 }]],
    ['127.0.0.1:65535', [{ host: '127.0.0.1', port: 65_535 }]],
    ['[::1]:80', [{ host: '::1', port: 80 }]],
    ['a:65536', notAddress],
    ['a', notAddress],
    ['::1:80', notAddress],
    ['a:x', notAddress],
    ['[a:80', notAddress],
  ])('as an address: %s', (value, wanted) => {
    expect(read(value, (flags) => flags.address('x'))).toEqual(wanted);
  });

  test('an address that nobody named is open in a Pod only', () => {
    const ask = (flags: FlagReader) => flags.address('x');
    expect(read(undefined, ask, {}, { default: ':80' })).toEqual([{ host: '127.0.0.1', port: 80 }]);
    const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    expect(read(undefined, ask, inPod, { default: ':80' })).toEqual([{ host: '::', port: 80 }]);
    expect(read(undefined, ask, {}, { default: 'off' })).toEqual([undefined]);
  });

  test.each([
    [undefined, [undefined]],
    ['n/a', ['n/a']],
    ['n-1/a.b', ['n-1/a.b']],
    ['a', [undefined, '--x must be namespace/name']],
    ['n/a/b', [undefined, '--x must be namespace/name']],
    ['N/a', [undefined, '--x must be namespace/name']],
  ])('as the key of an object: %s', (value, wanted) => {
    expect(read(value, (flags) => flags.objectKey('x'))).toEqual(wanted);
  });

  test.each([
    [undefined, [undefined]],
    ['a', ['a']],
    ['c', [undefined, '--x must be one of a, b']],
  ])('as a choice: %s', (value, wanted) => {
    expect(read(value, (flags) => flags.choice('x', ['a', 'b']))).toEqual(wanted);
  });

  test.each([
    [undefined, [undefined]],
    ['http://a', ['http://a']],
    ['https://a/b', ['https://a/b']],
    ['ftp://a', [undefined, '--x must be an http or https URL']],
    ['http://', [undefined, '--x must be an http or https URL']],
    ['a', [undefined, '--x must be an http or https URL']],
  ])('as a URL: %s', (value, wanted) => {
    expect(read(value, (flags) => flags.url('x'))).toEqual(wanted);
  });

  test('as a list', () => {
    expect(read(' a, b,,c ', (flags) => flags.list('x'))).toEqual([['a', 'b', 'c']]);
    expect(read(undefined, (flags) => flags.list('x'))).toEqual([[]]);
    expect(read('', (flags) => flags.givenList('x'))).toEqual([[]]);
    expect(read(undefined, (flags) => flags.givenList('x'))).toEqual([undefined]);
  });
});

test('the environment speaks where nobody gave a flag; old names and idle flags are told', () => {
  const table = [
    flag('x', { variable: 'X' }),
    flag('old', { replacedBy: 'new' }),
    flag('idle', { withoutEffect: 'it is so anyway' }),
    flag('new'),
  ];
  const environment = { X: 'of the environment' };
  const flags = new FlagReader(table, { old: '1', idle: '2' }, { environment });
  expect(flags.text('x')).toBe('of the environment');
  expect([flags.has('x'), flags.has('new'), flags.has('old')]).toEqual([true, true, false]);
  expect(flags.text('new')).toBe('1');
  expect(flags.warnings).toEqual([
    '--old is now called --new',
    '--idle has no effect: it is so anyway',
  ]);
  const given = new FlagReader(table, { x: 'given' }, { environment });
  expect(given.text('x')).toBe('given');
  expect(new FlagReader(table, {}, { environment: {} }).has('x')).toBe(false);
});

describe('how a Lease is kept', () => {
  const usual = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
  const names = ['lease-duration', 'renew-deadline', 'retry-period'];
  const timing = (...values: (string | undefined)[]) => {
    const given = Object.fromEntries(
      names.flatMap((name, index) =>
        values[index] === undefined ? [] : [[`leader-election-${name}`, values[index]]],
      ),
    );
    const table = names.map((name) => flag(`leader-election-${name}`));
    const flags = new FlagReader(table, given, { environment: {} });
    return { ...electionTiming(flags, usual), problems: flags.problems };
  };

  test('as usual, or as somebody said', () => {
    expect(timing()).toEqual({ ...usual, problems: [] });
    expect(timing('20s', '12s', '3s')).toEqual({
      ...{ leaseDurationMs: 20_000, renewDeadlineMs: 12_000, retryPeriodMs: 3_000 },
      problems: [],
    });
  });

  test.each([
    [['10s', '10s'], 'must be longer than'],
    [['15s', '2400ms'], 'must be more than 1.2 times'],
    [['999ms', '500ms', '100ms'], 'must be 1s or more'],
  ])('%j cannot work', (values, problem) => {
    const { problems } = timing(...values);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test.each([[['10001ms', '10s']], [['15s', '2401ms']], [['1s', '500ms', '100ms']]])(
    '%j just can',
    (values) => expect(timing(...values).problems).toEqual([]),
  );
});

describe('feature gates', () => {
  const known = { acting: ['A', 'B'], withoutEffect: { Old: 'always on' } };

  test.each([
    ['A=true', { A: true }, [], []],
    [' A = 1 ', { A: true }, [], []],
    ['A=T', { A: true }, [], []],
    ['A=false', { A: false }, [], []],
    ['A=0', { A: false }, [], []],
    ['A=f', { A: false }, [], []],
    ['A', {}, ['the feature gate A must be true or false, as in A=true'], []],
    ['A=yes', {}, ['the feature gate A must be true or false, as in A=true'], []],
    ['Old=true', {}, [], ['the feature gate Old has no effect: always on']],
    ['No=true', {}, ['there is no feature gate No'], []],
    ['Other=true', {}, [], []],
    ['toString=true', {}, ['there is no feature gate toString'], []],
  ])('%s', (gate, values, problems, warnings) => {
    const read = readGates([gate], known, ['Other']);
    expect(Object.fromEntries(read.values)).toEqual(values);
    expect([read.problems, read.warnings]).toEqual([problems, warnings]);
  });

  test('all are read, and named', () => {
    expect([...readGates(['A=true', 'B=false', 'A=false'], known).values]).toEqual([
      ['A', false],
      ['B', false],
    ]);
    expect(gateNames(known)).toEqual(['A', 'B', 'Old']);
  });
});
