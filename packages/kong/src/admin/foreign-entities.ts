import type { JsonObject } from '../entity/entities.ts';
import { entityKind } from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import type { Operation } from '../sync/operation.ts';
import { runInParallel } from '../sync/run-in-parallel.ts';
import type { TargetProblem } from '../sync/target-problem.ts';
import type { AdminClient } from './admin-client.ts';

/**
 * What would be created with an id that the Kong has already: the entity of another owner, which has not
 * our tags and so was not read. A write by its id would take it over.
 */
export async function findForeignEntities(
  client: AdminClient,
  creations: readonly Operation[],
  options: { readonly parallelism?: number; readonly signal?: AbortSignal } = {},
): Promise<readonly TargetProblem[]> {
  const problems: TargetProblem[] = [];
  const asked = creations.filter(({ collection }) => entityKind(collection).path !== undefined);
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  await runInParallel(asked, options.parallelism ?? 10, async ({ collection, id, label }) => {
    const { path, noun } = entityKind(collection);
    try {
      const found = (await client.send('GET', `${path}/${id}`, signal)) as JsonObject | undefined;
      if (found?.id !== id) return;
    } catch (error) {
      if (error instanceof KongError && (error.status ?? 500) < 500) return;
      throw error;
    }
    const message = `error: ${noun} with ID ${id} already exists`;
    problems.push({ collection, object: label, field: 'id', message });
  });
  return problems.sort((one, two) => (one.message < two.message ? -1 : 1));
}
