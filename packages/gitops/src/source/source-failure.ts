import { diskErrorIn } from '../disk-error.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';

/** The condition in which a failure of a source shows. */
type SourceFailureCondition =
  | 'FetchFailed'
  | 'StorageOperationFailed'
  | 'IncludeUnavailable'
  | 'BuildFailed'
  | 'SourceVerified';

/**
 * When to try again: with growing pauses, not before the object changes, or as often as for
 * something that is not there yet.
 */
type SourceRetry = 'backoff' | 'never' | 'dependency';

/** Why a source has no new artifact, in the words of its conditions and events. */
export class SourceFailure extends GitOpsError {
  readonly condition: SourceFailureCondition;
  readonly reason: string;
  readonly retry: SourceRetry;

  constructor(
    condition: SourceFailureCondition,
    reason: string,
    message: string,
    options: { readonly retry?: SourceRetry; readonly cause?: unknown } = {},
  ) {
    super('WG_GITOPS_SOURCE', message, options);
    this.condition = condition;
    this.reason = reason;
    this.retry = options.retry ?? 'backoff';
  }
}

/** The failure of this machine's disk that is behind an error, if one is: no source is to blame for it. */
export function storageFailure(error: unknown): SourceFailure | undefined {
  const disk = diskErrorIn(error);
  const isStorage = error instanceof GitOpsError && error.code === 'WG_GITOPS_STORAGE';
  if (disk === undefined && !isStorage) return undefined;
  const hint = 'the last artifact stays; make room or mend the disk';
  const message = `unable to store artifact: ${messageOf(disk ?? error)} (${hint})`;
  const reason = 'ArchiveOperationFailed';
  return new SourceFailure('StorageOperationFailed', reason, message, { cause: error });
}

/** Does some work; what goes wrong in it is a failure to fetch, for this reason and with these words before it. */
export async function fetchingAs<T>(
  reason: string,
  prefix: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const disk = storageFailure(error);
    if (disk !== undefined) throw disk;
    const message = `${prefix}${messageOf(error)}`;
    throw new SourceFailure('FetchFailed', reason, message, { cause: error });
  }
}

/** {@link fetchingAs} for what is needed to be let in. */
export function authenticated<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  return fetchingAs('AuthenticationFailed', prefix, work);
}
