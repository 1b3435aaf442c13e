import { type JsonObject, pluginNames } from '@waygate/kong';
import type { ConfigProblems } from '../plugin/config-schema.ts';
import type { PluginDefinition } from '../plugin/plugin.ts';

/** Asks a plugin that has rules of its own what it has against a configuration. */
export function pluginCheck(
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
): (schemaName: string, entity: JsonObject) => { config: ConfigProblems } | undefined {
  return (schemaName, { name, config }) => {
    if (schemaName !== 'plugins') return undefined;
    const problems = plugins.get(String(name))?.check?.(config);
    return problems === undefined ? undefined : { config: problems };
  };
}

/** The names of plugins that Kong's lists have: Kong's own, and the user's. */
export function listedPlugins(
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
): readonly string[] {
  const listed = [...plugins.values()].filter(({ isUnlisted }) => isUnlisted !== true);
  return [...new Set([...pluginNames(), ...listed.map(({ name }) => name)])];
}
