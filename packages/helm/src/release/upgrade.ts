import type { DynamicObject } from '@waygate/schema';
import type { Chart } from '../chart/chart.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { ChartNode } from '../render/chart-node.ts';
import { Coalescer } from '../render/coalesce.ts';
import { printManifests } from '../render/render-chart.ts';
import { runHooks } from './hooks.ts';
import { checkLabels } from './install.ts';
import { newRelease } from './new-release.ts';
import { ObjectWriter } from './object-writer.ts';
import { existingObjects, owned } from './ownership.ts';
import { chartOfRelease, goMapOf } from './release-chart.ts';
import { ClusterRefusal } from './release-cluster.ts';
import {
  type ActionOptions,
  isServerSide,
  messageOf,
  prefixed,
  type ReleaseContext,
  ReleaseFailure,
  readyOptions,
} from './release-context.ts';
import { buildObjects, objectKey } from './release-objects.ts';
import type { ReleaseRecord } from './release-storage.ts';
import { type ReleaseRenderOptions, renderRelease } from './render-release.ts';
import { rollbackRelease } from './rollback.ts';
import { goTime, isPending, type StoredRelease } from './stored-release.ts';

/** What an upgrade may be told. */
export interface UpgradeOptions extends ActionOptions, ReleaseRenderOptions {
  /** `auto`: as the last revision was applied. */
  readonly serverSide: boolean | 'auto';
  readonly forceConflicts?: boolean | undefined;
  readonly forceReplace?: boolean | undefined;
  readonly takeOwnership?: boolean | undefined;
  /**
   * Which values count beside those given: `reset` none, `reuse` the old ones over the old chart's, `resetThenReuse`
   * the old ones over the new chart's. Without a word the old ones, if none are given.
   */
  readonly values?: 'reset' | 'reuse' | 'resetThenReuse' | undefined;
  /** Deletes what a failed upgrade created. */
  readonly cleanupOnFail?: boolean | undefined;
  readonly rollbackOnFailure?: boolean | undefined;
  /** So many revisions are kept; 0 is all. */
  readonly maxHistory?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * Makes the next revision of a release.
 *
 * ```ts
 * declare const chart: Chart;
 * declare const context: ReleaseContext;
 * declare const options: UpgradeOptions;
 * await upgradeRelease('web', chart, readValues('replicas: 5'), context, options);
 * ```
 *
 * @throws HelmError; a `ReleaseFailure` once the revision was stored
 */
export async function upgradeRelease(
  name: string,
  chart: Chart,
  given: GoMap,
  context: ReleaseContext,
  options: UpgradeOptions,
): Promise<StoredRelease> {
  const { last, current } = await startOf(name, context);
  const { chart: used, values } = reuseValues(chart, given, current.release, context, options);
  const release = { name, namespace: current.release.namespace };
  const version = last.release.version + 1;
  const rendered = await renderRelease(
    used,
    values,
    { ...release, revision: version, isUpgrade: true },
    context,
    options,
  );
  checkLabels(options.labels);
  const serverSide = isServerSide(options.serverSide, last.release.apply_method, context);
  const now = context.now();
  const record: ReleaseRecord = {
    release: newRelease({
      helm: context.helm,
      ...release,
      version,
      info: {
        ...(current.release.info.first_deployed && {
          first_deployed: current.release.info.first_deployed,
        }),
        last_deployed: goTime(now),
        description: 'Preparing upgrade',
        status: 'pending-upgrade',
        notes: rendered.notes,
      },
      chart: used,
      chartValues: rendered.chartValues,
      metadata: rendered.metadata,
      config: values,
      manifest: printManifests(rendered),
      hooks: rendered.hooks,
      applyMethod: serverSide ? 'ssa' : 'csa',
      modifiedAt: now,
    }),
    labels: mergedLabels(last.labels, options.labels),
  };
  const originals = await build('current', current.release, context);
  const targets = (await build('new', record.release, context)).map((object) =>
    owned(object, record.release),
  );
  const adopted = await adoptedOf(originals, targets, record.release, context, options);
  if (options.dryRun === true) {
    record.release.info.description = options.description || 'Dry run complete';
    return record.release;
  }
  await context.storage.create(record, options.maxHistory);
  const created: DynamicObject[] = [];
  try {
    const step = { record, current, originals: [...originals, ...adopted], targets, serverSide };
    await perform(step, created, context, options);
  } catch (error) {
    throw await failed(record, created, error, context, options);
  }
  await context.storage.update(record);
  return record.release;
}

interface UpgradeStep {
  readonly record: ReleaseRecord;
  readonly current: ReleaseRecord;
  readonly originals: readonly DynamicObject[];
  readonly targets: readonly DynamicObject[];
  readonly serverSide: boolean;
}

async function perform(
  { record, current, originals, targets, serverSide }: UpgradeStep,
  created: DynamicObject[],
  context: ReleaseContext,
  options: UpgradeOptions,
): Promise<void> {
  const { cluster, helm, storage } = context;
  const ready = readyOptions(options);
  const hooks = { ready, serverSide };
  if (options.disableHooks !== true) {
    await prefixed('pre-upgrade hooks failed', () =>
      runHooks(record, 'pre-upgrade', context, hooks),
    );
  }
  const writer = new ObjectWriter(cluster, {
    helm,
    serverSide,
    forceConflicts: options.forceConflicts,
    forceReplace: options.forceReplace,
    migratesManagers: serverSide && current.release.apply_method !== 'ssa',
  });
  try {
    await writer.update(originals, targets, created);
    await cluster.waitReady(targets, ready);
  } catch (error) {
    await storage.record(current);
    throw error;
  }
  if (options.disableHooks !== true) {
    await prefixed('post-upgrade hooks failed', () =>
      runHooks(record, 'post-upgrade', context, hooks),
    );
  }
  current.release.info.status = 'superseded';
  await storage.record(current);
  record.release.info.status = 'deployed';
  record.release.info.description = options.description || 'Upgrade complete';
}

/** @throws HelmError when there is nothing to upgrade, or another action is under way */
async function startOf(
  name: string,
  { storage }: ReleaseContext,
): Promise<{ last: ReleaseRecord; current: ReleaseRecord }> {
  const last = await storage.last(name);
  const none = `${JSON.stringify(name)} has no deployed releases`;
  if (last === undefined) throw new HelmError('WG_HELM_RELEASE', none);
  if (isPending(last.release)) {
    throw new HelmError(
      'WG_HELM_RELEASE',
      'another operation (install/upgrade/rollback) is in progress',
    );
  }
  const { status } = last.release.info;
  if (status === 'deployed') return { last, current: last };
  const deployed = (await storage.deployed(name)).at(-1);
  if (deployed !== undefined) return { last, current: deployed };
  if (status === 'failed' || status === 'superseded') return { last, current: last };
  throw new HelmError('WG_HELM_RELEASE', none);
}

/** Which values and which defaults count. */
function reuseValues(
  chart: Chart,
  given: GoMap,
  current: StoredRelease,
  { helm, log = () => {} }: ReleaseContext,
  options: UpgradeOptions,
): { chart: Chart; values: GoMap } {
  const old = goMapOf(current.config);
  const coalescer = new Coalescer(helm, log);
  switch (options.values) {
    case 'reset':
      return { chart, values: given };
    case 'reuse': {
      const node = ChartNode.of(chartOfRelease(current));
      const defaults = coalescer.values(node, old, 'coalesce');
      const values = coalescer.tables(given, goMapOf(current.config), 'coalesce');
      return { chart: { ...chart, values: defaults }, values };
    }
    case 'resetThenReuse':
      return { chart, values: coalescer.tables(given, old, 'coalesce') };
    default:
      return { chart, values: given.size === 0 && old.size > 0 ? old : given };
  }
}

function mergedLabels(
  current: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const labels = { ...current, ...given };
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== 'null'));
}

