import { pluginNames } from '@waygate/kong';
import type { AnyPlugin } from '../plugin/plugin.ts';
import { pluginPriorities } from '../plugin/plugin-priorities.ts';
import { refusingPlugin } from '../plugin/refusing-plugin.ts';

/**
 * Kong's plugins that this gateway takes into its configuration but does not run. A request that one
 * of them would decide on is refused, rather than let through as if the plugin had agreed.
 */
export function unsupportedPlugins(supported: ReadonlySet<string>): AnyPlugin[] {
  return pluginNames()
    .filter((name) => !supported.has(name))
    .map((name) => refusingPlugin(name, pluginPriorities[name] ?? 0));
}
