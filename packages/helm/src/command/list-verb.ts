import { goRegex, parseLabelSelector, RegexError } from '@waygate/text';
import type { ReleaseRecord } from '../release/release-storage.ts';
import type { ReleaseStatus, StoredRelease } from '../release/stored-release.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { printAs, printData } from './print-release.ts';
import { failingAs, releaseContext } from './release-world.ts';
import { storedTime } from './stored-time.ts';
import { printTable } from './table.ts';
import type { CommandWorld } from './world.ts';

/** The flags that choose states, and those that they choose. */
const states: Readonly<Record<string, readonly ReleaseStatus[]>> = {
  deployed: ['deployed'],
  uninstalled: ['uninstalled'],
  uninstalling: ['uninstalling'],
  pending: ['pending-install', 'pending-upgrade', 'pending-rollback'],
  failed: ['failed'],
  superseded: ['superseded'],
};

const defaultMost = 256;

/** `helm list`: the last revision of each release. */
export async function list(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const { storage } = releaseContext(flags, world);
  const isNamed = nameFilter(flags.text('filter'));
  const everywhere = flags.bool('all-namespaces');
  const all = await failingAs('', () => storage.all(everywhere ? 'everywhere' : 'here'));
  const found = chosen(
    all.filter(({ release }) => isNamed(release.name)),
    flags,
    world,
  );
  const rows = found.map(({ release }) => rowOf(release, flags, world));
  const output = flags.text('output');
  if (flags.bool('short')) {
    const names = rows.map(({ name }) => name);
    if (output === 'json' || output === 'yaml') printData(output, world, names);
    else world.writeOut(names.map((name) => `${name}\n`).join(''));
    return;
  }
  const titles = ['NAME', 'NAMESPACE', 'REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION'];
  printAs(flags, world, rows, () => {
    const lines = rows.map((row) => Object.values(row));
    const table = flags.bool('no-headers') ? lines : [titles, ...lines];
    return table.length === 0 ? '\n' : printTable(table, Number.POSITIVE_INFINITY);
  });
}

function nameFilter(pattern: string): (name: string) => boolean {
  if (pattern === '') return () => true;
  try {
    const regex = goRegex(pattern);
    return (name) => regex.test(name);
  } catch (cause) {
    if (!(cause instanceof RegexError)) throw cause;
    throw new CommandError(cause.message, { cause });
  }
}

function chosen(
  records: readonly ReleaseRecord[],
  flags: ParsedFlags,
  world: CommandWorld,
): readonly ReleaseRecord[] {
  const wanted = wantedStates(flags, world);
  // A revision that was superseded is the last one of no release.
  const isPast = wanted?.length === 1 && wanted[0] === 'superseded';
  const selector = selectorOf(flags);
  const rest = (isPast ? records : latest(records)).filter(
    ({ release, labels }) =>
      (wanted === undefined || wanted.includes(release.info.status)) && selector(labels),
  );
  const sorted = [...rest].sort(orderOf(flags, world));
  const from = Number(flags.text('offset') || 0);
  const most = Number(flags.text('max') || defaultMost);
  return sorted.slice(from, most > 0 ? from + most : undefined);
}

/** Undefined is all. */
function wantedStates(
  flags: ParsedFlags,
  { helm }: CommandWorld,
): readonly ReleaseStatus[] | undefined {
  if (flags.bool('all')) return undefined;
  const wanted = Object.keys(states)
    .filter((flag) => flags.bool(flag))
    .flatMap((flag) => states[flag]!);
  if (wanted.length > 0) return wanted;
  return helm === 4 ? undefined : ['deployed', 'failed'];
}

function latest(records: readonly ReleaseRecord[]): readonly ReleaseRecord[] {
  const last = new Map<string, ReleaseRecord>();
  for (const record of records) {
    const { namespace, name, version } = record.release;
    const key = `${namespace}/${name}`;
    if ((last.get(key)?.release.version ?? 0) <= version) last.set(key, record);
  }
  return [...last.values()];
}

function selectorOf(flags: ParsedFlags): (labels: Readonly<Record<string, string>>) => boolean {
  const text = flags.text('selector');
  if (text === '') return () => true;
  try {
    const selector = parseLabelSelector(text);
    return (labels) => selector.matches(labels);
  } catch (cause) {
    throw new CommandError((cause as Error).message, { cause });
  }
}

function orderOf(
  flags: ParsedFlags,
  world: CommandWorld,
): (a: ReleaseRecord, b: ReleaseRecord) => number {
  const sign = flags.bool('reverse') ? -1 : 1;
  const timeOf = ({ release }: ReleaseRecord) =>
    storedTime(release.info.last_deployed, world)?.unixNanoseconds ?? 0n;
  if (flags.bool('date')) return (a, b) => sign * Number(timeOf(a) - timeOf(b));
  return (a, b) => (a.release.name < b.release.name ? -sign : sign);
}

function rowOf(release: StoredRelease, flags: ParsedFlags, world: CommandWorld) {
  const { name, namespace, version, info, chart } = release;
  const time = storedTime(info.last_deployed, world);
  const layout = flags.text('time-format');
  return {
    name,
    namespace,
    revision: String(version),
    updated: (layout === '' ? time?.text() : time?.format(layout)) ?? '-',
    status: info.status,
    chart: `${chart.metadata.name}-${chart.metadata.version}`,
    app_version: chart.metadata.appVersion ?? '',
  };
}
