import {
  findDblessPluginSchema,
  findPluginSchema,
  parseSchema,
  type WireSchema,
} from '@waygate/kong';
import type { PluginDefinition } from '../plugin/plugin.ts';

/** Lets the schema of a plugin that Kong does not have be found like any other. */
export function ownSchemas(
  plugins: ReadonlyMap<string, PluginDefinition<unknown>>,
  hasDatabase: boolean,
) {
  const own = [...plugins.values()].filter((plugin) => plugin.schema !== undefined);
  if (own.length === 0) return {};
  const parsed = new Map(
    own.map((plugin) => [
      plugin.name,
      parseSchema(`plugin-${plugin.name}`, plugin.schema as unknown as WireSchema),
    ]),
  );
  const findOther = hasDatabase ? findPluginSchema : findDblessPluginSchema;
  return { pluginSchema: (name: string) => parsed.get(name) ?? findOther(name) };
}
