import { isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import { type Clock, systemClock } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import type { ApplySelectors } from './apply-options.ts';
import { type Change, changeOf } from './change-set.ts';
import type { InventoryObject } from './inventory.ts';
import type { LiveObjects } from './live-objects.ts';
import { actionFailure, type ObjectFailure } from './object-failure.ts';
import { hasAnyInMetadata } from './object-metadata.ts';

/** What may be deleted, and how. */
export interface PruneOptions {
  readonly selectors: ApplySelectors;
  /** Labels that an object must have to be deleted: it may have found another owner. */
  readonly ownerLabels: Readonly<Record<string, string>>;
  readonly live?: LiveObjects | undefined;
  /** Deletes nothing and tells what would be deleted. */
  readonly isPreview?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was deleted, and what could not be. */
export interface PruneOutcome {
  readonly changes: readonly Change[];
  readonly failures: readonly ObjectFailure[];
}

/**
 * Deletes objects of an inventory, last applied first. What cannot be deleted does not stop the rest.
 *
 * ```ts
 * const before = inventoryOf(readObjects('{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}'));
 * const { changes } = await pruneObjects(client, staleEntries(before, emptyInventory), {
 *   selectors: applySelectors('kustomize.toolkit.fluxcd.io'),
 *   ownerLabels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' },
 * });
 * ```
 */
export async function pruneObjects(
  client: KubeClient,
  stale: readonly InventoryObject[],
  options: PruneOptions,
): Promise<PruneOutcome> {
  const changes: Change[] = [];
  const failures: ObjectFailure[] = [];
  for (const one of [...stale].reverse()) {
    const object = objectOf(one);
    try {
      const { action, found } = await prune(client, one, options);
      const change = changeOf(object, action);
      changes.push(options.isPreview ? { ...change, before: found } : change);
    } catch (error) {
      options.signal?.throwIfAborted();
      failures.push(actionFailure(object, 'delete', error));
    }
  }
  return { changes, failures };
}

async function prune(
  client: KubeClient,
  id: InventoryObject,
  options: PruneOptions,
): Promise<{ action: 'deleted' | 'skipped' | 'absent'; found?: DynamicObject }> {
  const { signal } = options;
  const { name, namespace } = id;
  const resource = await resourceOf(client, id, signal);
  // A kind that is no longer served took its objects with it.
  if (resource === undefined) return { action: 'absent' };
  let found: DynamicObject;
  try {
    found = await resource.get(name, { namespace }, { signal });
  } catch (error) {
    if (isNotFound(error)) return { action: 'absent' };
    throw error;
  }
  if (hasAnyInMetadata(found, options.selectors.keep)) return { action: 'skipped' };
  const labels = found.metadata.labels ?? {};
  if (Object.entries(options.ownerLabels).some(([key, value]) => labels[key] !== value)) {
    return { action: 'skipped' };
  }
  if (options.isPreview) return { action: 'deleted', found };
  options.live?.noteDeleted(id);
  try {
    const preconditions = { uid: found.metadata.uid };
    const background = { namespace, propagationPolicy: 'Background', preconditions } as const;
    await resource.delete(name, background, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return { action: 'deleted', found };
}

async function resourceOf(client: KubeClient, id: InventoryObject, signal?: AbortSignal) {
  const call = { signal };
  try {
    return client.resource(await client.mapper.resourceOf(id, call));
  } catch (error) {
    if (!isNoMatch(error)) throw error;
  }
  try {
    // The version is no longer served, but another of the same group may be.
    const { group, kind } = id;
    return client.resource(await client.mapper.resourceOf({ group, kind }, call));
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

function objectOf(id: InventoryObject): DynamicObject {
  const { name, namespace, group, version, kind } = id;
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  };
}

/**
 * Waits until none of the objects is there any more. Gives back those that still are.
 *
 * ```ts
 * const stale = inventoryObjects(inventoryOf(readObjects('{apiVersion: v1, kind: Namespace, metadata: {name: a}}')));
 * const remaining = await waitForTermination(client, stale, { timeoutMs: 60_000, signal });
 * ```
 */
export async function waitForTermination(
  client: KubeClient,
  objects: readonly InventoryObject[],
  options: { timeoutMs: number; clock?: Clock | undefined; signal?: AbortSignal | undefined },
): Promise<InventoryObject[]> {
  const { timeoutMs, clock = systemClock, signal } = options;
  const deadline = clock.monotonicMs() + timeoutMs;
  let left = [...objects];
  for (let delay = 50; ; delay = Math.min(delay * 2, 2000)) {
    const remaining: InventoryObject[] = [];
    for (const one of left) if (await isThere(client, one, signal)) remaining.push(one);
    left = remaining;
    if (left.length === 0 || clock.monotonicMs() > deadline) return left;
    await clock.sleep(delay, signal);
    signal?.throwIfAborted();
  }
}

async function isThere(client: KubeClient, id: InventoryObject, signal?: AbortSignal) {
  const resource = await resourceOf(client, id, signal);
  if (resource === undefined) return false;
  try {
    await resource.get(id.name, { namespace: id.namespace }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
