import { join, resolve } from 'node:path/posix';
import { ArchiveBudget, readArchive } from '../chart/archive.ts';
import { textOf } from '../chart/chart-file.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { readMetadata } from '../chart/read-metadata.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { fetchChart, type LocatedChart, pulledText } from './locate-chart.ts';
import { absolute } from './paths.ts';
import { provenanceOf, verifyChart } from './verify-chart.ts';
import type { CommandWorld } from './world.ts';

/** `helm pull`: fetches charts, and unpacks them if asked. */
export async function pull(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  for (const reference of flags.args) {
    const chart = await fetchChart(reference, flags, world);
    if (world.helm === 3) world.writeError(pulledText(chart));
    else world.writeOut(pulledText(chart));
    if (flags.bool('verify')) world.writeOut(await verifyChart(chart, flags, world));
    const isWanted = flags.bool('verify') || flags.bool('prov');
    const provenance = isWanted ? await provenanceOf(chart, flags, world) : undefined;
    if (isWanted && provenance === undefined) world.writeOut(withoutProvenance(chart, reference));
    if (flags.bool('untar')) unpack(chart, reference, flags, world);
    else {
      const shown = join(flags.text('destination') || '.', chart.fileName);
      const destination = absolute(world, flags.text('destination') || '.');
      checkDestination(destination, shown, world);
      world.files.write(`${destination}/${chart.fileName}`, chart.data!);
      if (provenance !== undefined) {
        world.files.write(`${destination}/${chart.fileName}.prov`, provenance);
      }
    }
  }
}

function withoutProvenance({ path, pulled }: LocatedChart, reference: string): string {
  const why =
    pulled === undefined
      ? `failed to fetch ${path}.prov : 404 Not Found`
      : 'manifest does not contain a layer with mediatype application/vnd.cncf.helm.chart.provenance.v1.prov';
  const shown = pulled === undefined ? path : reference;
  return `WARNING: Verification not found for ${shown}: ${why}\n`;
}

/** A directory that is misspelt is not made. @throws CommandError */
function checkDestination(directory: string, shown: string, { files }: CommandWorld): void {
  const kind = files.status(directory)?.kind;
  if (kind === 'directory' || directory === '/') return;
  const why = kind === undefined ? 'no such file or directory' : 'not a directory';
  throw new CommandError(`open ${shown}: ${why}`);
}

function unpack(
  chart: LocatedChart,
  reference: string,
  flags: ParsedFlags,
  world: CommandWorld,
): void {
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
  if (world.files.status(absolute(world, base))?.kind === 'file') {
    throw new CommandError(`failed to untar (mkdir): mkdir ${base}: not a directory`);
  }
  const called = reference.slice(reference.lastIndexOf('/') + 1);
  for (const each of [called, name]) {
    if (world.files.status(resolve(absolute(world, base), each)) === undefined) continue;
    throw new CommandError(
      `failed to untar: a file or directory with the name ${join(base, each)} already exists`,
    );
  }
  for (const each of files) world.files.write(`${target}/${each.name}`, each.data);
}
