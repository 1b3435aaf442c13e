import type { GatewayOptions } from '../gateway-options.ts';
import type { AnyPlugin } from '../plugin/plugin.ts';
import { keyAuth } from './key-auth.ts';
import { rateLimiting } from './rate-limiting.ts';
import { requestTermination } from './request-termination.ts';

/** Kong's plugins that this gateway runs. Made anew for each gateway: some hold state. */
export function builtInPlugins(_options: GatewayOptions): readonly AnyPlugin[] {
  return [keyAuth, rateLimiting(), requestTermination];
}
