import { join, resolve } from 'node:path/posix';
import { ArchiveBudget, readArchive } from '../chart/archive.ts';
import { textOf } from '../chart/chart-file.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { readMetadata } from '../chart/read-metadata.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { fetchChart, type LocatedChart } from './locate-chart.ts';
import { absolute } from './paths.ts';
import { networkOf } from './repositories.ts';
import { fetchOptions } from './repository-flags.ts';
import type { CommandWorld } from './world.ts';

/** `helm pull`: fetches charts, and unpacks them if asked. */
export async function pull(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  for (const reference of flags.args) {
    const chart = await fetchChart(reference, flags, world);
    if (chart.pulled !== undefined) {
      world.writeError(`Pulled: ${chart.pulled.reference}\nDigest: ${chart.pulled.digest}\n`);
    }
    const provenance =
      flags.bool('verify') || flags.bool('prov')
        ? await provenanceOf(chart, flags, world)
        : undefined;
    if (flags.bool('verify')) await verify(chart, provenance, flags, world);
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

async function provenanceOf(
  chart: LocatedChart,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<Uint8Array | undefined> {
  if (chart.path.startsWith('oci://')) return chart.provenance;
  const { status, data } = await networkOf(world).fetch(`${chart.path}.prov`, fetchOptions(flags));
  if (status === 200) return data;
  if (flags.bool('verify')) {
    throw new CommandError(`failed to fetch provenance ${JSON.stringify(`${chart.path}.prov`)}`);
  }
  return undefined;
}

async function verify(
  chart: LocatedChart,
  provenance: Uint8Array | undefined,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<void> {
  if (provenance === undefined) {
    throw new CommandError(`failed to fetch provenance ${JSON.stringify(`${chart.path}.prov`)}`);
  }
  if (world.provenance === undefined) throw new CommandError('signatures are not checked here');
  const keyring = flags.text('keyring') || `${world.env.HOME ?? ''}/.gnupg/pubring.gpg`;
  const archive = { name: chart.fileName, data: chart.data! };
  const { signedBy, fingerprint, hash } = await world.provenance(
    archive,
    provenance,
    absolute(world, keyring),
  );
  for (const name of signedBy) world.writeOut(`Signed by: ${name}\n`);
  world.writeOut(`Using Key With Fingerprint: ${fingerprint}\nChart Hash Verified: ${hash}\n`);
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
