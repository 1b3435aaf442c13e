import type { ContainerLog, Propagation } from '../release/release-cluster.ts';
import { ReleaseFailure } from '../release/release-context.ts';
import { rollbackRelease } from '../release/rollback.ts';
import type { StoredRelease } from '../release/stored-release.ts';
import { testRelease } from '../release/test-release.ts';
import { uninstallRelease } from '../release/uninstall.ts';
import { type UpgradeOptions, upgradeRelease } from '../release/upgrade.ts';
import { CommandError } from './command-error.ts';
import { checkDryRun } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import { installed } from './install-verb.ts';
import { printAs, printRelease } from './print-release.ts';
import {
  actionOptions,
  chartAndValues,
  failingAs,
  labelsOf,
  releaseContext,
} from './release-world.ts';
import type { CommandWorld } from './world.ts';

/** `helm upgrade NAME CHART`. */
export async function upgrade(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const [name = '', reference = ''] = flags.args;
  const context = releaseContext(flags, world);
  const isText = ['', 'table'].includes(flags.text('output'));
  const isDryRun = flags.text('dry-run') === 'server';
  const hidesNotes = flags.bool('hide-notes');
  if (flags.bool('install') && (await context.storage.last(name)) === undefined) {
    if (isText) world.writeOut(`Release "${name}" does not exist. Installing it now.\n`);
    const release = await failingAs('', () => installed(flags, world, { name, chart: reference }));
    printAs(flags, world, release, () => printRelease(release, world, { isDryRun, hidesNotes }));
    return;
  }
  const { chart, values } = await failingAs('', () => chartAndValues(reference, flags, world));
  checkDryRun(flags, world);
  const options = upgradeOptions(flags, world);
  const release = await failingAs('UPGRADE FAILED', () =>
    upgradeRelease(name, chart, values, context, options),
  );
  printAs(flags, world, release, () => {
    const done = `Release "${name}" has been upgraded. Happy Helming!\n`;
    return `${done}${printRelease(release, world, { isDryRun, hidesNotes })}`;
  });
}

function upgradeOptions(flags: ParsedFlags, world: CommandWorld): UpgradeOptions {
  let values: UpgradeOptions['values'];
  if (flags.bool('reset-values')) values = 'reset';
  else if (flags.bool('reuse-values')) values = 'reuse';
  else if (flags.bool('reset-then-reuse-values')) values = 'resetThenReuse';
  return {
    ...actionOptions(flags, world),
    serverSide: serverSideOf(flags),
    forceConflicts: flags.bool('force-conflicts'),
    forceReplace: flags.bool('force') || flags.bool('force-replace'),
    takeOwnership: flags.bool('take-ownership'),
    values,
    cleanupOnFail: flags.bool('cleanup-on-fail'),
    rollbackOnFailure: flags.bool('atomic') || flags.bool('rollback-on-failure'),
    maxHistory: flags.has('history-max') ? Number(flags.text('history-max')) : 10,
    labels: labelsOf(flags),
    dryRun: flags.text('dry-run') === 'server',
    skipSchemaValidation: flags.bool('skip-schema-validation'),
    rendersSubchartNotes: flags.bool('render-subchart-notes'),
  };
}

function serverSideOf(flags: ParsedFlags): boolean | 'auto' {
  const word = flags.text('server-side');
  if (word === '' || word === 'auto') return 'auto';
  if (word === 'true' || word === 'false') return word === 'true';
  throw new CommandError(`invalid/unknown release server-side apply method: ${word}`);
}

/** `helm rollback NAME [REVISION]`. */
export async function rollback(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const [name = '', revision = '0'] = flags.args;
  if (!/^\d+$/.test(revision)) {
    throw new CommandError(
      `could not convert revision to a number: strconv.Atoi: parsing ${JSON.stringify(revision)}: invalid syntax`,
    );
  }
  await failingAs('', () =>
    rollbackRelease(name, releaseContext(flags, world), {
      ...actionOptions(flags, world),
      version: Number(revision),
      serverSide: serverSideOf(flags),
      forceConflicts: flags.bool('force-conflicts'),
      forceReplace: flags.bool('force') || flags.bool('force-replace'),
      cleanupOnFail: flags.bool('cleanup-on-fail'),
      maxHistory: flags.has('history-max') ? Number(flags.text('history-max')) : 10,
    }),
  );
  world.writeOut('Rollback was a success! Happy Helming!\n');
}

/** `helm uninstall NAME …`. */
export async function uninstall(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const cascade = flags.text('cascade') || 'background';
  if (!['background', 'foreground', 'orphan'].includes(cascade)) {
    throw new CommandError(
      `invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`,
    );
  }
  const context = releaseContext(flags, world);
  for (const name of flags.args) {
    const isMissing = (await context.storage.last(name)) === undefined;
    const mayBeMissing =
      flags.bool('ignore-not-found') && (world.helm === 4 || !flags.bool('dry-run'));
    if (isMissing && mayBeMissing) {
      world.writeOut(`release "${name}" uninstalled\n`);
      continue;
    }
    const { kept } = await failingAs('', () =>
      uninstallRelease(name, context, {
        ...actionOptions(flags, world),
        keepHistory: flags.bool('keep-history'),
        dryRun: flags.bool('dry-run'),
        propagation: cascade as Propagation,
      }),
    );
    if (kept !== '') world.writeOut(`${kept}\n`);
    world.writeOut(`release "${name}" uninstalled\n`);
  }
}

/** `helm test NAME`. */
export async function test(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const words = flags.list('filter').flatMap((text) => text.split(','));
  const named = (prefix: string) =>
    words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length));
  let logs = '';
  const onLogs = (each: readonly ContainerLog[]) => {
    for (const { pod, container, text } of each) {
      logs += `POD LOGS: ${pod} (${container})\n${text}\n`;
    }
  };
  const say = (release: StoredRelease) => {
    world.writeOut(printRelease(release, world, { hidesNotes: world.helm === 4 }));
    if (flags.bool('logs')) world.writeOut(`\n${logs}`);
  };
  try {
    const release = await testRelease(flags.args[0] ?? '', releaseContext(flags, world), {
      ...actionOptions(flags, world),
      names: named('name='),
      excludedNames: named('!name='),
      ...(flags.bool('logs') && { onLogs }),
    });
    say(release);
  } catch (error) {
    // A test that failed is told like one that did not: the release, and what it wrote.
    if (error instanceof ReleaseFailure && error.release) say(error.release);
    await failingAs('', () => Promise.reject(error));
  }
}
