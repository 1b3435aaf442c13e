import { KongError } from '../kong-error.ts';
import type { EntitySchema } from '../schema/field-schema.ts';
import { findPluginSchema, parseSchema, type WireSchema } from '../schema/schema-catalog.ts';
import { runInParallel } from '../sync/run-in-parallel.ts';
import type { AdminClient } from './admin-client.ts';

/** The version whose schemas are built in. */
const builtInVersion = /^3\.9\./;

export type PluginSchemaFinder = (plugin: string) => EntitySchema | undefined;

/**
 * Asks a Kong of another version for the schemas of plugins, so that its own defaults decide what is
 * a difference. A plugin that the Kong does not know is taken as it is built in.
 */
export async function readPluginSchemas(
  client: AdminClient,
  version: string,
  plugins: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<PluginSchemaFinder> {
  if (builtInVersion.test(version)) return findPluginSchema;
  const schemas = new Map<string, EntitySchema>();
  const options = signal === undefined ? {} : { signal };
  await runInParallel([...plugins], 10, async (plugin) => {
    try {
      const path = `schemas/plugins/${encodeURIComponent(plugin)}`;
      const answer = (await client.send('GET', path, options)) as Partial<WireSchema> | undefined;
      if (Array.isArray(answer?.fields)) {
        schemas.set(plugin, parseSchema(`plugin-${plugin}`, answer as WireSchema));
      }
    } catch (error) {
      if (!(error instanceof KongError) || error.status !== 404) throw error;
    }
  });
  return (plugin) => schemas.get(plugin) ?? findPluginSchema(plugin);
}
