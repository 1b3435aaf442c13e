import { join } from 'node:path/posix';
import { goMatch } from '@waygate/text';
import type { Chart } from '../chart/chart.ts';
import type { ChartDependency } from '../chart/metadata.ts';
import { isInRange, isRange, isVersion } from '../version/version.ts';
import type { ParsedFlags } from './flag-set.ts';
import { loadFrom } from './load-from.ts';
import { absolute } from './paths.ts';
import { printTable } from './table.ts';
import type { CommandWorld } from './world.ts';

/** `helm dependency list`: what is declared, and what of it is there. */
export function listDependencies(flags: ParsedFlags, world: CommandWorld): void {
  const shown = flags.args[0] ?? '.';
  const directory = absolute(world, shown);
  const chart = loadFrom(world, directory, { shown });
  const declared = chart.metadata.dependencies;
  if (declared === undefined) {
    world.writeOut(`WARNING: no dependencies at ${join(shown, 'charts')}\n`);
    return;
  }
  const rows = declared.map((each) => [
    each.name,
    each.version ?? '',
    each.repository ?? '',
    statusOf(each, chart, directory, world),
  ]);
  const width = Number(flags.text('max-col-width') || 80);
  world.writeOut(`${printTable([['NAME', 'VERSION', 'REPOSITORY', 'STATUS'], ...rows], width)}\n`);
  warnOfOthers(declared, directory, shown, world);
}

function statusOf(
  { name, version = '' }: ChartDependency,
  chart: Chart,
  directory: string,
  world: CommandWorld,
): string {
  const charts = `${directory}/charts`;
  const names = world.files.status(charts) === undefined ? [] : world.files.list(charts);
  let archives = names.filter((file) => goMatch(`${name}-*.tgz`, file));
  if (archives.length > 1) {
    archives = archives.filter((file) => {
      const rest = file.slice(name.length + 1, -'.tgz'.length);
      return /^\d+\.\d+\.\d+/.test(rest) && isVersion(rest);
    });
    if (archives.length > 1) return 'too many matches';
  }
  if (archives[0] !== undefined) {
    let packed: Chart;
    try {
      packed = loadFrom(world, `${charts}/${archives[0]}`);
    } catch {
      return 'corrupt';
    }
    if (packed.metadata.name !== name) return 'misnamed';
    return versionStatus(packed, version) ?? 'ok';
  }
  const child = chart.dependencies.find((each) => each.metadata.name === name);
  return child === undefined ? 'missing' : (versionStatus(child, version) ?? 'unpacked');
}

function versionStatus({ metadata }: Chart, range: string): string | undefined {
  if (metadata.version === range) return undefined;
  if (!isRange(range)) return 'invalid version';
  return isInRange(metadata.version, range) ? undefined : 'wrong version';
}

function warnOfOthers(
  declared: readonly ChartDependency[],
  directory: string,
  shown: string,
  world: CommandWorld,
): void {
  const charts = `${directory}/charts`;
  if (world.files.status(charts) === undefined) return;
  for (const name of world.files.list(charts)) {
    const place = `${charts}/${name}`;
    if (world.files.status(place)?.kind !== 'directory' && !name.endsWith('.tgz')) continue;
    const quoted = JSON.stringify(join(shown, 'charts', name));
    try {
      const chart = loadFrom({ ...world, writeError: () => {} }, place);
      if (!declared.some((each) => each.name === chart.metadata.name)) {
        world.writeOut(`WARNING: ${quoted} is not in Chart.yaml.\n`);
      }
    } catch {
      world.writeOut(`WARNING: ${quoted} is not a chart.\n`);
    }
  }
}
