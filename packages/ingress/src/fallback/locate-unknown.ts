import type { KongCustomEntityResource } from '../objects/kong-resources.ts';
import { referenceTo } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import type { KongState } from '../translate/kong-state.ts';
import type { Problem } from '../translate/problem.ts';
import { referenceFromTags } from '../translate/tags.ts';
import { entitiesOf } from './entity-key.ts';
import type { Located } from './locate-invalid.ts';
import type { RefusedEntity } from './locate-refused.ts';

/** Collections that a document has in the place of what belongs to the entities of another one. */
const partOf: Readonly<Record<string, string>> = { consumer_group_consumers: 'consumer_groups' };

/**
 * Who asks for entities of collections that a gateway does not have: consumer groups of a Kong that
 * is not Enterprise, or entities of a plugin that is not installed. They must not stop the others.
 */
export function locateUnknown(
  collections: readonly string[],
  state: KongState,
  reader: ObjectReader,
): Located {
  const problems: Problem[] = [];
  const refused: RefusedEntity[] = [];
  const names = new Map(collections.map((name) => [partOf[name] ?? name, name]));
  const messageOf = (collection: string) => `the gateway has no ${names.get(collection)}`;
  for (const { collection, entity } of entitiesOf(state)) {
    if (!names.has(collection)) continue;
    const { id, name, tags = [] } = entity as { id?: string; name?: string; tags?: string[] };
    const content = entity as Record<string, unknown>;
    refused.push({ collection, tags, entity: content, ...(id && { id }), ...(name && { name }) });
    const object = referenceFromTags(tags);
    if (object !== undefined) problems.push({ object, message: messageOf(collection) });
  }
  for (const custom of reader.list<KongCustomEntityResource>('KongCustomEntity')) {
    const { type = '' } = custom.spec ?? {};
    if (names.has(type))
      problems.push({
        object: referenceTo(custom),
        field: 'spec.type',
        message: messageOf(type),
      });
  }
  return { refused, problems };
}
