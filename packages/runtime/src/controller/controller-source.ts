import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { DeletedFinalStateUnknown, lastKnownState } from '../cache/deleted-final-state-unknown.ts';
import { metaNamespaceKey } from '../cache/object-key.ts';
import type { SharedInformer } from '../cache/shared-informer.ts';
import type { Predicate, ResourceEvent } from './controller-predicate.ts';

/** How a source adds a key to the queue. */
export interface EnqueueOptions {
  /** Nobody waits for it: the initial list, a resync. */
  readonly isLowPriority?: boolean;
}

/** Where a controller's keys come from. */
export interface Source<K> {
  /**
   * Begins to feed keys, until the signal aborts. Resolves once everything that was there at the
   * start has been fed, so that a controller never acts on half a cache.
   */
  start(enqueue: (key: K, options?: EnqueueOptions) => void, signal: AbortSignal): Promise<void>;
  /** Names it in errors. */
  readonly name?: string;
}

/** The part of a shared informer that a controller needs. */
export type HandlerTarget<T> = Pick<SharedInformer<T>, 'addEventHandler' | 'removeEventHandler'>;

/** Which changes of an informer matter, and to which keys. */
export interface InformerSourceOptions<T, K> {
  /** Which keys an object concerns; its own `namespace/name` when absent. */
  readonly map?: (object: T) => Iterable<K>;
  /** A change must pass all of them. An update is asked once, with both states. */
  readonly predicates?: readonly Predicate<T>[];
  readonly name?: string;
  /** Told what a predicate or the mapping threw; the change is then dropped. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Feeds a controller from an informer. An update feeds the keys of the old state too, so that what
 * an object no longer points to is reconciled as well.
 *
 * ```ts
 * const deployments = createInformer(client, kinds.Deployment);
 * const sources = [
 *   informerSource(deployments, { predicates: [generationChanged] }),
 *   informerSource(createInformer(client, kinds.ReplicaSet), { map: ownerKeys(kinds.Deployment) }),
 * ];
 * ```
 */
export function informerSource<T extends KubeObject, K extends {} = string>(
  informer: HandlerTarget<T>,
  options: InformerSourceOptions<T, K> = {},
): Source<K> {
  const { map, predicates = [], onError } = options;
  // Without a mapping K is string: a caller that asks for other keys has to say how to get them.
  const keysOf = map ?? ((object: T) => [metaNamespaceKey(object) as unknown as K]);
  return {
    ...(options.name === undefined ? {} : { name: options.name }),
    async start(enqueue, signal) {
      const feed = (event: ResourceEvent<T>, states: readonly T[], isLowPriority: boolean) => {
        try {
          if (!predicates.every((predicate) => predicate(event))) return;
          const keys = new Set<K>();
          for (const state of states) for (const key of keysOf(state)) keys.add(key);
          for (const key of keys) enqueue(key, { isLowPriority });
        } catch (error) {
          onError?.(error);
        }
      };
      const registration = informer.addEventHandler({
        onAdd: (object, isInInitialList) =>
          feed({ type: 'add', object, isInInitialList }, [object], isInInitialList),
        onUpdate: (oldObject, object) =>
          feed(
            { type: 'update', oldObject, object },
            [oldObject, object],
            isSame(oldObject, object),
          ),
        onDelete: (deleted) => {
          const object = lastKnownState(deleted);
          if (object !== undefined) feed({ type: 'delete', object }, [object], false);
          // Nothing is known of it but its key, which is all that a controller of its own kind needs.
          else if (map === undefined && deleted instanceof DeletedFinalStateUnknown)
            enqueue(deleted.key as unknown as K);
        },
      });
      signal.addEventListener('abort', () => informer.removeEventHandler(registration), {
        once: true,
      });
      await registration.waitForSync(signal);
    },
  };
}

/** Which owners of an object count. */
export interface OwnerMapping {
  /** The owner's API group; empty for core. */
  readonly group: string;
  readonly kind: string;
  /** Only the owner that controls the object. True unless said otherwise. */
  readonly isController?: boolean;
}

/**
 * Maps an object to the keys of its owners of one kind: a controller's own children lead back to it.
 *
 * ```ts
 * ownerKeys(kinds.Deployment)({
 *   metadata: {
 *     namespace: 'shop',
 *     ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }],
 *   },
 * }); // ['shop/web']
 * ```
 */
export function ownerKeys({
  group,
  kind,
  isController = true,
}: OwnerMapping): (object: KubeObject) => string[] {
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(
        (owner) =>
          owner.kind === kind &&
          parseApiVersion(owner.apiVersion).group === group &&
          (!isController || owner.controller === true),
      )
      .map(({ name }) => (metadata.namespace ? `${metadata.namespace}/${name}` : name));
}

function isSame(oldObject: KubeObject, object: KubeObject): boolean {
  const { resourceVersion } = object.metadata;
  return resourceVersion !== undefined && resourceVersion === oldObject.metadata.resourceVersion;
}
