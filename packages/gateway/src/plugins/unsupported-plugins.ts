import { pluginNames } from '@waygate/kong';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import { pluginPriorities } from '../plugin/plugin-priorities.ts';
import { refusingPlugin } from '../plugin/refusing-plugin.ts';

/** These only watch: without them requests are served as well. */
const watching: ReadonlySet<string> = new Set([
  'datadog',
  'loggly',
  'statsd',
  'syslog',
  'udp-log',
  'zipkin',
]);

/**
 * Kong's plugins that this gateway takes into its configuration but does not run. A request that one
 * of them would decide on is refused, rather than let through as if the plugin had agreed.
 */
export function unsupportedPlugins(supported: ReadonlySet<string>): AnyPlugin[] {
  return pluginNames()
    .filter((name) => !supported.has(name))
    .map((name) => {
      const priority = pluginPriorities[name] ?? 0;
      if (!watching.has(name)) {
        return refusingPlugin(name, priority);
      }
      let isWarned = false;
      return definePlugin({
        name,
        priority,
        access(context) {
          if (!isWarned) {
            isWarned = true;
            context.runtime.log.warn('a plugin is configured that this gateway does not run', {
              plugin: name,
            });
          }
        },
      });
    });
}
