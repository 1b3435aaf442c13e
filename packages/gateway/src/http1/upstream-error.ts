/**
 * Why an upstream gave no answer, or not all of it: it cannot be reached, was silent for too long, broke
 * off, or said what is no answer. The last is not cured by asking again.
 */
export class UpstreamError extends Error {
  readonly code: /**
   * The upstream cannot be reached. Another target is tried; after the last the client gets 502.
   */
    | 'WG_GATEWAY_CONNECT'
    /**
     * The upstream did not take a connection, or was silent, for longer than the service allows.
     * Raise the service's timeouts if it is slow by nature; the client gets 504.
     */
    | 'WG_GATEWAY_TIMEOUT'
    /**
     * The upstream closed the connection before its answer was whole. Another try is made where the
     * request allows it; otherwise the client gets 502.
     */
    | 'WG_GATEWAY_BROKEN'
    /**
     * The upstream said what is no answer. It is not asked again, and the client gets 502; look at
     * what listens there.
     */
    | 'WG_GATEWAY_INVALID';

  constructor(code: UpstreamError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UpstreamError';
    this.code = code;
  }
}
