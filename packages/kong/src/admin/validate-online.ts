import type { JsonObject } from '../entity/entities.ts';
import { type CollectionName, entityKinds } from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import type { KongEntities } from '../sync/kong-entities.ts';
import { runInParallel } from '../sync/run-in-parallel.ts';
import type { AdminClient } from './admin-client.ts';

export interface ValidateOnlineOptions {
  /** How many entities are asked about at a time; 10 unless told. */
  readonly parallelism?: number;
  /** Only these kinds. */
  readonly collections?: ReadonlySet<CollectionName>;
  readonly signal?: AbortSignal;
}

/** What Kong would say is the name of the entity: its `name`, of those kinds that have one. */
function nameOf(collection: CollectionName, entity: JsonObject): string {
  const isNamed = collection !== 'targets' && typeof entity.name === 'string';
  return String(isNamed ? entity.name : entity.id);
}

/**
 * Asks a Kong what it has against the entities of a state, one by one, without writing any: its
 * version, its plugins and its own schemas decide. The problems come back in the order of the kinds.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const state = new KongEntities();
 * state.put('plugins', { id: 'a', name: 'no-such-plugin' });
 * for (const problem of await validateOnline(client, state)) console.error(problem);
 * ```
 */
export async function validateOnline(
  client: AdminClient,
  state: KongEntities,
  options: ValidateOnlineOptions = {},
): Promise<readonly string[]> {
  const work = entityKinds
    .filter((kind) => kind.isMembership !== true)
    .filter(({ collection }) => options.collections?.has(collection) ?? true)
    .flatMap(({ collection }) =>
      [...state.values(collection)].map((entity) => ({ collection, entity })),
    );
  const problems: (string | undefined)[] = [];
  const entries = [...work.entries()];
  await runInParallel(entries, options.parallelism ?? 10, async ([index, item]) => {
    const { collection, entity } = item;
    const { signal } = options;
    try {
      await client.send('POST', `schemas/${collection}/validate`, {
        body: entity,
        ignoresAnswer: true,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof KongError) || error.code !== 'WG_KONG_HTTP') throw error;
      const place = `${collection} (${nameOf(collection, entity)})`;
      problems[index] = `validate entity '${place}': ${error.message}`;
    }
  });
  return problems.filter((problem) => problem !== undefined);
}
