import type { JsonObject } from '@waygate/kong';
import type { PluginDefinition } from '../plugin/plugin.ts';
import { isForHttp } from '../plugin/plugin-plan.ts';

/**
 * Refuses a plugin that this gateway does not run where it would apply to everything: each route would
 * answer 501, also those whose authors never heard of it. With a route, a service or a consumer it is
 * taken, and refuses what it would have decided on.
 */
export function runnableCheck(
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
): (schemaName: string, entity: JsonObject) => { readonly name: string } | undefined {
  return (schemaName, entity) => {
    const plugin = plugins.get(String(entity.name));
    const isRun = plugin !== undefined && plugin.isRefusing !== true;
    if (schemaName !== 'plugins' || isRun) {
      return undefined;
    }
    const isScoped = ['route', 'service', 'consumer'].some((field) => Boolean(entity[field]));
    return isScoped || !isForHttp(entity)
      ? undefined
      : {
          name: `plugin '${String(entity.name)}' is not run by this gateway and cannot apply to every request; name a route, service or consumer`,
        };
  };
}
