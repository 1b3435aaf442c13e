/** Held by both controllers' objects until what they made is cleaned up. */
export const finalizer = 'finalizers.fluxcd.io';

/** A new value asks for a reconciliation at once. */
export const requestedAtAnnotation = 'reconcile.fluxcd.io/requestedAt';
