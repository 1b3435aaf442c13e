import type { DynamicObject } from '@waygate/schema';
import { type Chart, crdsOf } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { printManifests } from '../render/render-chart.ts';
import { runHooks } from './hooks.ts';
import { newRelease } from './new-release.ts';
import { ObjectWriter } from './object-writer.ts';
import { existingObjects, owned } from './ownership.ts';
import { ClusterRefusal } from './release-cluster.ts';
import {
  type ActionOptions,
  messageOf,
  prefixed,
  type ReleaseContext,
  ReleaseFailure,
  readyOptions,
} from './release-context.ts';
import { buildObjects } from './release-objects.ts';
import { type ReleaseRecord, systemLabels } from './release-storage.ts';
import { type ReleaseRenderOptions, renderRelease } from './render-release.ts';
import { goTime, type StoredRelease } from './stored-release.ts';
import { uninstallRelease } from './uninstall.ts';

/** What an install may be told. */
export interface InstallOptions extends ActionOptions, ReleaseRenderOptions {
  readonly serverSide: boolean;
  readonly forceConflicts?: boolean | undefined;
  readonly forceReplace?: boolean | undefined;
  /** Takes over objects that are there and nobody's or another's. */
  readonly takeOwnership?: boolean | undefined;
  readonly createNamespace?: boolean | undefined;
  readonly skipCrds?: boolean | undefined;
  /** Uses the name of a release that was uninstalled or has failed. */
  readonly replace?: boolean | undefined;
  /** Uninstalls what failed. */
  readonly rollbackOnFailure?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * Installs a chart under a name.
 *
 * ```ts
 * declare const chart: Chart;
 * declare const context: ReleaseContext;
 * declare const options: InstallOptions;
 * await installRelease('web', chart, readValues('replicas: 3'), context, options);
 * ```
 *
 * @throws HelmError; a `ReleaseFailure` once a release was stored
 */
export async function installRelease(
  name: string,
  chart: Chart,
  values: GoMap,
  context: ReleaseContext,
  options: InstallOptions,
): Promise<StoredRelease> {
  if (options.dryRun !== true) await checkName(name, context, options);
  if (options.skipCrds !== true && options.dryRun !== true) {
    await installCrds(chart, context, options);
  }
  checkLabels(options.labels);
  const release = { name, namespace: context.namespace };
  const rendered = await renderRelease(chart, values, release, context, options);
  const now = context.now();
  const record: ReleaseRecord = {
    release: newRelease({
      helm: context.helm,
      ...release,
      version: 1,
      info: {
        first_deployed: goTime(now),
        last_deployed: goTime(now),
        description: 'Initial install underway',
        status: 'pending-install',
        notes: rendered.notes,
      },
      chart,
      chartValues: rendered.chartValues,
      metadata: rendered.metadata,
      config: values,
      manifest: printManifests(rendered),
      hooks: rendered.hooks,
      applyMethod: options.serverSide ? 'ssa' : 'csa',
      modifiedAt: now,
    }),
    labels: { ...options.labels },
  };
  const objects = await build(record.release, context);
  const existing = await existingOf(objects, record.release, context, options);
  if (options.dryRun === true) {
    record.release.info.description = 'Dry run complete';
    return record.release;
  }
  if (options.createNamespace === true) await createNamespace(context, options);
  if (options.replace === true) await supersedeLast(record, context);
  await context.storage.create(record);
  try {
    await perform(record, objects, existing, context, options);
  } catch (error) {
    throw await failed(record, error, context, options);
  }
  return record.release;
}

async function perform(
  record: ReleaseRecord,
  objects: readonly DynamicObject[],
  existing: readonly DynamicObject[],
  context: ReleaseContext,
  options: InstallOptions,
): Promise<void> {
  const { cluster, helm, storage } = context;
  const ready = readyOptions(options);
  const { serverSide, disableHooks } = options;
  const hooks = { ready, serverSide };
  if (disableHooks !== true) {
    await prefixed('failed pre-install', () => runHooks(record, 'pre-install', context, hooks));
  }
  const writer = new ObjectWriter(cluster, {
    helm,
    serverSide,
    forceConflicts: options.forceConflicts,
    forceReplace: options.forceReplace,
    mergesCustom: options.takeOwnership,
    migratesManagers: true,
  });
  if (existing.length === 0) await writer.create(objects);
  else await writer.update(existing, objects, []);
  await cluster.waitReady(objects, ready);
  if (disableHooks !== true) {
    await prefixed('failed post-install', () => runHooks(record, 'post-install', context, hooks));
  }
  const { info } = record.release;
  info.status = 'deployed';
  info.description = options.description || 'Install complete';
  await storage.record(record);
}

async function failed(
  record: ReleaseRecord,
  error: unknown,
  context: ReleaseContext,
  options: InstallOptions,
): Promise<unknown> {
  if (!(error instanceof HelmError || error instanceof ClusterRefusal)) return error;
  const { release } = record;
  release.info.status = 'failed';
  release.info.description = `Release ${JSON.stringify(release.name)} failed: ${error.message}`;
  if (options.rollbackOnFailure !== true) {
    await context.storage.record(record);
    return new ReleaseFailure(error.message, release, { cause: error });
  }
  try {
    await uninstallRelease(release.name, context, {
      timeoutMs: options.timeoutMs,
      wait: context.helm === 3 ? 'hookOnly' : options.wait,
      disableHooks: options.disableHooks,
    });
  } catch (cause) {
    const why = `an error occurred while uninstalling the release. original install error: ${error.message}`;
    return new ReleaseFailure(`${why}: ${messageOf(cause)}`, release, { cause });
  }
  const flag = context.helm === 3 ? 'atomic' : 'rollback-on-failure';
  const what = `release ${release.name} failed, and has been uninstalled due to ${flag} being set`;
  return new ReleaseFailure(`${what}: ${error.message}`, release, { cause: error });
}

async function checkName(
  name: string,
  { storage, helm, log }: ReleaseContext,
  { replace }: InstallOptions,
): Promise<void> {
  const last = await storage.last(name);
  if (last === undefined) return;
  const { status } = last.release.info;
  if (replace === true && (status === 'uninstalled' || status === 'failed')) return;
  if (helm === 3) {
    throw new HelmError('WG_HELM_RELEASE', 'cannot re-use a name that is still in use');
  }
  const message = 'release name check failed';
  const error = 'cannot reuse a name that is still in use';
  log?.({ place: '', text: '', structured: { level: 'ERROR', message, fields: { error } } });
  throw new HelmError('WG_HELM_RELEASE', `${message}: ${error}`);
}

/** @throws HelmError when a label is Helm's own */
export function checkLabels(labels: Readonly<Record<string, string>> = {}): void {
  if (!Object.keys(labels).some((label) => systemLabels.includes(label))) return;
  throw new HelmError(
    'WG_HELM_RELEASE',
    `user supplied labels contains system reserved label name. System labels: [${systemLabels.join(' ')}]`,
  );
}

async function installCrds(
  chart: Chart,
  context: ReleaseContext,
  options: InstallOptions,
): Promise<void> {
  const { cluster, helm } = context;
  const created: DynamicObject[] = [];
  for (const { filename, file } of crdsOf(chart)) {
    const objects = await buildObjects(textOf(file), context);
    for (const object of objects) {
      try {
        if (options.serverSide) {
          await cluster.apply(object, { force: options.forceConflicts === true });
        } else await cluster.create(object);
        created.push(object);
      } catch (cause) {
        if (!(cause instanceof ClusterRefusal)) throw cause;
        if (cause.reason === 'AlreadyExists') continue;
        const message = `failed to install CRD ${helm === 3 ? file.name : filename}: ${cause.message}`;
        throw new HelmError('WG_HELM_RELEASE', message, { cause });
      }
    }
  }
  if (created.length === 0) return;
  await cluster.waitReady(created, { timeoutMs: 60_000, strategy: 'watcher' });
  cluster.forgetKinds();
}

async function existingOf(
  objects: readonly DynamicObject[],
  owner: StoredRelease,
  { cluster, helm }: ReleaseContext,
  { takeOwnership }: InstallOptions,
): Promise<DynamicObject[]> {
  const what = `${helm === 3 ? 'U' : 'u'}nable to continue with install`;
  return prefixed(what, () => existingObjects(cluster, objects, owner, takeOwnership === true));
}

async function build(release: StoredRelease, context: ReleaseContext): Promise<DynamicObject[]> {
  const what = 'unable to build kubernetes objects from release manifest';
  const objects = await prefixed(what, () => buildObjects(release.manifest, context));
  return objects.map((object) => owned(object, release));
}

async function createNamespace(
  { cluster, namespace, helm }: ReleaseContext,
  { serverSide }: InstallOptions,
): Promise<void> {
  const object = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { name: namespace } },
  };
  try {
    await new ObjectWriter(cluster, { helm, serverSide }).create([object]);
  } catch (error) {
    if (!(error instanceof ClusterRefusal) || error.reason !== 'AlreadyExists') throw error;
  }
}

async function supersedeLast(record: ReleaseRecord, { storage }: ReleaseContext): Promise<void> {
  const last = await storage.last(record.release.name);
  if (last === undefined) return;
  record.release.version = last.release.version + 1;
  if (last.release.info.status === 'failed') return;
  last.release.info.status = 'superseded';
  last.release.info.description = 'superseded by new release';
  await storage.update(last);
}
