import type { JsonObject, StoreError } from '@waygate/kong';
import { isStorageFull, type StorageError } from '@waygate/text';

/** A call of the Admin API, as read from HTTP. */
export interface AdminRequest {
  readonly method: string;
  /** Decoded segments, e.g. `['services', 'shop', 'routes']`. */
  readonly segments: readonly string[];
  /** The path as it came, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface AdminResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string; undefined for none. */
  readonly body?: unknown;
}

export type AdminHandler = (
  request: AdminRequest,
  parameters: Readonly<Record<string, string>>,
  body: JsonObject,
) => AdminResponse | Promise<AdminResponse>;

export const notFound: AdminResponse = { status: 404, body: { message: 'Not found' } };

export function ok(body: unknown): AdminResponse {
  return { status: 200, body };
}

export function message(status: number, text: string): AdminResponse {
  return { status, body: { message: text } };
}

/** The answer for what could not be kept on disk, and was undone. */
export function notKept(error: StorageError): AdminResponse {
  return isStorageFull(error)
    ? message(507, "the change was not stored: no space is left on the gateway's disk")
    : message(500, `the change was not stored: the gateway's disk cannot be written`);
}

/** The answer for what the store refused. */
export function refused(error: StoreError): AdminResponse {
  return { status: error.status, body: error.body };
}
