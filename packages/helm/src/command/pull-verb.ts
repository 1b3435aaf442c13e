import { join, resolve } from 'node:path/posix';
import { ArchiveBudget, readArchive } from '../chart/archive.ts';
import { textOf } from '../chart/chart-file.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { readMetadata } from '../chart/read-metadata.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { fetchChart, type LocatedChart } from './locate-chart.ts';
import { absolute } from './paths.ts';
import { provenanceOf, verifyChart } from './verify-chart.ts';
import type { CommandWorld } from './world.ts';

/** `helm pull`: fetches charts, and unpacks them if asked. */
export async function pull(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  for (const reference of flags.args) {
    const chart = await fetchChart(reference, flags, world);
    if (chart.pulled !== undefined) {
      world.writeError(`Pulled: ${chart.pulled.reference}\nDigest: ${chart.pulled.digest}\n`);
    }
    if (flags.bool('verify')) world.writeOut(await verifyChart(chart, flags, world));
    const provenance =
      flags.bool('verify') || flags.bool('prov')
        ? await provenanceOf(chart, flags, world)
        : undefined;
    if (flags.bool('untar')) unpack(chart, flags, world);
    else {
      const destination = absolute(world, flags.text('destination') || '.');
      world.files.write(`${destination}/${chart.fileName}`, chart.data!);
      if (provenance !== undefined) {
        world.files.write(`${destination}/${chart.fileName}.prov`, provenance);
      }
    }
  }
}

function unpack(chart: LocatedChart, flags: ParsedFlags, world: CommandWorld): void {
  const directory = flags.text('untardir') || '.';
  const base = directory.startsWith('/')
    ? directory
    : join(flags.text('destination') || '.', directory);
  const files = readArchive(chart.data!, new ArchiveBudget(world.helm));
  const file = files.find(({ name }) => name === 'Chart.yaml');
  const metadata: Partial<ChartMetadata> = {};
  if (file !== undefined) readMetadata(textOf(file), metadata, world.helm);
  const { name = '' } = metadata;
  if (name === '' || name.includes('/') || name === '..' || name === '.') {
    throw new CommandError('chart name not specified');
  }
  const target = resolve(absolute(world, base), name);
  if (world.files.status(target) !== undefined) {
    throw new CommandError(
      `failed to untar: a file or directory with the name ${join(base, name)} already exists`,
    );
  }
  for (const each of files) world.files.write(`${target}/${each.name}`, each.data);
}
