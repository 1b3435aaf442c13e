import { isConflict, isInvalid, KubeError } from '@waygate/kube';

/** The ways in which the API says that a field of an existing object cannot be changed. */
const immutableMessage =
  /is immutable|are immutable|immutable field|may not change once set|updates to [a-z]+ spec for fields other than|may not change fields other than|cannot change .*roleRef|cannot change roleRef/i;

/**
 * Whether a message says that a field is immutable.
 *
 * ```ts
 * isImmutableMessage('spec.selector: Invalid value: field is immutable'); // true
 * ```
 */
export function isImmutableMessage(message: string): boolean {
  return immutableMessage.test(message);
}

/**
 * Whether an object would have to be made anew for the change to go through. An answer that only
 * says "invalid" is not that: recreating would lose the object and gain nothing.
 *
 * ```ts
 * isImmutableError(new Error('field is immutable')); // false: the API did not say so
 * ```
 */
export function isImmutableError(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  if (!isInvalid(error) && !isConflict(error) && error.statusCode !== 403) return false;
  return isImmutableMessage(error.message);
}
