import type { JsonObject } from '@waygate/kong';
import type { StoreSource } from '../configuration/store-source.ts';
import { GatewayError } from '../gateway-error.ts';
import { isForHttp } from '../plugin/plugin-plan.ts';

type Check = (schemaName: string, entity: JsonObject) => object | undefined;

/**
 * Looks at the plugins of a database before anything is served with them. One for all requests that
 * cannot be run would refuse all of them, so that the gateway does not start; without it routes would be
 * served that its author wanted guarded. One with a narrower scope costs its own routes only.
 *
 * @throws GatewayError that names the plugin, and how it is removed
 */
export function checkLoadedPlugins(source: StoreSource, check: Check): void {
  for (const plugin of source.list('plugins')) {
    const isGlobal = !['route', 'service', 'consumer'].some((field) => Boolean(plugin[field]));
    if (!isGlobal || !isForHttp(plugin)) continue;
    const problem = check('plugins', plugin);
    if (problem === undefined) continue;
    throw new GatewayError(
      'WG_GATEWAY_PLUGIN',
      `the database holds the plugin '${String(plugin.name)}' (id ${String(plugin.id)}) for all requests, and this gateway cannot run it: ${JSON.stringify(problem)}. ` +
        `To go on without it, start once with --remove-plugin ${String(plugin.id)}; if it is a plugin of your own, name its module with --plugin`,
    );
  }
}

/**
 * Takes plugins out of a database, by their ids.
 *
 * @throws GatewayError for one that is not there
 */
export function removePlugins(source: StoreSource, ids: readonly string[]): void {
  for (const id of ids) {
    if (source.store.delete('plugins', id).kind !== 'deleted') {
      throw new GatewayError('WG_GATEWAY_OPTION', `the database holds no plugin ${id}`);
    }
  }
}
