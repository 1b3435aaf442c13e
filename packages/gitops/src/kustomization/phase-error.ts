/** Why a reconciliation ended early: the reason of the Ready condition, and what to say. */
export class PhaseError extends Error {
  override readonly name = 'PhaseError';
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
