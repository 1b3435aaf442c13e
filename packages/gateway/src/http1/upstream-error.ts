/** Why an upstream gave no answer, or not all of it. */
export class UpstreamError extends Error {
  readonly code: 'WG_GATEWAY_CONNECT' | 'WG_GATEWAY_TIMEOUT' | 'WG_GATEWAY_BROKEN';

  constructor(code: UpstreamError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UpstreamError';
    this.code = code;
  }
}
