import { GitOpsError, messageOf } from '../gitops-error.ts';

/** Why there is nothing to act with yet, in the words of the Ready condition. */
export class Unready extends Error {
  override readonly name = 'Unready';
  readonly reason: string;
  /** How it goes on: with growing pauses, after a fixed one, or not before the object changes. */
  readonly retry: 'backoff' | 'wait' | 'never';
  readonly isNews: boolean;

  constructor(reason: string, message: string, retry: Unready['retry'], isNews = true) {
    super(message);
    this.reason = reason;
    this.retry = retry;
    this.isNews = isNews;
  }
}

/** Does what is needed before a release can be acted on; what fails is a reason why it cannot. */
export async function asUnready<T>(reason: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isMissing = error instanceof GitOpsError && error.code === 'WG_GITOPS_NOT_FOUND';
    const retry = isMissing ? 'wait' : 'backoff';
    const prefix = reason === 'ArtifactFailed' ? 'Could not load chart: ' : '';
    throw new Unready(reason, `${prefix}${messageOf(error)}`, retry);
  }
}
