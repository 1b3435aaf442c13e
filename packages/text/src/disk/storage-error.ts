/** Stable: programs may compare it. */
export type StorageErrorCode =
  /** Another process writes to the directory. Stop it, or use a directory of your own. */
  | 'WG_STORAGE_LOCKED'
  /**
   * The disk, or the quota on it, is used up. Make room: nothing else is needed, and writes are
   * taken again.
   */
  | 'WG_STORAGE_FULL'
  /**
   * The disk does not do what it is asked. The message names the call and the file; look at the
   * system's log.
   */
  | 'WG_STORAGE_FAILED'
  /**
   * What is on disk is not what was written. Restore a copy, or move the directory away, as `hint`
   * says; nothing is started over in silence.
   */
  | 'WG_STORAGE_DAMAGED'
  /**
   * What is on disk was written by another version. Use that version to save it, or move it away.
   */
  | 'WG_STORAGE_FORMAT';

/**
 * What keeps a directory or a file from being used. `message` names the file and says what is wrong,
 * `hint` what to do about it.
 *
 * ```ts
 * try {
 *   await DirectoryLock.acquire('/var/lib/waygate');
 * } catch (error) {
 *   if (!(error instanceof StorageError)) throw error;
 *   console.error(error.message, error.hint);
 * }
 * ```
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly path: string;
  readonly hint: string | undefined;

  constructor(
    code: StorageErrorCode,
    path: string,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = path;
    this.hint = options.hint;
  }
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Whether an error says that there is no room: what a user can mend without us.
 *
 * ```ts
 * const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
 * isStorageFull(full); // true
 * ```
 */
export function isStorageFull(error: unknown): boolean {
  if (error instanceof StorageError) return error.code === 'WG_STORAGE_FULL';
  return fullCodes.has(String((error as NodeJS.ErrnoException | undefined)?.code));
}

/** Makes a storage error of whatever a call to the system threw. */
export function storageError(error: unknown, path: string, what: string): StorageError {
  if (error instanceof StorageError) return error;
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return isStorageFull(error)
    ? new StorageError('WG_STORAGE_FULL', path, `${what} ${path}: no space left (${reason})`, {
        hint: 'Make room on that disk: nothing else is needed.',
        cause: error,
      })
    : new StorageError('WG_STORAGE_FAILED', path, `${what} ${path}: ${reason}`, { cause: error });
}
