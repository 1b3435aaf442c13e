import { expect, test } from 'vitest';
import { latencyText, rateText, shareText, trafficNow } from './traffic.ts';

test('the last minute, not the whole past', () => {
  const now = trafficNow({
    id: 'r',
    slotMs: 10_000,
    endedAt: 0,
    requests: [900, 900, 60, 60, 60, 60, 60, 60],
    errors: [900, 0, 0, 0, 0, 0, 18, 18],
    p50: [],
    p99: [999, 999, 5, 6, 7, null, 3, 2],
  });
  expect(now).toEqual({ perSecond: 6, errorShare: 0.1, p99: 7 });
});

test('less than a minute known, and nothing at all', () => {
  const short = { id: 'r', slotMs: 10_000, endedAt: 0, errors: [0], p50: [null], p99: [null] };
  expect(trafficNow({ ...short, requests: [50] }).perSecond).toBe(5);
  expect(trafficNow({ ...short, requests: [] })).toEqual({
    perSecond: 0,
    errorShare: 0,
    p99: undefined,
  });
});

test.each([
  [rateText(0), '0'],
  [rateText(0.04), '<0.1'],
  [rateText(3.14), '3.1'],
  [rateText(47.6), '48'],
  [rateText(12_345), '12.3 k'],
  [shareText(0.0004), '<0.1 %'],
  [shareText(0.0123), '1.2 %'],
  [shareText(1), '100 %'],
  [latencyText(undefined), '–'],
  [latencyText(3.456), '3.5 ms'],
  [latencyText(2_345), '2.3 s'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});
