import { entityKinds } from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import type { EntitySchema } from '../schema/field-schema.ts';
import { findPluginSchema, parseSchema, type WireSchema } from '../schema/schema-catalog.ts';
import type { KongEntities } from '../sync/kong-entities.ts';
import { runInParallel } from '../sync/run-in-parallel.ts';
import type { AdminClient } from './admin-client.ts';

/** The version whose schemas are built in: Kong Enterprise, of four numbers, has fields of its own. */
const builtInVersion = /^3\.9\.\d+(?![.\d])/;

export type PluginSchemaFinder = (plugin: string) => EntitySchema | undefined;

/** The schemas of a Kong: what decides on its defaults, and so on what is a difference. */
export interface ServerSchemas {
  readonly pluginSchema: PluginSchemaFinder;
  /** None of a kind that the Kong tells nothing of: it is taken as it is built in. */
  readonly entitySchema?: (name: string) => EntitySchema | undefined;
}

/** Asks for schemas by path, many at a time; what the Kong does not know is left out. */
async function readSchemas(
  client: AdminClient,
  names: readonly string[],
  pathOf: (name: string) => string,
  nameOf: (name: string) => string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, EntitySchema>> {
  const schemas = new Map<string, EntitySchema>();
  const options = signal === undefined ? {} : { signal };
  await runInParallel(names, 10, async (name) => {
    try {
      const answer = (await client.send('GET', pathOf(name), options)) as
        | Partial<WireSchema>
        | undefined;
      if (Array.isArray(answer?.fields)) {
        schemas.set(name, parseSchema(nameOf(name), answer as WireSchema));
      }
    } catch (error) {
      if (!(error instanceof KongError) || error.code !== 'WG_KONG_HTTP') throw error;
      if ((error.status ?? 500) >= 500) throw error;
    }
  });
  return schemas;
}

/**
 * Asks a Kong for the schemas of plugins that are not built in, and one of another version for those of
 * all, so that its own defaults decide what is a difference. A plugin that the Kong does not know is taken
 * as it is built in.
 */
async function readPluginSchemas(
  client: AdminClient,
  version: string,
  plugins: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<PluginSchemaFinder> {
  const isBuiltIn = builtInVersion.test(version);
  const schemas = await readSchemas(
    client,
    [...plugins].filter((plugin) => !isBuiltIn || findPluginSchema(plugin) === undefined),
    (plugin) => `schemas/plugins/${encodeURIComponent(plugin)}`,
    (plugin) => `plugin-${plugin}`,
    signal,
  );
  return (plugin) => schemas.get(plugin) ?? findPluginSchema(plugin);
}

/**
 * The schemas of everything that two states hold, as far as they are not built in.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const state = await readState(client);
 * const { version } = await client.info();
 * withoutDefaults(state, await readServerSchemas(client, version, state, state));
 * ```
 */
export async function readServerSchemas(
  client: AdminClient,
  version: string,
  current: KongEntities,
  target: KongEntities,
  signal?: AbortSignal,
): Promise<ServerSchemas> {
  const plugins = new Set(
    [...current.values('plugins'), ...target.values('plugins')].flatMap(({ name }) =>
      typeof name === 'string' ? [name] : [],
    ),
  );
  const pluginSchema = await readPluginSchemas(client, version, plugins, signal);
  if (builtInVersion.test(version)) return { pluginSchema };
  const kinds = entityKinds
    .filter((kind) => kind.isMembership !== true && target.count(kind.collection) > 0)
    .map((kind) => kind.collection as string);
  const same = (name: string) => name;
  const entities = await readSchemas(client, kinds, (name) => `schemas/${name}`, same, signal);
  return { pluginSchema, entitySchema: (name) => entities.get(name) };
}
