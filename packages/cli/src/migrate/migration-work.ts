import { isAlreadyExists, isNotFound, type KubeClient } from '@waygate/kube';
import { type DynamicObject, kinds, type ObjectReference } from '@waygate/schema';
import { sleep } from '@waygate/text';
import { CliError } from '../context.ts';
import { isHeld } from './lease-state.ts';
import { type MigrationStep, objectText } from './migration-step.ts';

interface WorkOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** How long to wait for Pods to go and for Leases to be given up. */
  readonly waitMs: number;
  readonly now: () => number;
}

const fieldManager = 'waygate-migrate';
const pollMs = 500;

/** Does a step. Doing one twice is the same as once. */
export async function doStep(step: MigrationStep, options: WorkOptions): Promise<void> {
  switch (step.kind) {
    case 'annotate':
      await annotate(step.object, step.annotations, options);
      return;
    case 'scale':
      await scale(step.object, step.replicas, options);
      return;
    case 'released':
      await released(step.object, options);
      return;
    case 'delete':
      await remove(step.object, options);
  }
}

/** Takes a step back, whether it was done or only begun. */
export async function undoStep(step: MigrationStep, options: WorkOptions): Promise<void> {
  switch (step.kind) {
    case 'annotate':
      await annotate(step.object, step.before, options);
      return;
    case 'scale':
      await scale(step.object, step.before, options);
      return;
    case 'delete':
      await restore(step.before, options);
      return;
    case 'released':
  }
}

async function annotate(
  object: ObjectReference,
  annotations: Readonly<Record<string, string | null>>,
  { client, signal }: WorkOptions,
): Promise<void> {
  const { apiVersion = '', kind = '', name = '', namespace } = object;
  const resource = await client.resourceOf({ apiVersion, kind }, { signal });
  await resource.patch(
    name,
    { metadata: { annotations } },
    { namespace, fieldManager },
    { signal },
  );
}

async function scale(
  object: ObjectReference,
  replicas: number,
  options: WorkOptions,
): Promise<void> {
  const { client, signal } = options;
  const { name = '', namespace } = object;
  const deployments = client.resource(kinds.Deployment);
  await deployments.patch(name, { spec: { replicas } }, { namespace, fieldManager }, { signal });
  if (replicas > 0) return;
  await until(options, `${objectText(object)} still has Pods`, async () => {
    const { metadata, status } = await deployments.get(name, { namespace }, { signal });
    const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    return isSeen && (status?.replicas ?? 0) === 0;
  });
}

async function released(object: ObjectReference, options: WorkOptions): Promise<void> {
  const { client, signal, now } = options;
  const { name = '', namespace } = object;
  await until(options, `${objectText(object)} is still held and renewed`, async () => {
    try {
      return !isHeld(
        await client.resource(kinds.Lease).get(name, { namespace }, { signal }),
        now(),
      );
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
}

async function remove(object: ObjectReference, { client, signal }: WorkOptions): Promise<void> {
  const { apiVersion = '', kind = '', name = '', namespace } = object;
  const resource = await client.resourceOf({ apiVersion, kind }, { signal });
  try {
    await resource.delete(name, { namespace }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function restore(before: DynamicObject, { client, signal }: WorkOptions): Promise<void> {
  const resource = await client.resourceOf(before, { signal });
  const { namespace } = before.metadata;
  try {
    await resource.create(before, { namespace, fieldManager }, { signal });
  } catch (error) {
    // It is there: somebody made it, or it never went.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function until(
  { signal, waitMs, now }: WorkOptions,
  otherwise: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const deadline = now() + waitMs;
  while (!(await isDone())) {
    if (now() > deadline)
      throw new CliError(`${otherwise} after ${Math.round(waitMs / 1000)} s`, {
        hint: 'What was done is on record: run it again to go on, or with --rollback to go back.',
      });
    await sleep(pollMs, signal);
  }
}
