import type { HttpRequest, WithTimeout } from '@waygate/text';

/** One request to the API, as the rooms of this package make it. `path` may carry a query. */
export interface ApiRequest extends Omit<HttpRequest, 'origin' | 'method'>, WithTimeout {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A watch treats a cut before the first byte as worth another try, as a read is. */
  readonly isWatch?: boolean | undefined;
  /** Asked before each try: false refuses it with `WG_KUBE_FENCED`. */
  readonly maySend?: (() => boolean) | undefined;
}
