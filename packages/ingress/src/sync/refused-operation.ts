import type { CollectionName, KongEntities, Operation } from '@waygate/kong';
import type { RefusedEntity } from '../fallback/locate-refused.ts';
import type { Problem } from '../translate/problem.ts';
import { referenceFromTags } from '../translate/tags.ts';
import type { SyncOutcome } from './gateway-sync.ts';

const parents = {
  route: 'routes',
  service: 'services',
  consumer: 'consumers',
  consumer_group: 'consumer_groups',
  upstream: 'upstreams',
  certificate: 'certificates',
} as const satisfies Record<string, CollectionName>;

/** A write that a database refused, as the entity of ours that it is about. */
export function refusedOperation(
  { collection, id, after = { id } }: Pick<Operation, 'collection' | 'id' | 'after'>,
  target: KongEntities,
): RefusedEntity {
  const scope: Record<string, string> = {};
  for (const [field, parent] of Object.entries(parents)) {
    const reference = after[field] as { id?: string } | null | undefined;
    const entity = reference?.id === undefined ? undefined : target.get(parent, reference.id);
    const name = entity?.name ?? entity?.username ?? entity?.custom_id ?? entity?.id;
    if (typeof name === 'string') scope[field] = name;
  }
  return {
    collection,
    id,
    scope,
    tags: (after.tags ?? []) as readonly string[],
    entity: after,
    ...(typeof after.name === 'string' && { name: after.name }),
  };
}

/** The outcome of a sync that entities were refused in, each with what was said of it. */
export function rejectedBecause(
  refusals: readonly (RefusedEntity & { readonly label: string; readonly message: string })[],
  error: Error,
): SyncOutcome {
  const problems: Problem[] = [];
  const unexplained: string[] = [];
  for (const { collection, tags, label, message } of refusals) {
    const object = referenceFromTags(tags);
    if (object === undefined) unexplained.push(`${collection} ${label}`);
    else
      problems.push({
        object,
        message: `invalid ${collection}:${label}: ${message}`,
      });
  }
  return { kind: 'rejected', rejection: { problems, refused: refusals, unexplained }, error };
}
