import { isAlreadyExists, isNotFound, type KubeClient } from '@waygate/kube';
import {
  type Condition,
  type DynamicObject,
  type Kind,
  type KubeObject,
  kinds,
  type Pod,
} from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { sliceManager } from './endpoint-objects.ts';
import {
  type Carried,
  keepTimes,
  podStatusOf,
  podsOf,
  replicaSetOf,
  taskAnnotation,
} from './pod-objects.ts';
import { templateHash, type Workload } from './workload.ts';
import { workloadStatusOf } from './workload-status.ts';

const fieldManager = 'waygate-up';

/** Writes what has changed since it was written last, and nothing else. */
export class ObjectWriter {
  readonly #client: KubeClient;
  readonly #written = new Map<string, string>();
  readonly #deleted = new Set<string>();
  /** All of ours that are there, those of earlier runs from the first look on. */
  readonly #slices = new Map<string, DynamicObject>();
  #hasListed = false;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Whether it was this that deleted the Pod. */
  hasDeleted(pod: Pod): boolean {
    return this.#deleted.has(pod.metadata.uid ?? '');
  }

  async apply(kind: Kind, object: DynamicObject, signal: AbortSignal): Promise<void> {
    const key = keyOf(kind.kind, object);
    const text = JSON.stringify(object);
    if (kind.kind === 'EndpointSlice') this.#slices.set(key, object);
    if (this.#written.get(key) === text) return;
    await this.#client.resource(kind).apply(object, { fieldManager, force: true }, { signal });
    this.#written.set(key, text);
  }

  /** Takes away the EndpointSlices of Services that nothing stands in for any more. */
  async keepSlices(
    serviceIds: ReadonlySet<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const resource = this.#client.resource(kinds.EndpointSlice as Kind<KubeObject> as Kind);
    if (!this.#hasListed) {
      const labelSelector = `endpointslice.kubernetes.io/managed-by=${sliceManager}`;
      const { items } = await resource.list({ labelSelector }, { signal });
      for (const each of items)
        this.#slices.set(keyOf('EndpointSlice', each), each as DynamicObject);
      this.#hasListed = true;
    }
    for (const [key, { metadata }] of this.#slices) {
      if (serviceIds.has(metadata.ownerReferences?.[0]?.uid)) continue;
      const { name = '', namespace = '' } = metadata;
      await resource.delete(name, { namespace }, { signal }).catch(ignoreGone);
      this.#slices.delete(key);
      this.#written.delete(key);
    }
  }

  /** Brings a workload's Pods and statuses to how its process is; returns the keys of the Pods. */
  async writeWorkload(
    carried: Carried,
    podOf: (namespace: string, name: string) => Pod | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { workload } = carried;
    const replicaSet =
      workload.kind === 'Deployment' ? await this.#writeReplicaSet(carried, signal) : undefined;
    const keys: string[] = [];
    for (const pod of podsOf(carried, replicaSet)) {
      const { name = '', namespace = '' } = pod.metadata;
      keys.push(`${namespace}/${name}`);
      const known = podOf(namespace, name);
      if (known?.metadata.deletionTimestamp !== undefined) continue;
      const stands = known?.metadata.annotations?.[taskAnnotation];
      if (known !== undefined && stands !== (carried.task?.id ?? '')) {
        await this.deletePod(known, signal);
        continue;
      }
      await this.#writePod(pod, known, carried, signal);
    }
    await this.#writeStatus(workload, workloadStatusOf(carried, Date.now()), signal);
    return keys;
  }

  async deletePod({ metadata }: Pod, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '', uid = '' } = metadata;
    this.#deleted.add(uid);
    this.#written.delete(`Pod ${namespace}/${name}`);
    const options = { namespace, gracePeriodSeconds: 0 };
    await this.#client.resource(kinds.Pod).delete(name, options, { signal }).catch(ignoreGone);
  }

