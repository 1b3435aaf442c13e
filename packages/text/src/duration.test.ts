import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatDurationNanoseconds,
  parseDuration,
  parseDurationNanoseconds,
} from './duration.ts';

describe('durations', () => {
  it.each([
    ['0', 0, '0s'],
    ['1h', 3_600_000, '1h0m0s'],
    ['1h30m', 5_400_000, '1h30m0s'],
    ['90s', 90_000, '1m30s'],
    ['1.5s', 1500, '1.5s'],
    ['100ms', 100, '100ms'],
    ['1500us', 1.5, '1.5ms'],
    ['2µs', 0.002, '2µs'],
    ['10ns', 0.00001, '10ns'],
    ['-1m', -60_000, '-1m0s'],
    ['.5h', 1_800_000, '30m0s'],
    ['+5s', 5000, '5s'],
  ])('%s is %d ms and prints as %s', (text, ms, printed) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
    expect(formatDurationNanoseconds(parseDurationNanoseconds(text))).toBe(printed);
  });

  it.each(['', '1', 's', '1x', '1h-1m', '.', '.s', '--1s', '1 s', '3000000h', '9'.repeat(300)])(
    'refuses %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/invalid duration/);
    },
  );

  it('prints to a text that parses to the same', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (nanoseconds) => {
        expect(parseDurationNanoseconds(formatDurationNanoseconds(nanoseconds))).toBe(nanoseconds);
      }),
    );
  });

  it('prints milliseconds', () => {
    expect(formatDuration(300_000)).toBe('5m0s');
  });
});
