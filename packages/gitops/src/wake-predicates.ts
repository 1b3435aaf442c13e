import type { Predicate } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { requestedAtAnnotation } from './api/annotations.ts';
import type { SourceObject } from './api/source-objects.ts';

/** A new spec, a wish for a reconciliation, or the end; not what the controller wrote itself. */
export const wantsReconcile: Predicate<KubeObject> = (event) => {
  if (event.type !== 'update') return true;
  const { oldObject, object } = event;
  const requestedAt = ({ metadata }: KubeObject) => metadata.annotations?.[requestedAtAnnotation];
  return (
    oldObject.metadata.generation !== object.metadata.generation ||
    oldObject.metadata.deletionTimestamp !== object.metadata.deletionTimestamp ||
    requestedAt(oldObject) !== requestedAt(object)
  );
};

/** Another revision, or other files of the same one. */
export const artifactChanged: Predicate<SourceObject> = (event) => {
  if (event.type !== 'update') return event.type === 'add';
  const before = event.oldObject.status?.artifact;
  const now = event.object.status?.artifact;
  return now !== undefined && (now.revision !== before?.revision || now.digest !== before?.digest);
};
