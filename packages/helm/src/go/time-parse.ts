import {
  dayNames,
  daysInMonth,
  floorDivide,
  isLeapYear,
  monthNames,
  unixNanosecondsOf,
} from './calendar.ts';
import { GoError } from './function.ts';
import { quoteForTime } from './quote.ts';
import { type LayoutField, readLayout } from './time-layout.ts';
import { fixedZone, utc, type Zone } from './zone.ts';

/** A moment and the zone that it is to be shown in. */
interface Moment {
  readonly unixNanoseconds: bigint;
  readonly zone: Zone;
}

/** Reads a time by a layout, as Go's `time.ParseInLocation`. @throws GoError in Go's words */
export function parseTime(layout: string, text: string, local: Zone): Moment {
  return new TimeReader(layout, text, local).read();
}

/** The rest does not have what the layout asks for. */
const bad = Symbol('bad');

class TimeReader {
  readonly #layout: string;
  readonly #text: string;
  readonly #local: Zone;
  #rest: string;
  #year = 0;
  #month = -1;
  #day = -1;
  #yearDay = -1;
  #hour = 0;
  #minute = 0;
  #second = 0;
  #nanosecond = 0;
  #half: 'am' | 'pm' | undefined;
  #isUtc = false;
  #offset: number | undefined;
  #zoneName = '';
  /** What is out of range, if something is. */
  #range = '';

  constructor(layout: string, text: string, local: Zone) {
    this.#layout = layout;
    this.#text = text;
    this.#local = local;
    this.#rest = text;
  }

  read(): Moment {
    const parts = readLayout(this.#layout);
    for (const [at, part] of parts.entries()) {
      if (part.kind === 'text') {
        this.#literal(part.text);
        continue;
      }
      const held = this.#rest;
      const outcome = this.#field(part.kind, part.text, parts[at + 1]?.kind === 'fraction');
      if (this.#range !== '') {
        throw this.#failure(part.text, this.#rest, `: ${this.#range} out of range`);
      }
      if (outcome === bad) throw this.#failure(part.text, held, '');
    }
    if (this.#rest !== '') {
      throw this.#failure('', this.#rest, `: extra text: ${quoteForTime(this.#rest)}`);
    }
    return this.#moment();
  }

  #failure(element: string, rest: string, message: string): GoError {
    if (message !== '') return new GoError(`parsing time ${quoteForTime(this.#text)}${message}`);
    return new GoError(
      `parsing time ${quoteForTime(this.#text)} as ${quoteForTime(this.#layout)}: cannot parse ${quoteForTime(rest)} as ${quoteForTime(element)}`,
    );
  }

  /** Spaces of the layout stand for any number of spaces. */
  #literal(text: string): void {
    let rest = text;
    while (rest !== '') {
      if (rest[0] === ' ') {
        if (this.#rest !== '' && this.#rest[0] !== ' ') throw this.#failure(text, this.#rest, '');
        rest = rest.replace(/^ +/, '');
        this.#rest = this.#rest.replace(/^ +/, '');
        continue;
      }
      if (this.#rest === '' || this.#rest[0] !== rest[0]) throw this.#failure(text, this.#rest, '');
      rest = rest.slice(1);
      this.#rest = this.#rest.slice(1);
    }
  }

  #take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.#rest)?.[0];
    if (found !== undefined) this.#rest = this.#rest.slice(found.length);
    return found;
  }

