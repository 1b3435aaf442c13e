import type { KongState } from '../translate/kong-state.ts';
import { objectFromTags } from '../translate/tags.ts';
import { entitiesOf, type PlainEntity, type PluginScopeField } from './entity-key.ts';

/** An entity as a gateway names it when it refuses it. */
export interface RefusedEntity {
  /** In the plural, as in the Admin API; nothing when the gateway did not say. */
  readonly collection?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tags: readonly string[];
  readonly entity?: Readonly<Record<string, unknown>>;
  /** By name, where it is known: what a plugin is on, or the parent of another entity. */
  readonly scope?: Partial<Record<PluginScopeField | 'upstream' | 'certificate', string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** The entities of a configuration that a refusal is about: as exactly as it can be told. */
export function locateRefused(state: KongState, refused: RefusedEntity): PlainEntity[] {
  const all = [...entitiesOf(state)];
  for (const isMeant of [byId, byScope, byName, byParent, byContent, byTags]) {
    const found = all.filter((one) => isMeant(one, refused));
    if (found.length > 0) return found;
  }
  return [];
}

function byId({ collection, entity }: PlainEntity, refused: RefusedEntity): boolean {
  const { id } = entity as Fields;
  return id !== undefined && id === refused.id && collection === refused.collection;
}

/** A plugin by what it is on. */
function byScope(one: PlainEntity, { collection, name, scope }: RefusedEntity): boolean {
  if (collection !== 'plugins' || one.collection !== 'plugins' || scope === undefined) return false;
  const own = (one.scope ?? one.entity) as Fields;
  if ((one.entity as Fields).name !== name) return false;
  return (['route', 'service', 'consumer', 'consumer_group'] as const).every(
    (field) => own[field] === scope[field],
  );
}

const labels: Readonly<Record<string, string>> = {
  services: 'name',
  routes: 'name',
  upstreams: 'name',
  consumer_groups: 'name',
  consumers: 'username',
  vaults: 'prefix',
};

function byName({ collection, entity }: PlainEntity, refused: RefusedEntity): boolean {
  const label = labels[collection];
  if (collection !== refused.collection || label === undefined) return false;
  const wanted = refused.entity?.[label] ?? refused.name;
  return wanted !== undefined && (entity as Fields)[label] === wanted;
}

/** Targets, credentials, memberships and names of certificates count as part of their parents. */
function byParent({ collection, key, entity }: PlainEntity, refused: RefusedEntity): boolean {
  const { scope = {}, entity: content = {}, tags } = refused;
  if (refused.collection === 'targets' && collection === 'targets') {
    if (scope.upstream !== undefined) return key === `targets ${scope.upstream}`;
    return (entity as readonly Fields[]).some(({ target }) => target === content.target);
  }
  if (refused.collection === 'snis' && collection === 'certificates') {
    const { snis = [] } = entity as { snis?: readonly Fields[] };
    return snis.some(({ name }) => name === (content.name ?? refused.name));
  }
  if (collection !== 'consumers' || refused.collection === 'consumers') return false;
  if (scope.consumer !== undefined && refused.collection !== 'plugins')
    return key === `consumers ${scope.consumer}`;
  const credentials = (entity as Fields)[refused.collection ?? ''];
  if (!Array.isArray(credentials)) return false;
  const text = JSON.stringify(tags);
  return credentials.some((one: Fields) => JSON.stringify(one.tags ?? []) === text);
}

/** Entities without a name: every field that we sent is in what was refused. */
function byContent({ collection, entity }: PlainEntity, refused: RefusedEntity): boolean {
  if (collection !== refused.collection || refused.entity === undefined) return false;
  const { entity: content } = refused;
  return Object.entries(entity).every(
    ([field, value]) => JSON.stringify(content[field]) === JSON.stringify(value),
  );
}

/** Whatever is made from the object that the tags name. */
function byTags({ entity }: PlainEntity, refused: RefusedEntity): boolean {
  const wanted = objectFromTags(refused.tags);
  if (wanted === undefined) return false;
  const own = objectFromTags((entity as { tags?: readonly string[] }).tags ?? []);
  return (
    own !== undefined &&
    own.kind === wanted.kind &&
    own.namespace === wanted.namespace &&
    own.name === wanted.name
  );
}
