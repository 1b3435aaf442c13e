import { isStorageFull, type StorageError } from '@waygate/text';
import { ApiError } from './api-error.ts';

/**
 * What a client reads when a write could not be kept. It names no path: that is for the operator, in
 * the log and in `/readyz`.
 */
export function notStored(error: StorageError): ApiError {
  return isStorageFull(error)
    ? new ApiError(
        507,
        'InsufficientStorage',
        "the change was not stored: no space is left on the API server's disk; reads and watches go on, and writes will when there is room",
      )
    : new ApiError(
        500,
        'InternalError',
        `Internal error occurred: the change was not stored: the API server's disk cannot be written (${error.code}); reads and watches go on`,
      );
}
