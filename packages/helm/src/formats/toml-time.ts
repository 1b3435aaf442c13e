import { GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { GoTime } from '../go/time.ts';
import { parseTime } from '../go/time-parse.ts';
import { fixedZone, utc, type Zone } from '../go/zone.ts';

/** TOML's times without a zone, a date or a clock: told apart by the zone that they are said to be in. */
export const localDateTime: Zone = { ...fixedZone('UTC', 0), name: 'datetime-local' };
export const localDate: Zone = { ...fixedZone('UTC', 0), name: 'date-local' };
export const localTime: Zone = { ...fixedZone('UTC', 0), name: 'time-local' };

const layouts: readonly (readonly [string, Zone | undefined])[] = [
  ['2006-01-02T15:04:05Z07:00', undefined],
  ['2006-01-02T15:04:05', localDateTime],
  ['2006-01-02', localDate],
  ['15:04:05', localTime],
  ['2006-01-02T15:04Z07:00', undefined],
  ['2006-01-02T15:04', localDateTime],
  ['15:04', localTime],
];

/** A time of TOML. */
export function readTomlTime(text: string, fail: (message: string) => never): GoTime {
  const usual = text.replaceAll('z', 'Z').replaceAll(/[t ]/g, 'T');
  const wrong = `invalid datetime: ${quoteString(usual)}`;
  for (const [layout, zone] of layouts) {
    try {
      const moment = parseTime(layout, usual, utc);
      if (lacksZero(usual, layout)) fail(wrong);
      return new GoTime(moment.unixNanoseconds, zone ?? moment.zone);
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
    }
  }
  return fail(wrong);
}

/** Go reads one digit where two are meant; TOML does not. */
function lacksZero(text: string, layout: string): boolean {
  const fixed = layout.split('Z')[0]!;
  return [...fixed].some((each, at) => !/\d/.test(each) && text[at] !== each);
}
