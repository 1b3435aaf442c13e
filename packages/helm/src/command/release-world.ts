import type { Chart } from '../chart/chart.ts';
import { parseGoDuration } from '../go/duration.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import {
  ClusterRefusal,
  type ReleaseCluster,
  type WaitStrategy,
} from '../release/release-cluster.ts';
import type { ActionOptions, ReleaseContext } from '../release/release-context.ts';
import { ReleaseStorage } from '../release/release-storage.ts';
import { CommandError } from './command-error.ts';
import { missingDependencies, updateMissing } from './dependency-check.ts';
import { checkInstallable, fetchSchema, loadLocated, missingText } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import { checkApiVersion, logTo } from './load-from.ts';
import { locateChart } from './locate-chart.ts';
import { namespaceOf } from './namespace.ts';
import { readValueFlags } from './value-flags.ts';
import type { CommandWorld } from './world.ts';

/** Where the actions of a command line happen. */
export function releaseContext(flags: ParsedFlags, world: CommandWorld): ReleaseContext {
  const cluster = clusterOf(world);
  const namespace = namespaceOf(flags, world);
  const { helm, now, random, timeZone, limits } = world;
  return {
    helm,
    cluster,
    storage: new ReleaseStorage(cluster, { namespace, now }),
    namespace,
    now,
    random,
    timeZone,
    limits,
    log: helm === 3 ? undefined : logTo(world),
    onHookLog: ({ text }) => world.writeError(text),
    fetchSchema: (url) => fetchSchema(url, world),
  };
}

function clusterOf({ cluster }: CommandWorld): ReleaseCluster {
  if (cluster !== undefined) return cluster;
  throw new CommandError(
    'charts are installed by HelmReleases here: give --dry-run=client, or a cluster',
  );
}

/** A chart as it was asked for, with the values of the command line. */
export async function chartAndValues(
  reference: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<{ chart: Chart; values: GoMap }> {
  const located = await locateChart(reference, flags, world);
  const values = await readValueFlags(flags, world);
  let chart = loadLocated(located, world, true);
  checkInstallable(chart, world);
  const missing = missingDependencies(chart);
  if (missing !== undefined) {
    if (!flags.bool('dependency-update')) throw new CommandError(missingText(missing, world));
    await updateMissing(located.path, flags, world);
    chart = loadLocated(located, world, true);
  }
  checkApiVersion(chart, world);
  return { chart, values };
}

/** What all actions are told alike. */
export function actionOptions(flags: ParsedFlags, { helm }: CommandWorld): ActionOptions {
  const timeout = flags.text('timeout');
  const isAtomic = flags.bool('atomic') || flags.bool('rollback-on-failure');
  let wait: WaitStrategy = 'hookOnly';
  if (helm === 3) wait = flags.bool('wait') || isAtomic ? 'legacy' : 'hookOnly';
  else if (flags.has('wait')) wait = waitStrategy(flags.text('wait'));
  else if (isAtomic) wait = 'watcher';
  return {
    timeoutMs: timeout === '' ? undefined : Number(parseGoDuration(timeout) / 1_000_000n),
    wait,
    waitsForJobs: flags.bool('wait-for-jobs'),
    disableHooks: flags.bool('no-hooks'),
    description: flags.text('description') || undefined,
  };
}

function waitStrategy(word: string): WaitStrategy {
  if (word === 'false') return 'hookOnly';
  if (word === 'true') return 'watcher';
  if (word === 'watcher' || word === 'legacy' || word === 'hookOnly') return word;
  throw new CommandError(
    `invalid argument ${JSON.stringify(word)} for "--wait" flag: invalid wait input ${JSON.stringify(word)}. Valid inputs are watcher, hookOnly, and legacy`,
  );
}

/** Labels of `--labels a=b,c=d`. */
export function labelsOf(flags: ParsedFlags): Record<string, string> {
  const pairs = flags.list('labels').flatMap((text) => text.split(','));
  return Object.fromEntries(
    pairs
      .filter((pair) => pair.includes('='))
      .map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
  );
}

/** Says which command it was that failed. */
export async function failingAs<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const isOurs =
      cause instanceof CommandError ||
      cause instanceof HelmError ||
      cause instanceof ClusterRefusal;
    if (!isOurs) throw cause;
    throw new CommandError(what === '' ? cause.message : `${what}: ${cause.message}`, { cause });
  }
}
