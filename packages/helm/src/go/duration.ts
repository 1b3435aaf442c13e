import { parseDurationNanoseconds, TextError } from '@waygate/text';
import { GoError } from './function.ts';
import { quoteForTime } from './quote.ts';

/** Go's time.ParseDuration, in nanoseconds. @throws GoError in Go's words */
export function parseGoDuration(text: string): bigint {
  try {
    return parseDurationNanoseconds(text);
  } catch (error) {
    if (error instanceof TextError) throw new GoError(problem(text));
    throw error;
  }
}

function problem(text: string): string {
  const quoted = quoteForTime(text);
  let rest = text.replace(/^[+-]/, '');
  while (rest !== '') {
    const number = /^(\d*)(?:\.(\d*))?/.exec(rest)!;
    if ((number[1] ?? '') + (number[2] ?? '') === '') return `time: invalid duration ${quoted}`;
    rest = rest.slice(number[0].length);
    const unit = /^[^.\d]+/.exec(rest)?.[0];
    if (unit === undefined) return `time: missing unit in duration ${quoted}`;
    if (!/^(ns|us|µs|μs|ms|s|m|h)$/.test(unit)) {
      return `time: unknown unit ${quoteForTime(unit)} in duration ${quoted}`;
    }
    rest = rest.slice(unit.length);
  }
  return `time: invalid duration ${quoted}`;
}
