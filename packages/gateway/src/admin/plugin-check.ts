import type { JsonObject } from '@waygate/kong';
import type { ConfigProblems } from '../plugin/config-schema.ts';
import type { PluginDefinition } from '../plugin/plugin.ts';

/** Asks a plugin that has rules of its own what it has against a configuration. */
export function pluginCheck(
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
): (schemaName: string, entity: JsonObject) => { config: ConfigProblems } | undefined {
  return (schemaName, { name, config }) => {
    if (schemaName !== 'plugins') {
      return undefined;
    }
    const problems = plugins.get(String(name))?.check?.(config);
    return problems === undefined ? undefined : { config: problems };
  };
}
