import { crdsOf } from '../chart/chart.ts';
import { installRelease } from '../release/install.ts';
import { newRelease } from '../release/new-release.ts';
import { goTime, type StoredRelease } from '../release/stored-release.ts';
import { checkDryRun, dryInstall } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import { logTo } from './load-from.ts';
import { printAs, printRelease } from './print-release.ts';
import { checkReleaseName, nameAndChart } from './release-name.ts';
import {
  actionOptions,
  chartAndValues,
  failingAs,
  labelsOf,
  releaseContext,
} from './release-world.ts';
import type { CommandWorld } from './world.ts';

/** `helm install`: into the cluster, or with `--dry-run` what would be installed, and the notes. */
export async function install(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const isClientSide = ['client', 'true', 'unset'].includes(flags.text('dry-run'));
  const isDryRun = isClientSide || flags.text('dry-run') === 'server';
  const release = await failingAs('INSTALLATION FAILED', () =>
    isClientSide ? dryRelease(flags, world) : installed(flags, world),
  );
  const hidesNotes = flags.bool('hide-notes');
  printAs(flags, world, release, () => printRelease(release, world, { isDryRun, hidesNotes }));
}

async function dryRelease(flags: ParsedFlags, world: CommandWorld): Promise<StoredRelease> {
  const release = await dryInstall(flags, world, 'install');
  const now = world.now();
  return newRelease({
    ...release,
    helm: world.helm,
    version: 1,
    info: {
      first_deployed: goTime(now),
      last_deployed: goTime(now),
      description: 'Dry run complete',
      status: 'pending-install',
      notes: release.notes,
    },
    applyMethod: 'ssa',
    modifiedAt: now,
  });
}

/** Installs by the flags of `install`, which `upgrade --install` has too. */
export async function installed(
  flags: ParsedFlags,
  world: CommandWorld,
  given?: { readonly name: string; readonly chart: string },
): Promise<StoredRelease> {
  const { name, chart: reference } = given ?? nameAndChart(flags, world, 'install');
  const context = releaseContext(flags, world);
  const { chart, values } = await chartAndValues(reference, flags, world);
  checkDryRun(flags, world);
  checkReleaseName(name, world);
  const dryRun = flags.text('dry-run') === 'server';
  if (dryRun && world.helm === 4 && crdsOf(chart).length > 0 && !flags.bool('skip-crds')) {
    const message =
      'This chart or one of its subcharts contains CRDs. Rendering may fail or contain inaccuracies.';
    logTo(world)({ place: '', text: '', structured: { level: 'WARN', message } });
  }
  return installRelease(name, chart, values, context, {
    ...actionOptions(flags, world),
    serverSide: world.helm === 4 && flags.text('server-side') !== 'false',
    forceConflicts: flags.bool('force-conflicts'),
    forceReplace: flags.bool('force') || flags.bool('force-replace'),
    takeOwnership: flags.bool('take-ownership'),
    createNamespace: flags.bool('create-namespace'),
    skipCrds: flags.bool('skip-crds'),
    replace: flags.bool('replace'),
    rollbackOnFailure: flags.bool('atomic') || flags.bool('rollback-on-failure'),
    labels: labelsOf(flags),
    dryRun,
    skipSchemaValidation: flags.bool('skip-schema-validation'),
    rendersSubchartNotes: flags.bool('render-subchart-notes'),
  });
}
