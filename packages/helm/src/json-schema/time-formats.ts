import { GoError } from '../go/function.ts';
import { parseTime } from '../go/time-parse.ts';
import { utc } from '../go/zone.ts';
import { quotedRune } from './json-reader.ts';

/** `2006-01-02`, with Go's reasons. */
export function checkDate(text: string): string | undefined {
  try {
    parseTime('2006-01-02', text, utc);
    return undefined;
  } catch (error) {
    if (error instanceof GoError) return error.message;
    throw error;
  }
}

export function checkTime(text: string): string | undefined {
  if (text.length < 9) return 'less than 9 characters long';
  if (text[2] !== ':' || text[5] !== ':') return 'missing colon in correct place';
  const numbers = text.slice(0, 8).split(':');
  if (!numbers.every((each) => /^[+-]?\d+$/.test(each))) return 'invalid hour/min/sec';
  const [hour = 0, minute = 0, second = 0] = numbers.map(Number);
  if (numbers.some((each) => Number(each) < 0)) return 'non-positive hour/min/sec';
  if (hour > 23 || minute > 59 || second > 60) return 'hour/min/sec out of range';
  let rest = text.slice(8);
  if (rest.startsWith('.')) {
    const digits = /^\d*/.exec(rest.slice(1))![0];
    if (digits === '') return 'no digits in second fraction';
    rest = rest.slice(1 + digits.length);
  }
  let minutes = hour * 60 + minute;
  if (rest !== 'z' && rest !== 'Z') {
    const offset = readOffset(rest);
    if (typeof offset === 'string') return offset;
    minutes = (minutes - offset + 24 * 60) % (24 * 60);
  }
  return second >= 60 && minutes !== 23 * 60 + 59 ? 'invalid leap second' : undefined;
}

/** In minutes; a text when it is none. */
function readOffset(text: string): number | string {
  if (text.length !== 6) return 'offset must be 6 characters long';
  if (!'+-'.includes(text[0]!)) return 'offset must begin with plus/minus';
  if (text[3] !== ':') return 'missing colon in offset in correct place';
  const parts = text.slice(1).split(':');
  if (!parts.every((each) => /^[+-]?\d+$/.test(each))) return 'invalid hour/min in offset';
  const [hours = 0, minutes = 0] = parts.map(Number);
  if (hours < 0 || minutes < 0) return 'non-positive hour/min in offset';
  if (hours > 23 || minutes > 59) return 'hour/min in offset out of range';
  return (hours * 60 + minutes) * (text.startsWith('-') ? -1 : 1);
}

export function checkDateTime(text: string): string | undefined {
  if (text.length < 20) return 'less than 20 characters long';
  if (text[10] !== 't' && text[10] !== 'T') return '11th character must be t or T';
  const date = checkDate(text.slice(0, 10));
  if (date !== undefined) return `invalid date element: ${date}`;
  const time = checkTime(text.slice(11));
  return time === undefined ? undefined : `invalid time element: ${time}`;
}

export function checkDuration(text: string): string | undefined {
  if (!text.startsWith('P')) return 'must start with P';
  const rest = text.slice(1);
  if (rest === '') return 'nothing after P';
  if (rest.endsWith('W')) {
    const weeks = rest.slice(0, -1);
    if (weeks === '') return 'no number in week';
    return /^\d+$/.test(weeks) ? undefined : 'invalid week';
  }
  for (const [index, part] of rest.split('T').entries()) {
    if (index !== 0 && part === '') return 'no time elements';
    const units = ['YMD', 'HMS'][index];
    if (units === undefined) return 'more than one T';
    const problem = checkUnits(part, units);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkUnits(text: string, all: string): string | undefined {
  let units = all;
  let rest = text;
  while (rest !== '') {
    const digits = /^\d*/.exec(rest)![0];
    if (digits === '') return 'missing number';
    rest = rest.slice(digits.length);
    const unit = rest[0];
    if (unit === undefined) return 'missing unit';
    const at = units.indexOf(unit);
    if (at < 0) {
      return all.includes(unit)
        ? `unit ${quotedRune(unit)} out of order`
        : `invalid unit ${quotedRune(unit)}`;
    }
    units = units.slice(at + 1);
    rest = rest.slice(1);
  }
  return undefined;
}

export function checkPeriod(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return 'missing slash';
  const start = text.slice(0, slash);
  const end = text.slice(slash + 1);
  if (start.startsWith('P')) {
    return (
      inside('invalid start duration', checkDuration(start)) ??
      inside('invalid end date-time', checkDateTime(end))
    );
  }
  const problem = inside('invalid start date-time', checkDateTime(start));
  if (problem !== undefined) return problem;
  return end.startsWith('P')
    ? inside('invalid end duration', checkDuration(end))
    : inside('invalid end date-time', checkDateTime(end));
}

function inside(what: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${what}: ${problem}`;
}
