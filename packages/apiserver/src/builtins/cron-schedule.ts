/** The fields of a schedule with their bounds and the names that stand for numbers. */
const fields = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  {
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
] as const;

type Bounds = (typeof fields)[number];

const descriptors = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

const duration = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** What is wrong with a cron schedule, in the parser's words; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  let text = schedule;
  if (/^(?:CRON_)?TZ=/.test(text)) {
    const space = text.indexOf(' ');
    text = space < 0 ? '' : text.slice(space).trim();
  }
  if (text.startsWith('@')) return descriptorProblem(text);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length)
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [index, bounds] of fields.entries()) {
    for (const range of (parts[index] as string).split(',').filter((each) => each !== '')) {
      const problem = rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const given = text.slice('@every '.length);
  return duration.test(given)
    ? undefined
    : `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(given)}`;
}

function rangeProblem(expression: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...slashes] = expression.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  let start: number = bounds.min;
  let end: number = bounds.max;
  if (low !== '*' && low !== '?') {
    const first = numberOf(low, bounds);
    if (typeof first === 'string') return first;
    start = first;
    if (hyphens.length > 0) return `too many hyphens: ${expression}`;
    const last = high === undefined ? first : numberOf(high, bounds);
    if (typeof last === 'string') return last;
    end = last;
  }
  if (slashes.length > 0) return `too many slashes: ${expression}`;
  if (step !== undefined) {
    const by = numberOf(step, { min: 0, max: 0, names: [] });
    if (typeof by === 'string') return by;
    if (high === undefined) end = bounds.max;
    if (by === 0) return `step of range should be a positive number: ${expression}`;
  }
  if (start < bounds.min)
    return `beginning of range (${start}) below minimum (${bounds.min}): ${expression}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`;
  if (start > end)
    return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return undefined;
}

function numberOf(
  text: string,
  bounds: { readonly min: number; readonly max: number; readonly names: readonly string[] },
): number | string {
  const index = bounds.names.indexOf(text.toLowerCase());
  if (index >= 0) return index + (bounds.max === 12 ? 1 : 0);
  if (!/^[-+]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
