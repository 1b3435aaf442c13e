import type { AdminClient } from '@waygate/kong';

/** Where the gateways are found that the controller configures. */
export interface GatewaySource {
  /** Whether gateways come and go on their own, so that one controller must feed them all. */
  readonly isDiscovered: boolean;
  /** Those that answer, as far as is known. */
  gateways(): readonly AdminClient[];
  /** Begins to look for them; resolves when those that exist are known. */
  start(signal: AbortSignal): Promise<void>;
  /** Ends when the signal has aborted and nothing is left running. */
  run(signal: AbortSignal): Promise<void>;
}

/** Gateways at addresses that somebody wrote down. */
export function fixedGateways(admins: readonly AdminClient[]): GatewaySource {
  return {
    isDiscovered: false,
    gateways: () => admins,
    start: async () => {},
    run: async () => {},
  };
}
