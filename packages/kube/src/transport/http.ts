import type { HttpRequest as AnyRequest, WithTimeout } from '@waygate/text';

/** One request to the API, as the rooms of this package make it. `path` may carry a query. */
export interface HttpRequest extends Omit<AnyRequest, 'origin' | 'method'>, WithTimeout {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A watch treats a cut before the first byte as worth another try, as a read is. */
  readonly isWatch?: boolean | undefined;
}
