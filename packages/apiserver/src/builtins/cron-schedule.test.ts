import { expect, test } from 'vitest';
import { scheduleProblem } from './cron-schedule.ts';

test.each([
  ['*/5 * * * *', undefined],
  ['0 0 1 jan sun', undefined],
  ['@hourly', undefined],
  ['@every 1h30m', undefined],
  ['1-5/2,10 * * * *', undefined],
  ['', 'expected exactly 5 fields, found 0: []'],
  ['bad', 'expected exactly 5 fields, found 1: [bad]'],
  ['61 * * * *', 'end of range (61) above maximum (59): 61'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ['@bad', 'unrecognized descriptor: @bad'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
])('the schedule %j is answered with %j', (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});
