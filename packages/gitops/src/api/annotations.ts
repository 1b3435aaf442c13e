/** Held by both controllers' objects until what they made is cleaned up. */
export const finalizer = 'finalizers.fluxcd.io';

/** A new value asks for a reconciliation at once. */
export const requestedAtAnnotation = 'reconcile.fluxcd.io/requestedAt';

/** With the value of a request: one install or upgrade of a HelmRelease, whatever its state is. */
export const forceAtAnnotation = 'reconcile.fluxcd.io/forceAt';

/** With the value of a request: failures of a HelmRelease count no more. */
export const resetAtAnnotation = 'reconcile.fluxcd.io/resetAt';