async function build(
  which: 'current' | 'new',
  release: StoredRelease,
  context: ReleaseContext,
): Promise<DynamicObject[]> {
  const what = `unable to build kubernetes objects from ${which} release manifest`;
  return prefixed(what, () => buildObjects(release.manifest, context));
}

/** Objects that are new to the release, but there already. */
async function adoptedOf(
  originals: readonly DynamicObject[],
  targets: readonly DynamicObject[],
  owner: StoredRelease,
  { cluster, helm }: ReleaseContext,
  { takeOwnership }: UpgradeOptions,
): Promise<DynamicObject[]> {
  const known = new Set(originals.map(objectKey));
  const fresh = targets.filter((object) => !known.has(objectKey(object)));
  const what = `${helm === 3 ? 'U' : 'u'}nable to continue with update`;
  return prefixed(what, () => existingObjects(cluster, fresh, owner, takeOwnership === true));
}

async function failed(
  record: ReleaseRecord,
  created: readonly DynamicObject[],
  error: unknown,
  context: ReleaseContext,
  options: UpgradeOptions,
): Promise<unknown> {
  if (!(error instanceof HelmError || error instanceof ClusterRefusal)) return error;
  const { release } = record;
  const { message } = error;
  release.info.status = 'failed';
  release.info.description = `Upgrade ${JSON.stringify(release.name)} failed: ${message}`;
  context.log?.({
    place: '',
    text: '',
    structured: {
      level: 'WARN',
      message: 'upgrade failed',
      fields: { name: release.name, error: message },
    },
  });
  await context.storage.record(record);
  if (options.cleanupOnFail === true && created.length > 0) {
    const writer = new ObjectWriter(context.cluster, { helm: context.helm, serverSide: false });
    const problems = await writer.delete(created);
    if (problems.length > 0) {
      const what = `an error occurred while cleaning up resources. original upgrade error: ${message}`;
      return new ReleaseFailure(
        `${what}: unable to cleanup resources: ${problems.join(', ')}`,
        release,
      );
    }
  }
  if (options.rollbackOnFailure !== true) {
    return new ReleaseFailure(message, release, { cause: error });
  }
  return rolledBack(release, message, context, options);
}

async function rolledBack(
  release: StoredRelease,
  message: string,
  context: ReleaseContext,
  options: UpgradeOptions,
): Promise<ReleaseFailure> {
  const good = (await context.storage.history(release.name)).findLast(({ release: { info } }) =>
    ['superseded', 'deployed'].includes(info.status),
  );
  if (good === undefined) {
    const what = 'unable to find a previously successful release when attempting to rollback';
    return new ReleaseFailure(`${what}. original upgrade error: ${message}`, release);
  }
  try {
    await rollbackRelease(release.name, context, {
      timeoutMs: options.timeoutMs,
      wait: options.wait,
      waitsForJobs: options.waitsForJobs,
      disableHooks: options.disableHooks,
      forceReplace: options.forceReplace,
      forceConflicts: options.forceConflicts,
      serverSide: options.serverSide,
      version: good.release.version,
    });
  } catch (cause) {
    const what = `an error occurred while rolling back the release. original upgrade error: ${message}`;
    return new ReleaseFailure(`${what}: ${messageOf(cause)}`, release, { cause });
  }
  const flag = context.helm === 3 ? 'atomic' : 'rollback-on-failure';
  const what = `release ${release.name} failed, and has been rolled back due to ${flag} being set`;
  return new ReleaseFailure(`${what}: ${message}`, release);
}
