import type { JsonObject } from '@waygate/kong';
import type { PluginDefinition } from '../plugin/plugin.ts';
import { isForHttp } from '../plugin/plugin-plan.ts';

/** Where a plugin that is not run is taken all the same: nowhere, or with a route, a service or a consumer. */
type TakenWhere = 'nowhere' | 'scoped';

/**
 * Refuses a plugin that this gateway cannot run when it is written: requests that it would decide on could
 * only be answered with 501. Where it is taken for a route, a service or a consumer (one from before, or if
 * the gateway was told so) it refuses what it would have decided on; for everything it never is.
 */
export function runnableCheck(
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
  where: TakenWhere,
): (schemaName: string, entity: JsonObject) => { readonly name: string } | undefined {
  return (schemaName, entity) => {
    const name = String(entity.name);
    const plugin = plugins.get(name);
    const isRun = plugin !== undefined && plugin.isRefusing !== true;
    if (schemaName !== 'plugins' || isRun || !isForHttp(entity)) return undefined;
    if (where === 'nowhere') return { name: `this gateway cannot run the plugin '${name}'` };
    const isScoped = ['route', 'service', 'consumer'].some((field) => Boolean(entity[field]));
    return isScoped
      ? undefined
      : {
          name: `plugin '${name}' is not run by this gateway and cannot apply to every request; name a route, service or consumer`,
        };
  };
}
