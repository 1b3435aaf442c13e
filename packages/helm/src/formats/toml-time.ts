import { GoError } from '../go/function.ts';
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
];

/** A time of TOML; undefined where the text is none. */
export function readTomlTime(text: string): GoTime | undefined {
  const usual = text.replace(/^(\d{4}-\d{2}-\d{2})[ t]/, '$1T').replace(/z$/, 'Z');
  for (const [layout, zone] of layouts) {
    try {
      const moment = parseTime(layout, usual, utc);
      return new GoTime(moment.unixNanoseconds, zone ?? moment.zone);
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
    }
  }
  return undefined;
}
