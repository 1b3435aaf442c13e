/** What kinds of numbers there are, and how a line of StatsD names them. */
const kinds: Readonly<Record<string, string>> = {
  counter: 'c',
  gauge: 'g',
  histogram: 'h',
  meter: 'm',
  set: 's',
  timer: 'ms',
  distribution: 'd',
};

/** How tags are written: StatsD itself has none. */
export type TagStyle = 'dogstatsd' | 'influxdb' | 'librato' | 'signalfx';

/** A number to send. */
export interface Metric {
  readonly name: string;
  readonly value: number | string;
  readonly kind: string;
  readonly rate?: number | null | undefined;
  readonly tags?: readonly (readonly [string, string])[];
}

/** A line of StatsD: `kong.request.count:1|c`, with tags as a server of this style takes them. */
export function metricLine(prefix: string, metric: Metric, style: TagStyle = 'dogstatsd'): string {
  const { name, value, kind, rate, tags = [] } = metric;
  const sampled = rate === undefined || rate === null || rate === 1 ? '' : `|@${rate}`;
  const written = `:${value}|${kinds[kind] ?? 'c'}${sampled}`;
  const full = `${prefix}.${name}`;
  if (tags.length === 0) return full + written;
  const pairs = (sign: string) => tags.map(([tag, text]) => `${tag}${sign}${text}`).join(',');
  switch (style) {
    case 'dogstatsd':
      return `${full}${written}|#${pairs(':')}`;
    case 'influxdb':
      return `${full},${pairs('=')}${written}`;
    case 'librato':
      return `${full}#${pairs('=')}${written}`;
    case 'signalfx':
      return `${full}[${pairs('=')}]${written}`;
  }
}

/** Lines put together into packets of at most so many bytes; with 0 each is a packet by itself. */
export function packLines(lines: readonly string[], maximumBytes: number): readonly string[] {
  const packets: string[] = [];
  for (const line of lines) {
    const last = packets.at(-1);
    const joined = last === undefined ? line : `${last}\n${line}`;
    if (last !== undefined && Buffer.byteLength(joined) <= maximumBytes) {
      packets[packets.length - 1] = joined;
    } else {
      packets.push(line);
    }
  }
  return packets;
}
