/**
 * Why a gateway cannot do what it is told. `code` is stable.
 *
 * ```ts
 * const gateway = new Gateway({ proxy: [] });
 * await gateway.stop();
 * await gateway.start().catch((error: unknown) => error instanceof GatewayError && error.code); // 'WG_GATEWAY_STOPPED'
 * ```
 */
export class GatewayError extends Error {
  readonly code: /**
   * The declarative configuration that a start was given is refused. The message says which
   * entity and field; nothing was started.
   */
    | 'WG_GATEWAY_CONFIG'
    /** Options that cannot work, alone or together. Change the option that the message names. */
    | 'WG_GATEWAY_OPTION'
    /**
     * The database holds a plugin for all requests that this gateway cannot run, so that it would refuse
     * everything. Start once with `--remove-plugin` and its id, or name its module with `--plugin`.
     */
    | 'WG_GATEWAY_PLUGIN'
    /** A stopped gateway was told to start. Make a new one. */
    | 'WG_GATEWAY_STOPPED'
    /**
     * A template of request-transformer failed for a request, which ends with 500: it used a value that
     * was not there, or took more than the budget. Give it a default (`headers.x or ""`).
     */
    | 'WG_GATEWAY_TEMPLATE'
    /**
     * A worker process ended at its start. The log has what it said; most often a port is taken or
     * a plugin module is not there.
     */
    | 'WG_GATEWAY_WORKER';

  constructor(code: GatewayError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
  }
}
