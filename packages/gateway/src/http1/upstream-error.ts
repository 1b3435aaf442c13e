/**
 * Why an upstream gave no answer, or not all of it: it cannot be reached, was silent for too long, broke
 * off, or said what is no answer. The last is not cured by asking again.
 */
export class UpstreamError extends Error {
  readonly code:
    | 'WG_GATEWAY_CONNECT'
    | 'WG_GATEWAY_TIMEOUT'
    | 'WG_GATEWAY_BROKEN'
    | 'WG_GATEWAY_INVALID';

  constructor(code: UpstreamError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UpstreamError';
    this.code = code;
  }
}
