import { expect, test } from 'vitest';
import { parseGoDuration } from './duration.ts';
import { quoteForTime, quoteString } from './quote.ts';
import { parseTime } from './time-parse.ts';
import { utc } from './zone.ts';

// As Go 1.26 prints them.
test.each<[string, string, string]>([
  ['a b', '"a b"', '"a b"'],
  ['{\n  "a"\n}', '"{\\n  \\"a\\"\\n}"', '"{\\x0a  \\"a\\"\\x0a}"'],
  ['\\', '"\\\\"', '"\\\\"'],
  ['é', '"é"', '"\\xc3\\xa9"'],
  ['\t\x7f', '"\\t\\x7f"', '"\\x09\x7f"'],
  ['\udcff', '"\\xff"', '"\\xff"'],
])('%j is %s, and %s of times', (text, plain, ofTime) => {
  expect(quoteString(text)).toBe(plain);
  expect(quoteForTime(text)).toBe(ofTime);
});

test('what is wrong with times and durations is told in bytes', () => {
  expect(() => parseTime('2006', 'é\n', utc)).toThrow(
    'parsing time "\\xc3\\xa9\\x0a" as "2006": cannot parse "\\xc3\\xa9\\x0a" as "2006"',
  );
  expect(() => parseTime('2006', '2026\n', utc)).toThrow(
    'parsing time "2026\\x0a": extra text: "\\x0a"',
  );
  expect(() => parseGoDuration('1é')).toThrow(
    'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"',
  );
});
