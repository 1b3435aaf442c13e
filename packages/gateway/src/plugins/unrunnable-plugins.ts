import { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { pluginMap } from './built-in-plugins.ts';

/**
 * The plugins of Kong that this gateway cannot run: it refuses them when they are configured. For those who judge a
 * configuration before any gateway has it.
 *
 * ```ts
 * unrunnablePlugins().includes('key-auth'); // false
 * ```
 */
export function unrunnablePlugins(): readonly string[] {
  return [...pluginMap({}, new GatewayMetrics()).values()]
    .filter(({ isRefusing }) => isRefusing === true)
    .map(({ name }) => name)
    .sort();
}