  /** One or two digits; `isFixed` asks for two. */
  #number(isFixed: boolean): number | typeof bad {
    const found = this.#take(isFixed ? /^\d\d/ : /^\d\d?/);
    return found === undefined ? bad : Number(found);
  }

  #within(value: number | typeof bad, low: number, high: number, name: string): number {
    if (value === bad) return Number.NaN;
    if (value < low || value > high) this.#range = name;
    return value;
  }

  #field(field: LayoutField, text: string, isFractionNext: boolean): typeof bad | undefined {
    switch (field) {
      case 'year': {
        const found = this.#take(/^\d\d/);
        if (found === undefined) return bad;
        this.#year = Number(found) + (Number(found) >= 69 ? 1900 : 2000);
        return undefined;
      }
      case 'longYear': {
        const found = this.#take(/^\d{4}/);
        if (found === undefined) return bad;
        this.#year = Number(found);
        return undefined;
      }
      case 'month':
      case 'longMonth': {
        const at = this.#lookup(monthNames, field === 'month');
        if (at === undefined) return bad;
        this.#month = at + 1;
        return undefined;
      }
      case 'weekday':
      case 'longWeekday':
        return this.#lookup(dayNames, field === 'weekday') === undefined ? bad : undefined;
      case 'numMonth':
      case 'zeroMonth':
        this.#month = this.#within(this.#number(field === 'zeroMonth'), 1, 12, 'month');
        return ifNumber(this.#month);
      case 'underDay':
      case 'day':
      case 'zeroDay': {
        if (field === 'underDay') this.#take(/^ /);
        const day = this.#number(field === 'zeroDay');
        if (day === bad) return bad;
        this.#day = day;
        return undefined;
      }
      case 'underYearDay':
      case 'zeroYearDay': {
        if (field === 'underYearDay') this.#take(/^ {1,2}/);
        const found = this.#take(field === 'zeroYearDay' ? /^\d{3}/ : /^\d{1,3}/);
        if (found === undefined) return bad;
        this.#yearDay = Number(found);
        return undefined;
      }
      case 'hour':
        this.#hour = this.#within(this.#number(false), 0, 23, 'hour');
        return ifNumber(this.#hour);
      case 'hour12':
      case 'zeroHour12':
        this.#hour = this.#within(this.#number(field === 'zeroHour12'), 0, 12, 'hour');
        return ifNumber(this.#hour);
      case 'minute':
      case 'zeroMinute':
        this.#minute = this.#within(this.#number(field === 'zeroMinute'), 0, 59, 'minute');
        return ifNumber(this.#minute);
      case 'second':
      case 'zeroSecond':
        this.#second = this.#within(this.#number(field === 'zeroSecond'), 0, 59, 'second');
        if (this.#range === '' && !isFractionNext) this.#fraction(/^[.,]\d+/);
        return ifNumber(this.#second);
      case 'pm':
      case 'lowerPm': {
        const found = this.#take(field === 'pm' ? /^(AM|PM)/ : /^(am|pm)/);
        if (found === undefined) return bad;
        this.#half = found.toLowerCase() as 'am' | 'pm';
        return undefined;
      }
      case 'zone':
        return this.#zone(text);
      case 'zoneName':
        return this.#namedZone();
      case 'fraction':
        if (text[1] === '9') {
          this.#fraction(/^[.,]\d+/);
          return undefined;
        }
        return this.#fraction(new RegExp(`^[.,]\\d{${text.length - 1}}`)) ? undefined : bad;
    }
    return undefined;
  }

  #lookup(names: readonly string[], isShort: boolean): number | undefined {
    const rest = this.#rest.toLowerCase();
    const at = names.findIndex((name) =>
      rest.startsWith((isShort ? name.slice(0, 3) : name).toLowerCase()),
    );
    if (at < 0) return undefined;
    this.#rest = this.#rest.slice(isShort ? 3 : names[at]!.length);
    return at;
  }

  #fraction(pattern: RegExp): boolean {
    const found = this.#take(pattern);
    if (found === undefined) return false;
    this.#nanosecond = Number(found.slice(1, 10).padEnd(9, '0'));
    return true;
  }

  #zone(text: string): typeof bad | undefined {
    if (text[0] === 'Z' && this.#take(/^Z/) !== undefined) {
      this.#isUtc = true;
      return undefined;
    }
    const shape = text.slice(1).replaceAll(/07|00/g, '(\\d\\d)');
    const match = new RegExp(`^([+-])${shape}`).exec(this.#rest);
    if (match === null) return bad;
    this.#rest = this.#rest.slice(match[0].length);
    const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map(Number);
    if (hours > 24) this.#range = 'time zone offset hour';
    if (minutes > 60) this.#range = 'time zone offset minute';
    if (seconds > 60) this.#range = 'time zone offset second';
    const size = (hours * 60 + minutes) * 60 + seconds;
    this.#offset = match[1] === '-' ? -size : size;
    return undefined;
  }

  #namedZone(): typeof bad | undefined {
    if (this.#take(/^UTC/) !== undefined) {
      this.#isUtc = true;
      return undefined;
    }
    const found = this.#take(
      /^(ChST|MeST|GMT[+-]\d{1,2}|GMT|[A-Z]{5}(?<=T)|[A-Z]{4}(?<=T|WITA)|[A-Z]{3}(?![A-Z])|[+-]\d\d)/,
    );
    if (found === undefined) return bad;
    this.#zoneName = found;
    return undefined;
  }

  #moment(): Moment {
    if (this.#half === 'pm' && this.#hour < 12) this.#hour += 12;
    else if (this.#half === 'am' && this.#hour === 12) this.#hour = 0;
    this.#settleDay();
    const date = {
      year: this.#year,
      month: this.#month,
      day: this.#day,
      hour: this.#hour,
      minute: this.#minute,
      second: this.#second,
      nanosecond: this.#nanosecond,
    };
    if (this.#isUtc) return { unixNanoseconds: unixNanosecondsOf(date, utc), zone: utc };
    if (this.#offset !== undefined)
      return this.#atOffset(unixNanosecondsOf(date, utc), this.#offset);
    if (this.#zoneName !== '') {
      const hours = /^GMT([+-]\d+)$/.exec(this.#zoneName)?.[1];
      const named = unixNanosecondsOf(date, this.#local);
      const isLocal = this.#local.at(seconds(named)).abbreviation === this.#zoneName;
      if (isLocal) return { unixNanoseconds: named, zone: this.#local };
      const zone = fixedZone(this.#zoneName, hours === undefined ? 0 : Number(hours) * 3600);
      return { unixNanoseconds: unixNanosecondsOf(date, utc), zone };
    }
    return { unixNanoseconds: unixNanosecondsOf(date, this.#local), zone: this.#local };
  }

  #atOffset(shown: bigint, offset: number): Moment {
    const unixNanoseconds = shown - BigInt(offset) * 1_000_000_000n;
    const here = this.#local.at(seconds(unixNanoseconds));
    const isLocal =
      here.offsetSeconds === offset &&
      (this.#zoneName === '' || here.abbreviation === this.#zoneName);
    return { unixNanoseconds, zone: isLocal ? this.#local : fixedZone(this.#zoneName, offset) };
  }

  #settleDay(): void {
    if (this.#yearDay >= 0) this.#settleYearDay();
    if (this.#month < 0) this.#month = 1;
    if (this.#day < 0) this.#day = 1;
    if (this.#day < 1 || this.#day > daysInMonth(this.#month, this.#year)) {
      throw this.#failure('', this.#rest, ': day out of range');
    }
  }

  #settleYearDay(): void {
    const isOut = this.#yearDay < 1 || this.#yearDay > (isLeapYear(this.#year) ? 366 : 365);
    if (isOut) throw this.#failure('', this.#rest, ': day-of-year out of range');
    let month = 1;
    let day = this.#yearDay;
    while (day > daysInMonth(month, this.#year)) day -= daysInMonth(month++, this.#year);
    if (this.#month >= 0 && this.#month !== month) {
      throw this.#failure('', this.#rest, ': day-of-year does not match month');
    }
    if (this.#day >= 0 && this.#day !== day) {
      throw this.#failure('', this.#rest, ': day-of-year does not match day');
    }
    this.#month = month;
    this.#day = day;
  }
}

function ifNumber(value: number): typeof bad | undefined {
  return Number.isNaN(value) ? bad : undefined;
}

function seconds(unixNanoseconds: bigint): number {
  return Number(floorDivide(unixNanoseconds, 1_000_000_000n));
}
