import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import type { LocatedChart } from './locate-chart.ts';
import { absolute } from './paths.ts';
import { networkOf } from './repositories.ts';
import { fetchOptions } from './repository-flags.ts';
import type { CommandWorld } from './world.ts';

/** The provenance file of a chart; undefined when there is none. */
export async function provenanceOf(
  chart: LocatedChart,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<Uint8Array | undefined> {
  if (chart.path.startsWith('oci://')) return chart.provenance;
  const path = `${chart.path}.prov`;
  if (chart.data === undefined) {
    return world.files.status(path)?.kind === 'file' ? world.files.read(path) : undefined;
  }
  const { status, data } = await networkOf(world).fetch(path, fetchOptions(flags));
  return status === 200 ? data : undefined;
}

/**
 * Checks a packed chart by its provenance file and the keys of the keyring; says by whom it is signed.
 *
 * @throws CommandError when it is not signed, or by nobody who is known
 */
export async function verifyChart(
  chart: LocatedChart,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<string> {
  const isLocal = chart.data === undefined;
  if (isLocal && world.files.status(chart.path)?.kind === 'directory') {
    throw new CommandError('unpacked charts cannot be verified');
  }
  const provenance = await provenanceOf(chart, flags, world);
  if (provenance === undefined) {
    const shown = JSON.stringify(`${chart.path}.prov`);
    throw new CommandError(
      isLocal
        ? `could not load provenance file ${chart.path}.prov: it is not there`
        : `failed to fetch provenance ${shown}`,
    );
  }
  if (world.provenance === undefined) {
    throw new CommandError('signatures cannot be checked here: leave --verify out, or use helm');
  }
  const keyring = flags.text('keyring') || `${world.env.HOME ?? ''}/.gnupg/pubring.gpg`;
  const data = chart.data ?? world.files.read(chart.path);
  try {
    const { signedBy, fingerprint, hash } = await world.provenance(
      { name: chart.fileName, data },
      provenance,
      absolute(world, keyring),
    );
    const names = signedBy.map((name) => `Signed by: ${name}\n`).join('');
    return `${names}Using Key With Fingerprint: ${fingerprint}\nChart Hash Verified: ${hash}\n`;
  } catch (cause) {
    throw new CommandError((cause as Error).message, { cause });
  }
}
