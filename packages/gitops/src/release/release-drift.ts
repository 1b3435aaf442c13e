import { driftedPaths, ignoredPaths, removeField, subjectOfObject } from '@waygate/apply';
import { buildObjects, ownedObject, type ReleaseContext, type StoredRelease } from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import { cloneJson } from '@waygate/text';
import { type HelmRelease, helmReleaseGroup } from '../api/helm-objects.ts';

/** An object that is not as the release has it. */
interface DriftedObject {
  /** As it should be, without what is to be ignored. */
  readonly wanted: DynamicObject;
  /** False when it is gone. */
  readonly isThere: boolean;
  readonly paths: readonly string[];
}

/** Where the cluster is not as the stored release says: one dry run for each object. */
export async function findDrift(
  object: HelmRelease,
  release: StoredRelease,
  context: ReleaseContext,
  client: KubeClient,
  signal: AbortSignal,
): Promise<DriftedObject[]> {
  const drifted: DriftedObject[] = [];
  for (const each of await buildObjects(release.manifest, context)) {
    if (isExcluded(each)) continue;
    const wanted = cloneJson(ownedObject(each, release)) as DynamicObject;
    const live = await context.cluster.get(wanted);
    if (live === undefined) {
      drifted.push({ wanted, isThere: false, paths: [] });
      continue;
    }
    if (isExcluded(live)) continue;
    const ignored = ignoredPaths(wanted, object.spec.driftDetection?.ignore ?? []);
    for (const path of ignored) removeField(wanted, path);
    const resource = await client.resourceOf(wanted, { signal });
    const options = { fieldManager: 'helm-controller', force: true, dryRun: true };
    const merged = cloneJson(await resource.apply(wanted, options, { signal })) as DynamicObject;
    const before = cloneJson(live) as DynamicObject;
    for (const path of ignored) {
      removeField(merged, path);
      removeField(before, path);
    }
    const paths = driftedPaths(before, merged);
    if (paths.length > 0) drifted.push({ wanted, isThere: true, paths });
  }
  return drifted;
}

/** An object, or the chart, may ask to be left alone. */
function isExcluded({ metadata }: DynamicObject): boolean {
  const key = `${helmReleaseGroup}/driftDetection`;
  return metadata.annotations?.[key] === 'disabled' || metadata.labels?.[key] === 'disabled';
}

/** What differs, a line for each object. Values are not told: they may be secret. */
export function describeDrift(drifted: readonly DriftedObject[]): string {
  return drifted
    .map(({ wanted, isThere, paths }) => {
      const name = subjectOfObject(wanted);
      return isThere ? `${name} changed (${paths.length} changes)` : `${name} removed`;
    })
    .join('\n');
}

/** Makes objects as they should be again; gives back what was refused. */
export async function correctDrift(
  drifted: readonly DriftedObject[],
  { cluster }: ReleaseContext,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { wanted } of drifted) {
    try {
      await cluster.apply(wanted, { force: true });
    } catch (error) {
      problems.push(`${subjectOfObject(wanted)}: ${(error as Error).message}`);
    }
  }
  return problems;
}
