import { errorLines, type JsonObject, type RouterFlavor, validateEntity } from '@waygate/kong';
import type { KongState } from '../translate/kong-state.ts';
import type { Problem } from '../translate/problem.ts';
import { referenceFromTags } from '../translate/tags.ts';
import { entitiesOf } from './entity-key.ts';
import type { RefusedEntity } from './locate-refused.ts';

/** Entities that are refused, with what is said on the objects that they are made from. */
export interface Located {
  readonly refused: readonly RefusedEntity[];
  readonly problems: readonly Problem[];
}

const checked: ReadonlySet<string> = new Set([
  'services',
  'routes',
  'upstreams',
  'plugins',
  'vaults',
  'ca_certificates',
]);

/**
 * Looks for entities that break the gateway's rules by our own copy of them. For refusals that do
 * not say which entity is meant, so that somebody can be held back rather than everybody.
 */
export function locateInvalid(state: KongState, routerFlavor: RouterFlavor): Located {
  const refused: RefusedEntity[] = [];
  const problems: Problem[] = [];
  for (const { collection, entity, scope } of entitiesOf(state)) {
    if (!checked.has(collection)) continue;
    const { errors } = validateEntity(collection, plain(collection, entity), {
      routerFlavor,
      database: 'off',
    });
    if (errors === undefined) continue;
    const { id, name, tags = [] } = entity as { id?: string; name?: string; tags?: string[] };
    refused.push({
      collection,
      tags,
      entity: entity as Record<string, unknown>,
      ...(id && { id }),
      ...(name && { name }),
      ...(collection === 'plugins' && { scope: scope ?? (entity as object) }),
    });
    const object = referenceFromTags(tags);
    if (object === undefined) continue;
    for (const line of errorLines(errors))
      problems.push({ object, message: `invalid ${collection}: ${line}` });
  }
  return { refused, problems };
}

/** Without references by name, which the schemas have by id. */
function plain(collection: string, entity: object): JsonObject {
  if (collection === 'services') {
    const { client_certificate: _, ...service } = entity as Record<string, unknown>;
    return service as JsonObject;
  }
  if (collection !== 'plugins') return entity as JsonObject;
  const {
    service: _s,
    route: _r,
    consumer: _c,
    consumer_group: _g,
    ...plugin
  } = entity as Record<string, unknown>;
  return plugin as JsonObject;
}
