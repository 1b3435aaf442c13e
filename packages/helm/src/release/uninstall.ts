import type { DynamicObject } from '@waygate/schema';
import { HelmError } from '../helm-error.ts';
import { kindsToUninstall, sortByKind } from '../render/kind-order.ts';
import { runHooks } from './hooks.ts';
import { isKept, ObjectWriter } from './object-writer.ts';
import { ownershipProblem } from './ownership.ts';
import { ClusterRefusal, type Propagation } from './release-cluster.ts';
import {
  type ActionOptions,
  messageOf,
  type ReleaseContext,
  ReleaseFailure,
  readyOptions,
} from './release-context.ts';
import { buildObjects } from './release-objects.ts';
import type { ReleaseRecord } from './release-storage.ts';
import { goTime, type StoredRelease } from './stored-release.ts';

/** What an uninstall may be told. */
export interface UninstallOptions extends ActionOptions {
  /** The record stays, as `uninstalled`. */
  readonly keepHistory?: boolean | undefined;
  readonly propagation?: Propagation | undefined;
  /** Nothing is done: it is said what would be kept, by Helm 4. */
  readonly dryRun?: boolean | undefined;
}

/** What was taken away, and a word on what was not. */
export interface Uninstalled {
  readonly release: StoredRelease;
  /** Empty when nothing was kept. */
  readonly kept: string;
}

/**
 * Takes a release's objects away, in the reverse of the order in which they came, and its records.
 *
 * ```ts
 * declare const context: ReleaseContext;
 * declare const options: UninstallOptions;
 * await uninstallRelease('web', context, options);
 * ```
 *
 * @throws HelmError
 */
export async function uninstallRelease(
  name: string,
  context: ReleaseContext,
  options: UninstallOptions,
): Promise<Uninstalled> {
  const { storage } = context;
  const history = await storage.history(name);
  const record = history.at(-1);
  if (options.dryRun === true) return rehearsed(record, context);
  if (record === undefined) {
    throw new HelmError(
      'WG_HELM_RELEASE',
      `uninstall: Release not loaded: ${name}: release: not found`,
    );
  }
  const { release } = record;
  if (release.info.status === 'uninstalled') {
    if (options.keepHistory === true) {
      throw new HelmError(
        'WG_HELM_RELEASE',
        `the release named ${JSON.stringify(name)} is already deleted`,
      );
    }
    for (const each of history) await storage.delete(each.release);
    return { release, kept: '' };
  }
  release.info = {
    ...release.info,
    status: 'uninstalling',
    deleted: goTime(context.now()),
    description: 'Deletion in progress (or silently failed)',
  };
  const ready = readyOptions(options);
  const hooks = { ready, serverSide: context.helm === 4 };
  if (options.disableHooks !== true) await runHooks(record, 'pre-delete', context, hooks);
  await storage.record(record);
  const { deleted, kept } = await deleteObjects(release, context, options);
  const problems: string[] = [];
  const attempt = async (run: () => Promise<unknown>) => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof HelmError || error instanceof ClusterRefusal)) throw error;
      problems.push(error.message);
    }
  };
  if (ready.strategy !== 'hookOnly') {
    await attempt(() => context.cluster.waitDeleted(deleted, ready));
  }
  if (options.disableHooks !== true) {
    await attempt(() => runHooks(record, 'post-delete', context, hooks));
  }
  release.info.status = 'uninstalled';
  release.info.description = options.description || 'Uninstallation complete';
  await keepOrPurge(record, history, context, options, attempt);
  if (problems.length > 0) {
    const what = `uninstallation completed with ${problems.length} error(s)`;
    throw new ReleaseFailure(`${what}: ${problems.join('; ')}`, release);
  }
  return { release, kept };
}

async function rehearsed(
  record: ReleaseRecord | undefined,
  context: ReleaseContext,
): Promise<Uninstalled> {
  if (record === undefined) throw new HelmError('WG_HELM_RELEASE', 'release: not found');
  const { release } = record;
  if (context.helm === 3) return { release, kept: '' };
  return { release, kept: keptText(await objectsOf(release, context)) };
}

async function keepOrPurge(
  record: ReleaseRecord,
  history: readonly ReleaseRecord[],
  { storage }: ReleaseContext,
  options: UninstallOptions,
  attempt: (run: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  if (options.keepHistory !== true) {
    await attempt(async () => {
      for (const each of history) await storage.delete(each.release);
    });
    return;
  }
  await storage.record(record);
  for (const deployed of await storage.deployed(record.release.name)) {
    deployed.release.info.status = 'superseded';
    await storage.record(deployed);
  }
}

async function deleteObjects(
  release: StoredRelease,
  context: ReleaseContext,
  { propagation = 'background' }: UninstallOptions,
): Promise<{ deleted: readonly DynamicObject[]; kept: string }> {
  const { cluster, helm } = context;
  const objects = await objectsOf(release, context);
  let kept = keptText(objects);
  const going = objects.filter((object) => !isKept(object));
  const { mine, others, unknown } =
    helm === 3
      ? { mine: going, others: [], unknown: [] }
      : await sortByOwner(going, release, context);
  if (others.length > 0) {
    const what = 'resource(s) were not deleted because they are not owned by this release';
    kept += `${kept === '' ? '' : '\n'}${others.length} ${what}:\n${listed(others)}`;
  }
  if (unknown.length > 0) {
    const what = 'resource(s) were not deleted because their ownership could not be verified';
    const lines = unknown.map(({ object, why }) => `${shortName(object)}: ${why}\n`).join('');
    kept += `${kept === '' ? '' : '\n'}${unknown.length} ${what}:\n${lines}`;
  }
  const writer = new ObjectWriter(cluster, { helm, serverSide: false });
  const problems = await writer.delete(mine, propagation);
  if (problems.length > 0) {
    throw new ReleaseFailure(`failed to delete release: ${release.name}`, release, {
      cause: new Error(problems.join('; ')),
    });
  }
  return { deleted: mine, kept };
}

/** What a release made, in the order in which it goes. */
async function objectsOf(
  { manifest }: StoredRelease,
  context: ReleaseContext,
): Promise<readonly DynamicObject[]> {
  const objects = await buildObjects(manifest, context);
  return sortByKind(objects, ({ kind }) => kind ?? '', kindsToUninstall(context.helm));
}

function keptText(objects: readonly DynamicObject[]): string {
  const keeping = objects.filter(isKept);
  if (keeping.length === 0) return '';
  return `These resources were kept due to the resource policy:\n${listed(keeping)}`;
}

/** Helm 4 deletes only what is the release's own, and says what it left. */
async function sortByOwner(
  objects: readonly DynamicObject[],
  owner: StoredRelease,
  { cluster }: ReleaseContext,
): Promise<{
  mine: DynamicObject[];
  others: DynamicObject[];
  unknown: { object: DynamicObject; why: string }[];
}> {
  const mine: DynamicObject[] = [];
  const others: DynamicObject[] = [];
  const unknown: { object: DynamicObject; why: string }[] = [];
  for (const object of objects) {
    try {
      const live = await cluster.get(object);
      if (live === undefined) continue;
      (ownershipProblem(live, owner) === undefined ? mine : others).push(object);
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
      unknown.push({ object, why: messageOf(error) });
    }
  }
  return { mine, others, unknown };
}

function listed(objects: readonly DynamicObject[]): string {
  return objects.map((object) => `${shortName(object)}\n`).join('');
}

function shortName({ kind, metadata }: DynamicObject): string {
  return `[${kind}] ${metadata.name}`;
}
