/** Why a gateway cannot do what it is told. `code` is stable. */
export class GatewayError extends Error {
  readonly code:
    | 'WG_GATEWAY_CONFIG'
    | 'WG_GATEWAY_OPTION'
    | 'WG_GATEWAY_STOPPED'
    | 'WG_GATEWAY_STORAGE'
    | 'WG_GATEWAY_WORKER';

  constructor(code: GatewayError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
  }
}
