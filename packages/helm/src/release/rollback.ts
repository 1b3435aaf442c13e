import type { DynamicObject } from '@waygate/schema';
import { HelmError } from '../helm-error.ts';
import { runHooks } from './hooks.ts';
import { orderedInfo } from './new-release.ts';
import { ObjectWriter } from './object-writer.ts';
import { owned } from './ownership.ts';
import { ClusterRefusal } from './release-cluster.ts';
import {
  type ActionOptions,
  isServerSide,
  prefixed,
  type ReleaseContext,
  ReleaseFailure,
  readyOptions,
} from './release-context.ts';
import { buildObjects } from './release-objects.ts';
import type { ReleaseRecord } from './release-storage.ts';
import { goTime, type StoredRelease } from './stored-release.ts';

/** What a rollback may be told. */
export interface RollbackOptions extends ActionOptions {
  /** The revision to go back to; 0 is the one before the last. */
  readonly version?: number | undefined;
  readonly serverSide: boolean | 'auto';
  readonly forceConflicts?: boolean | undefined;
  readonly forceReplace?: boolean | undefined;
  readonly cleanupOnFail?: boolean | undefined;
  readonly maxHistory?: number | undefined;
}

/**
 * Makes a new revision that is like an old one.
 *
 * ```ts
 * declare const context: ReleaseContext;
 * declare const options: RollbackOptions;
 * await rollbackRelease('web', context, { ...options, version: 1 });
 * ```
 *
 * @throws HelmError; a `ReleaseFailure` once the revision was stored
 */
export async function rollbackRelease(
  name: string,
  context: ReleaseContext,
  options: RollbackOptions,
): Promise<StoredRelease> {
  const { storage, helm } = context;
  const history = await storage.history(name);
  const current = history.at(-1);
  if (current === undefined) throw new HelmError('WG_HELM_RELEASE', 'release: not found');
  const wanted = options.version || current.release.version - 1;
  if (!history.some(({ release }) => release.version === wanted)) {
    throw new HelmError('WG_HELM_RELEASE', `release has no ${wanted} version`);
  }
  const previous = await storage.get(name, wanted);
  if (previous === undefined) throw new HelmError('WG_HELM_RELEASE', 'release: not found');
  const serverSide = isServerSide(options.serverSide, previous.release.apply_method, context);
  const record = targetOf(current, previous, wanted, serverSide, context, options);
  await storage.create(record, options.maxHistory);
  const created: DynamicObject[] = [];
  await perform(record, current, serverSide, created, context, options);
  for (const deployed of await storage.deployed(name)) {
    deployed.release.info.status = 'superseded';
    await storage.record(deployed);
  }
  record.release.info.status = 'deployed';
  record.release.info = orderedInfo(record.release.info, helm);
  await storage.update(record);
  return record.release;
}

function targetOf(
  current: ReleaseRecord,
  { release: previous, labels }: ReleaseRecord,
  version: number,
  serverSide: boolean,
  { helm, now }: ReleaseContext,
  options: RollbackOptions,
): ReleaseRecord {
  const { apply_method: _, ...rest } = previous;
  const { first_deployed } = current.release.info;
  const release: StoredRelease = {
    ...rest,
    namespace: current.release.namespace,
    version: current.release.version + 1,
    info: orderedInfo(
      {
        ...(first_deployed && { first_deployed }),
        last_deployed: goTime(now()),
        description: options.description || `Rollback to ${version}`,
        status: 'pending-rollback',
        rollback_revision: version,
        ...(previous.info.notes && { notes: previous.info.notes }),
      },
      helm,
    ),
    ...(helm === 4 ? { apply_method: serverSide ? 'ssa' : 'csa' } : {}),
  };
  return { release, labels: { ...labels } };
}

async function perform(
  record: ReleaseRecord,
  current: ReleaseRecord,
  serverSide: boolean,
  created: DynamicObject[],
  context: ReleaseContext,
  options: RollbackOptions,
): Promise<void> {
  const { cluster, helm } = context;
  const { release } = record;
  const build = (which: string, { manifest }: StoredRelease) =>
    prefixed(`unable to build kubernetes objects from ${which} release manifest`, () =>
      buildObjects(manifest, context),
    );
  const originals = await build('current', current.release);
  const targets = (await build('new', release)).map((object) => owned(object, release));
  const ready = readyOptions(options);
  const hooks = { ready, serverSide };
  if (options.disableHooks !== true) await runHooks(record, 'pre-rollback', context, hooks);
  const writer = new ObjectWriter(cluster, {
    helm,
    serverSide,
    forceConflicts: options.forceConflicts,
    forceReplace: options.forceReplace,
    migratesManagers: true,
  });
  try {
    await writer.update(originals, targets, created);
  } catch (error) {
    throw await updateFailed(error, record, current, created, context, options);
  }
  try {
    await cluster.waitReady(targets, ready);
  } catch (cause) {
    if (!(cause instanceof ClusterRefusal || cause instanceof HelmError)) throw cause;
    release.info.status = 'failed';
    release.info.description = `Release ${JSON.stringify(release.name)} failed: ${cause.message}`;
    await context.storage.record(current);
    await context.storage.record(record);
    throw new ReleaseFailure(`release ${release.name} failed: ${cause.message}`, release, {
      cause,
    });
  }
  if (options.disableHooks !== true) await runHooks(record, 'post-rollback', context, hooks);
}

async function updateFailed(
  error: unknown,
  record: ReleaseRecord,
  current: ReleaseRecord,
  created: readonly DynamicObject[],
  context: ReleaseContext,
  options: RollbackOptions,
): Promise<unknown> {
  if (!(error instanceof HelmError || error instanceof ClusterRefusal)) return error;
  const { release } = record;
  current.release.info.status = 'superseded';
  release.info.status = 'failed';
  release.info.description = `Rollback ${JSON.stringify(release.name)} failed: ${error.message}`;
  await context.storage.record(current);
  await context.storage.record(record);
  if (options.cleanupOnFail === true) {
    const writer = new ObjectWriter(context.cluster, { helm: context.helm, serverSide: false });
    const problems = await writer.delete(created);
    if (problems.length > 0) {
      const what = 'an error occurred while cleaning up resources. original rollback error';
      return new ReleaseFailure(
        `${what}: unable to cleanup resources: ${problems.join(', ')}`,
        release,
      );
    }
  }
  return new ReleaseFailure(error.message, release, { cause: error });
}