  async #writeReplicaSet(carried: Carried, signal: AbortSignal): Promise<DynamicObject> {
    const resource = this.#client.resource(kinds.ReplicaSet as Kind);
    const wanted = replicaSetOf(carried);
    const key = keyOf('ReplicaSet', wanted);
    const { name = '', namespace = '' } = wanted.metadata;
    const text = JSON.stringify(wanted);
    const known = this.#replicaSets.get(key);
    let object = known;
    if (object === undefined || this.#written.get(key) !== text) {
      object = (await resource.apply(
        wanted,
        { fieldManager, force: true },
        { signal },
      )) as DynamicObject;
      this.#replicaSets.set(key, object);
      this.#written.set(key, text);
      await this.#deleteOlder(carried.workload, signal);
    }
    const ready = carried.task?.state?.isReady === true && carried.problem === undefined;
    const { replicas } = carried.workload;
    const status = {
      replicas,
      fullyLabeledReplicas: replicas,
      readyReplicas: ready ? replicas : 0,
      availableReplicas: ready ? replicas : 0,
      observedGeneration: object.metadata.generation ?? 1,
    };
    await this.#patchStatus(kinds.ReplicaSet as Kind, namespace, name, status, signal);
    return object;
  }

  readonly #replicaSets = new Map<string, DynamicObject>();

  /** ReplicaSets of templates that are no more. */
  async #deleteOlder(workload: Workload, signal: AbortSignal): Promise<void> {
    const { namespace, name, object } = workload;
    const resource = this.#client.resource(kinds.ReplicaSet);
    const { items } = await resource.list({ namespace }, { signal });
    const current = `${name}-${templateHash(workload)}`;
    for (const { metadata } of items) {
      const isOurs = metadata.annotations?.[taskAnnotation] !== undefined;
      const isOf = metadata.ownerReferences?.[0]?.uid === object.metadata.uid;
      if (!isOurs || !isOf || metadata.name === current) continue;
      const key = `ReplicaSet ${namespace}/${metadata.name}`;
      this.#written.delete(key);
      this.#replicaSets.delete(key);
      const options = { namespace, propagationPolicy: 'Orphan' } as const;
      await resource.delete(metadata.name ?? '', options, { signal }).catch(ignoreGone);
    }
  }

  async #writePod(
    pod: DynamicObject,
    known: Pod | undefined,
    carried: Carried,
    signal: AbortSignal,
  ): Promise<void> {
    const { name = '', namespace = '' } = pod.metadata;
    const resource = this.#client.resource(kinds.Pod);
    if (known === undefined) {
      this.#written.delete(`status Pod ${namespace}/${name}`);
      await resource.create(pod as Pod, { namespace, fieldManager }, { signal }).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    const status = podStatusOf(carried, Date.now()) as { conditions: Condition[] };
    const conditions = keepTimes(status.conditions, known?.status?.conditions ?? []);
    await this.#patchStatus(kinds.Pod as Kind, namespace, name, { ...status, conditions }, signal);
  }

  async #writeStatus(
    { kind, namespace, name, object }: Workload,
    status: NonNullable<DynamicObject['status']>,
    signal: AbortSignal,
  ): Promise<void> {
    const before = (object as DynamicObject).status as { conditions?: Condition[] } | undefined;
    const { conditions } = status as { conditions?: Condition[] };
    const next =
      conditions === undefined
        ? status
        : {
            ...(status as object),
            conditions: keepUpdates(
              keepTimes(conditions, before?.conditions ?? []),
              before?.conditions ?? [],
            ),
          };
    const shown = Object.fromEntries(
      Object.entries(next as object).map(([key]) => [
        key,
        (before as Record<string, unknown>)?.[key],
      ]),
    );
    if (equalJson(shown, next)) return;
    await this.#patchStatus(kinds[kind] as Kind, namespace, name, next as object, signal);
  }

  async #patchStatus(
    kind: Kind,
    namespace: string,
    name: string,
    status: object,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `status ${kind.kind} ${namespace}/${name}`;
    const text = JSON.stringify(status);
    if (this.#written.get(key) === text) return;
    const resource = this.#client.resource(kind);
    await resource.status.patch(name, { status }, { namespace, fieldManager }, { signal });
    this.#written.set(key, text);
  }
}

function keepUpdates(next: Condition[], before: readonly Condition[]): Condition[] {
  return next.map((each) => {
    const old = before.find(({ type }) => type === each.type);
    const isSame =
      old?.status === each.status && old.reason === each.reason && old.message === each.message;
    return isSame && old?.lastUpdateTime !== undefined
      ? { ...each, lastUpdateTime: old.lastUpdateTime }
      : each;
  });
}

function keyOf(kind: string, { metadata }: DynamicObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
