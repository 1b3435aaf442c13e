import { packChart } from '../chart/pack-chart.ts';
import { HelmError } from '../helm-error.ts';
import { isVersion } from '../version/version.ts';
import { CommandError } from './command-error.ts';
import { missingDependencies, updateMissing } from './dependency-check.ts';
import type { ParsedFlags } from './flag-set.ts';
import { checkApiVersion, loadFrom } from './load-from.ts';
import { absolute } from './paths.ts';
import { signPackage } from './sign-package.ts';
import type { CommandWorld } from './world.ts';

/** `helm package`: writes `NAME-VERSION.tgz`. */
export async function packageCharts(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  if (flags.args.length === 0) {
    throw new CommandError('need at least one argument, the path to the chart');
  }
  const isSigned = flags.bool('sign');
  if (isSigned && flags.text('key') === '') {
    throw new CommandError('--key is required for signing a package');
  }
  for (const path of flags.args) {
    const place = absolute(world, path);
    const status = world.files.status(place);
    if (status === undefined) throw new CommandError(`stat ${path}: no such file or directory`);
    if (flags.bool('dependency-update')) {
      await updateMissing(place, flags, { ...world, writeOut: () => {} });
    }
    const shown = packageOne(place, flags, world);
    if (isSigned) await signPackage(shown, flags, world);
    world.writeOut(`Successfully packaged chart and saved it to: ${shown}\n`);
  }
}

function packageOne(directory: string, flags: ParsedFlags, world: CommandWorld): string {
  if (world.files.status(directory)?.kind === 'file') {
    const path = `${directory}/Chart.yaml`;
    throw new CommandError(
      world.helm === 3
        ? 'Chart.yaml file is missing'
        : `unable to detect chart at ${path}: open ${path}: not a directory`,
    );
  }
  const chart = loadFrom(world, directory, { isDetected: true });
  checkApiVersion(chart, world);
  const { metadata } = chart;
  metadata.version = flags.text('version') || metadata.version;
  if (!isVersion(metadata.version)) throw new CommandError('invalid semantic version');
  if (flags.text('app-version') !== '') metadata.appVersion = flags.text('app-version');
  const missing = missingDependencies(chart);
  if (missing !== undefined) throw new CommandError(missing);
  const destination = flags.text('destination') || '.';
  const target = destination === '.' ? world.cwd : destination;
  const shown = `${target.replace(/\/$/, '')}/${metadata.name}-${metadata.version}.tgz`;
  if (world.files.status(absolute(world, target))?.kind === 'file') {
    throw new CommandError(`failed to save: is not a directory: ${target}`);
  }
  try {
    const { helm } = world;
    const data = packChart(chart, { helm, now: world.now(), sourceDate: sourceDate(world) });
    world.files.write(absolute(world, shown), data);
  } catch (cause) {
    if (!(cause instanceof HelmError)) throw cause;
    throw new CommandError(`failed to save: ${cause.message}`, { cause });
  }
  return shown;
}

/** The time that archives shall have, as `SOURCE_DATE_EPOCH` says it. */
export function sourceDate({ env, helm }: CommandWorld): Date | undefined {
  const seconds = env.SOURCE_DATE_EPOCH;
  if (helm === 3 || seconds === undefined || !/^\d+$/.test(seconds)) return undefined;
  return new Date(Number(seconds) * 1000);
}
