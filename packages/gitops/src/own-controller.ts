import {
  type Controller,
  done,
  ItemExponentialFailureRateLimiter,
  informerSource,
  type Operator,
  type Reconcile,
  type Source,
} from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';
import type { ErrorSubject } from './gitops-error.ts';
import type { ReconcileMetrics } from './metrics.ts';
import type { OwnObjects } from './own-objects.ts';

/** What every controller of this room is told, whatever it reconciles. */
export interface OwnControllerOptions {
  readonly reconcileMetrics: ReconcileMetrics;
  /** Which objects are ours, when they are shared out among several controllers. */
  readonly isOurs: (object: KubeObject) => boolean;
  /** Has all objects of a controller looked at when others who acted on them are gone. */
  readonly wakes?:
    | (<T extends KubeObject>(controller: Controller, objects: OwnObjects<T>) => void)
    | undefined;
  /** The pause after the first failure, which doubles, and the longest one. 750 ms and 15 min. */
  readonly minRetryMs?: number | undefined;
  readonly maxRetryMs?: number | undefined;
  readonly onError?: ((error: unknown, about?: ErrorSubject) => void) | undefined;
}

/**
 * Adds the controller of one kind to an operator: it is timed, it retries as Flux does, and it leaves
 * alone what is not ours. Sources wake all who use them, those of other shards among them.
 */
export function addOwnController<T extends KubeObject & { status?: object }>(
  operator: Operator,
  options: OwnControllerOptions,
  {
    kind,
    objects,
    sources,
    concurrent,
    reconciler,
  }: {
    readonly kind: Kind<T>;
    readonly objects: OwnObjects<T>;
    readonly sources: readonly Source<string>[];
    /** Reconciled at a time. */
    readonly concurrent: number;
    readonly reconciler: { readonly reconcile: Reconcile<string> };
  },
): Controller {
  const { informer } = objects;
  const controller = operator.addController({
    name: kind.kind.toLowerCase(),
    onError: (error, key) => options.onError?.(error, { kind: kind.kind, key }),
    sources: [
      ...sources,
      // Its labels say whose an object is, and a change of them is none of its spec: nobody else would wake it here.
      informerSource(informer, {
        name: 'shard',
        predicates: [
          (event) =>
            event.type === 'update' &&
            options.isOurs(event.object) &&
            !options.isOurs(event.oldObject),
        ],
      }),
    ],
    maxConcurrentReconciles: concurrent,
    rateLimiter: new ItemExponentialFailureRateLimiter<string>(
      options.minRetryMs ?? 750,
      options.maxRetryMs ?? 900_000,
    ),
    reconcile: options.reconcileMetrics.timed(kind, informer, async (key, context) => {
      const object = informer.indexer.getByKey(key);
      if (object !== undefined && !options.isOurs(object)) return done;
      return reconciler.reconcile(key, context);
    }),
  });
  options.wakes?.(controller, objects);
  return controller;
}
