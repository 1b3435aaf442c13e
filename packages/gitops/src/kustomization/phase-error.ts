/**
 * Why a reconciliation ended early: the reason of the Ready condition, and what to say.
 *
 * ```ts
 * const object = await client.resource(kustomizationKind).get('apps', { namespace: 'flux-system' });
 * const source = { files: FileTree.of([]), path: '/' };
 * await builtKustomization(object, source, { client, signal }).catch((error: unknown) => {
 *   if (error instanceof PhaseError) console.error(error.reason, error.message);
 * });
 * ```
 */
export class PhaseError extends Error {
  override readonly name = 'PhaseError';
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
