import { isNotFound, KubeError } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { type ObjectId, objectIdOf, subjectOf } from './object-id.ts';

/** What could not be done with one object of a set. The others are not held up by it. */
export interface ObjectFailure {
  readonly id: ObjectId;
  readonly subject: string;
  /** Says which object, what was tried and what the API said. Never the content of a Secret. */
  readonly message: string;
  readonly cause: unknown;
}

/** What the API said no to when it was asked to try. */
export function dryRunFailure(object: KubeObject, cause: unknown): ObjectFailure {
  const id = objectIdOf(object);
  const subject = subjectOf(id);
  const said = saidOf(cause, object);
  if (isNotFound(cause)) {
    const what = id.namespace === '' ? 'namespace not specified' : 'not found';
    return { id, subject, cause, message: `${subject} ${what}: ${said}` };
  }
  const reason = cause instanceof KubeError ? (cause.status?.reason ?? '') : '';
  const suffix = reason === '' ? '' : ` (${reason})`;
  return { id, subject, cause, message: `${subject} dry-run failed${suffix}: ${said}` };
}

export function actionFailure(object: KubeObject, action: string, cause: unknown): ObjectFailure {
  const id = objectIdOf(object);
  const subject = subjectOf(id);
  return { id, subject, cause, message: `${subject} ${action} failed: ${saidOf(cause, object)}` };
}

/** An API that refuses a Secret may quote its content; only the fields are told then. */
function saidOf(cause: unknown, object: KubeObject): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (object.kind !== 'Secret' || !(cause instanceof KubeError)) return message;
  const causes = cause.status?.details?.causes ?? [];
  if (causes.length === 0) return message;
  const fields = causes.map(({ field, reason }) => `${field}: ${reason}`).join(', ');
  return `Secret "${object.metadata.name}" is invalid: ${fields} (values are not shown)`;
}
