import type { HealthEvent } from './health-counter.ts';

/** What is known on the health of one address of one upstream. */
export interface AddressHealth {
  /** The id of the upstream. */
  readonly upstream: string;
  readonly authority: string;
  readonly isHealthy: boolean;
  /** True if a success would change something: there were failures, or it is unhealthy. */
  readonly isWatched: boolean;
}

/**
 * How balancers in several processes agree on health. One process counts what happens, and tells; the
 * others report to it, and believe it.
 */
export interface HealthLink {
  /** Told of each change by the process that counts. */
  readonly onChange?: (health: AddressHealth) => void;
  /** Takes what happened to an address, in a process that does not count itself. */
  readonly report?: (upstream: string, authority: string, event: HealthEvent) => void;
  /** What the counting process last said on an address. */
  readonly stateOf?: (upstream: string, authority: string) => AddressHealth | undefined;
}
