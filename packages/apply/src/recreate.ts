import { isNotFound, type Resource } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import { ApplyError } from './apply-error.ts';
import { subjectOfObject } from './object-id.ts';

/** Nothing is deleted for an object that could not be created in its place. */
export async function checkCreatable(
  resource: Resource<DynamicObject>,
  object: DynamicObject,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name, ...metadata } = object.metadata;
  const probe = { ...object, metadata: { ...metadata, generateName: `${name}-` } };
  await resource.create(probe, { namespace: metadata.namespace, dryRun: true }, { signal });
}

/** Deletes an object, and waits until it is gone. */
export async function deleteAndWait(
  resource: Resource<DynamicObject>,
  existing: DynamicObject,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name = '', namespace, uid } = existing.metadata;
  await resource.delete(name, { namespace, propagationPolicy: 'Background' }, { signal });
  const deadline = clock.monotonicMs() + 60_000;
  for (let delay = 50; ; delay = Math.min(delay * 2, 2000)) {
    if ((await uidOf(resource, name, namespace, signal)) !== uid) return;
    if (clock.monotonicMs() > deadline) {
      throw new ApplyError(
        'WG_APPLY_TIMEOUT',
        `${subjectOfObject(existing)} was deleted to be made anew, and is still there after a minute`,
      );
    }
    await clock.sleep(delay, signal);
    signal?.throwIfAborted();
  }
}

async function uidOf(
  resource: Resource<DynamicObject>,
  name: string,
  namespace: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await resource.get(name, { namespace }, { signal })).metadata.uid;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
