import { type AnyPlugin, definePlugin } from './plugin.ts';

/**
 * Stands in for a plugin that is configured and cannot be run: it refuses the requests that the plugin
 * would decide on, rather than let them through as if it had agreed.
 */
export function refusingPlugin(name: string, priority: number): AnyPlugin {
  let isWarned = false;
  return definePlugin({
    name,
    priority,
    isRefusing: true,
    access(context) {
      if (!isWarned) {
        isWarned = true;
        context.runtime.log.warn('a plugin is configured that this gateway does not run', {
          plugin: name,
        });
      }
      context.fail(501, `the plugin ${name} is not run by this gateway`);
    },
  });
}
