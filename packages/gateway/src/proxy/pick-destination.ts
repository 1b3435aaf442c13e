import type { Tried } from '../balancer/algorithm.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Destination } from '../balancer/destination.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { hashInput } from './hash-input.ts';
import type { ServiceSettings } from './service-settings.ts';

/** Chooses where a request goes next, and tells: in the same turn whenever names are known. */
export function pickDestination(
  balancers: BalancerRegistry,
  settings: ServiceSettings,
  context: RequestContext,
  tried: Tried,
  use: (destination: Destination) => void,
): void {
  const chosen = balancers.pick(
    settings.host,
    settings.port,
    (upstream) => hashInput(upstream, context),
    tried,
  );
  if (chosen instanceof Promise) {
    void chosen.then(use);
  } else {
    use(chosen);
  }
}
