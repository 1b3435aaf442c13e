import { GoTime } from '../go/time.ts';
import { parseTime } from '../go/time-parse.ts';
import { utc, zoneNamed } from '../go/zone.ts';
import type { CommandWorld } from './world.ts';

/**
 * A time of a stored release, as Go reads it back: in the zone of whoever stored it, by name where that is also
 * ours. Undefined where there is none.
 */
export function storedTime(
  text: string | undefined,
  { timeZone }: Pick<CommandWorld, 'timeZone'>,
): GoTime | undefined {
  if (text === undefined || text === '') return undefined;
  const local = zoneNamed(typeof timeZone === 'string' ? timeZone : timeZone()) ?? utc;
  const { unixNanoseconds, zone } = parseTime('2006-01-02T15:04:05Z07:00', text, local);
  return new GoTime(unixNanoseconds, zone);
}

/** `Mon Jan  2 15:04:05 2006`; a time that never was is the first one. */
export function ansiTime(text: string | undefined, world: Pick<CommandWorld, 'timeZone'>): string {
  return storedTime(text, world)?.format('Mon Jan _2 15:04:05 2006') ?? 'Mon Jan  1 00:00:00 0001';
}
