import { isObject } from '@waygate/text';
import type { JsonObject } from '../entity/entities.ts';
import { type EntityKind, entityKind } from '../entity/entity-kinds.ts';
import type { DeclaredEntity } from '../entity/flatten-declarative.ts';

/** The fields that tell one consumer from another. */
const names: readonly string[] = ['id', 'username', 'custom_id'];

/** What a consumer is called, each name with its field. */
function namesOf(consumer: JsonObject): readonly string[] {
  return names.flatMap((field) =>
    typeof consumer[field] === 'string' ? [`${field} ${consumer[field]}`] : [],
  );
}

/**
 * A consumer that stands in the list of a consumer group and nowhere else is declared there, with the
 * tags that it has in that place. One that is only named, and is another owner's, is not.
 */
export function declareMembers(
  declared: Map<EntityKind, DeclaredEntity[]>,
  isOthers: (consumer: JsonObject) => boolean,
): void {
  const kind = entityKind('consumers');
  const consumers = declared.get(kind) ?? [];
  const known = new Set(consumers.flatMap(({ item }) => namesOf(item)));
  for (const membership of declared.get(entityKind('consumer_group_consumers')) ?? []) {
    const item = membership.item.consumer;
    if (membership.parent?.field !== 'consumer_group' || !isObject(item)) continue;
    const own = namesOf(item);
    const isBare = Object.keys(item).every((field) => names.includes(field));
    if (own.some((name) => known.has(name)) || (isBare && isOthers(item))) continue;
    consumers.push({ ...membership, kind, item, parent: undefined, nested: [] });
    for (const name of own) known.add(name);
  }
  if (consumers.length > 0) declared.set(kind, consumers);
}
