import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@waygate/schema';

/** A change, as a predicate sees it. A deletion comes with the last state that is known. */
export type ResourceEvent<T> =
  | { readonly type: 'add'; readonly object: T; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly oldObject: T; readonly object: T }
  | { readonly type: 'delete'; readonly object: T };

/** Whether a change is worth a reconciliation. */
export type Predicate<T> = (event: ResourceEvent<T>) => boolean;

/**
 * Drops updates that did not change the spec: the API raises the generation only with it.
 *
 * ```ts
 * informerSource(createInformer(client, kinds.Deployment), { predicates: [generationChanged] });
 * ```
 */
export const generationChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'update' ||
  event.oldObject.metadata.generation !== event.object.metadata.generation;

/**
 * Drops updates that changed nothing, such as those of a resync.
 *
 * ```ts
 * informerSource(createInformer(client, kinds.Pod), { predicates: [resourceVersionChanged] }); // no resyncs
 * ```
 */
export const resourceVersionChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'update' ||
  event.oldObject.metadata.resourceVersion !== event.object.metadata.resourceVersion;

/**
 * Drops updates that left the labels as they were.
 *
 * ```ts
 * informerSource(createInformer(client, kinds.Deployment), { predicates: [labelChanged] });
 * ```
 */
export const labelChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'update' ||
  !isDeepStrictEqual(event.oldObject.metadata.labels ?? {}, event.object.metadata.labels ?? {});

/**
 * Drops updates that left the annotations as they were.
 *
 * ```ts
 * informerSource(createInformer(client, kinds.Deployment), { predicates: [annotationChanged] });
 * ```
 */
export const annotationChanged: Predicate<KubeObject> = (event) =>
  event.type !== 'update' ||
  !isDeepStrictEqual(
    event.oldObject.metadata.annotations ?? {},
    event.object.metadata.annotations ?? {},
  );

/**
 * Passes what all of them pass.
 *
 * ```ts
 * const ofSpec = allOf<KubeObject>(generationChanged, not(annotationChanged));
 * ```
 */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/**
 * Passes what any of them passes.
 *
 * ```ts
 * const ofSpecOrLabels = anyOf<KubeObject>(generationChanged, labelChanged);
 * informerSource(createInformer(client, kinds.Deployment), { predicates: [ofSpecOrLabels] });
 * ```
 */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/**
 * Passes what the predicate does not.
 *
 * ```ts
 * const ignoresDeletes = not<KubeObject>(({ type }) => type === 'delete');
 * typeof ignoresDeletes; // 'function'
 * ```
 */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}
