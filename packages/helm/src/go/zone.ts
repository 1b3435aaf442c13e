/** A time zone: what its clocks show at a moment. */
export interface Zone {
  /** As `%v` of a location shows it: `UTC`, `Local`, an IANA name. */
  readonly name: string;
  at(unixSeconds: number): ZoneTime;
}

interface ZoneTime {
  readonly offsetSeconds: number;
  /** `CET`, or `+0330` as tzdata has it where people use no letters. */
  readonly abbreviation: string;
}

export const utc: Zone = { name: 'UTC', at: () => ({ offsetSeconds: 0, abbreviation: 'UTC' }) };

/** A zone of one offset, as a text like `+02:00` gives it. */
export function fixedZone(abbreviation: string, offsetSeconds: number): Zone {
  return { name: abbreviation, at: () => ({ offsetSeconds, abbreviation }) };
}

const known = new Map<string, Zone>();

/** A zone by its IANA name; undefined where there is none. */
export function zoneNamed(name: string): Zone | undefined {
  if (name === 'UTC' || name === '') return utc;
  const found = known.get(name);
  if (found !== undefined) return found;
  if (!/^[A-Za-z0-9_+/-]{1,64}$/.test(name)) return undefined;
  let clock: Intl.DateTimeFormat;
  try {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    });
  } catch {
    return undefined;
  }
  const zone: Zone = { name, at: (unixSeconds) => readClock(clock, name, unixSeconds) };
  known.set(name, zone);
  return zone;
}

function readClock(clock: Intl.DateTimeFormat, name: string, unixSeconds: number): ZoneTime {
  // Beyond what JavaScript's dates hold the zone's clocks show what they show at the edge.
  const inside = Math.min(Math.max(unixSeconds, -8.64e12), 8.64e12);
  const parts = new Map(
    clock.formatToParts(new Date(inside * 1000)).map(({ type, value }) => [type, value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  const shown = new Date(0);
  shown.setUTCFullYear(year, number('month') - 1, number('day'));
  shown.setUTCHours(number('hour'), number('minute'), number('second'));
  const offsetSeconds = shown.getTime() / 1000 - Math.floor(inside);
  return {
    offsetSeconds,
    abbreviation: abbreviate(name, parts.get('timeZoneName') ?? '', offsetSeconds),
  };
}

/** Letters that tzdata has and JavaScript does not say: by zone, for winter and summer. */
const letters: readonly (readonly [RegExp, string, string])[] = [
  [/^(Europe\/London|GB)$/, 'GMT', 'BST'],
  [/^(Europe\/Dublin|Eire)$/, 'GMT', 'IST'],
  [/^(Europe\/Lisbon|Portugal|Atlantic\/(Canary|Faroe|Madeira)|WET)$/, 'WET', 'WEST'],
  [
    /^(Europe\/(Athens|Bucharest|Chisinau|Helsinki|Kiev|Kyiv|Mariehamn|Riga|Sofia|Tallinn|Vilnius)|Asia\/(Beirut|Nicosia)|Africa\/Cairo|EET)$/,
    'EET',
    'EEST',
  ],
  [/^(Europe\/(Kaliningrad)|Africa\/Tripoli)$/, 'EET', 'EET'],
  [/^(Europe\/(Moscow|Minsk|Simferopol)|W-SU)$/, 'MSK', 'MSK'],
  [/^Europe\/(Istanbul|Samara|Saratov|Ulyanovsk|Volgograd|Astrakhan)$/, '', ''],
  [/^(Europe\/|Arctic\/|CET$|MET$|Africa\/(Algiers|Tunis|Ceuta)$|Poland$)/, 'CET', 'CEST'],
  [/^(Asia\/Tokyo|Japan)$/, 'JST', 'JDT'],
  [/^(Asia\/Seoul|ROK|Asia\/Pyongyang)$/, 'KST', 'KDT'],
  [/^(Asia\/(Shanghai|Taipei|Macau|Chongqing|Harbin)|PRC|ROC)$/, 'CST', 'CDT'],
  [/^(Asia\/Hong_Kong|Hongkong)$/, 'HKT', 'HKST'],
  [/^Asia\/(Kolkata|Calcutta)$/, 'IST', 'IST'],
  [/^Asia\/Karachi$/, 'PKT', 'PKST'],
  [/^Asia\/Manila$/, 'PST', 'PDT'],
  [/^Asia\/(Jakarta|Pontianak)$/, 'WIB', 'WIB'],
  [/^(Asia\/(Jerusalem|Tel_Aviv)|Israel)$/, 'IST', 'IDT'],
  [
    /^Australia\/(Sydney|Melbourne|Hobart|Canberra|ACT|NSW|Victoria|Tasmania|Brisbane|Lindeman)$/,
    'AEST',
    'AEDT',
  ],
  [/^Australia\/(Adelaide|Darwin|Broken_Hill|South|North)$/, 'ACST', 'ACDT'],
  [/^Australia\/(Perth|West)$/, 'AWST', 'AWDT'],
  [/^(Pacific\/Auckland|NZ|Antarctica\/McMurdo)$/, 'NZST', 'NZDT'],
  [
    /^Africa\/(Lagos|Kinshasa|Luanda|Douala|Libreville|Niamey|Brazzaville|Malabo|Ndjamena|Bangui|Porto-Novo)$/,
    'WAT',
    'WAT',
  ],
  [/^Africa\/(Nairobi|Addis_Ababa|Kampala|Dar_es_Salaam|Mogadishu|Djibouti|Asmara)$/, 'EAT', 'EAT'],
  [/^Africa\/(Johannesburg|Maseru|Mbabane)$/, 'SAST', 'SAST'],
  [
    /^Africa\/(Maputo|Harare|Lusaka|Khartoum|Windhoek|Kigali|Lubumbashi|Gaborone|Blantyre|Bujumbura)$/,
    'CAT',
    'CAT',
  ],
];

function abbreviate(name: string, said: string, offsetSeconds: number): string {
  if (/^[A-Z]{2,5}$/.test(said) && said !== 'UTC') return said;
  const row = letters.find(([pattern]) => pattern.test(name));
  if (row !== undefined && row[1] !== '') return isSummer(name, offsetSeconds) ? row[2] : row[1];
  if (offsetSeconds === 0) return /^(Etc\/)?(UTC|UCT|Universal|Zulu)$/.test(name) ? 'UTC' : 'GMT';
  const size = Math.abs(offsetSeconds);
  const hours = String(Math.floor(size / 3600)).padStart(2, '0');
  const minutes = Math.floor(size / 60) % 60;
  return `${offsetSeconds < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : String(minutes).padStart(2, '0')}`;
}

/** Whether clocks are ahead of what they show when the year has least of it. */
function isSummer(name: string, offsetSeconds: number): boolean {
  const base = { CET: 3600, EET: 7200 }[name] ?? standardOffset(name);
  return offsetSeconds > base;
}

const standard = new Map<string, number>();

function standardOffset(name: string): number {
  const found = standard.get(name);
  if (found !== undefined) return found;
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const offsets = [0, 6].map((month) => {
    const text = clock
      .formatToParts(Date.UTC(2024, month, 1))
      .find(({ type }) => type === 'timeZoneName');
    const match = /([+-])(\d{2}):(\d{2})/.exec(text?.value ?? '');
    if (match === null) return 0;
    const size = Number(match[2]) * 3600 + Number(match[3]) * 60;
    return match[1] === '-' ? -size : size;
  });
  const least = Math.min(...offsets);
  standard.set(name, least);
  return least;
}
