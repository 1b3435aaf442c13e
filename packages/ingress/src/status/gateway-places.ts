import type { Gateway, Listener } from '../objects/gateway-api.ts';

/** What became of the port of a listener: open, on its way, or the system's code for why not. */
export type PortState = 'open' | 'pending' | { readonly code: string };

/** Where Gateways are that have addresses of their own. */
export interface GatewayPlaces {
  /** Undefined when a Gateway asks for an address that it cannot have. */
  addressOf(gateway: Gateway): string | undefined;
  stateOf(gateway: Gateway, listener: Listener): PortState;
}
