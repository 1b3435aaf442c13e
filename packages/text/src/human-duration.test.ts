import { expect, test } from 'vitest';
import { ageText, humanDuration } from './human-duration.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-2 * second, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [9 * minute + 59 * second, '9m59s'],
  [10 * minute + 59 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [7 * hour + 59 * minute, '7h59m'],
  [8 * hour + 59 * minute, '8h'],
  [47 * hour, '47h'],
  [48 * hour, '2d'],
  [7 * day + 23 * hour, '7d23h'],
  [8 * day + 23 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [8 * 365 * day + 3 * day, '8y'],
])('%i ms are %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test.each([
  ['2026-01-01T00:00:00Z', '60s'],
  ['', '<unknown>'],
  [undefined, '<unknown>'],
  ['yesterday', '<invalid>'],
])('%s was %s ago', (timestamp, text) => {
  expect(ageText(timestamp, Date.parse('2026-01-01T00:01:00Z'))).toBe(text);
});
