import { type CollectionName, maskEntity, type StoredEntity } from '@waygate/kong';
import type { DynamicObject } from '@waygate/schema';
import { printYaml } from '@waygate/text';
import type { EntityDiff, ObjectDiff } from '../protocol/changes.ts';
import type { RecordedEntity, RecordedObject } from './happening.ts';
import { maskedConfig, maskedStates } from './masked-object.ts';

const longestText = 64 * 1024;

/**
 * What a change did to an object, masked, as text.
 *
 * ```ts
 * const object = { group: '', version: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' };
 * const after = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'shop' }, data: { key: 'aHVudGVyMg==' } };
 * objectDiffOf({ object, action: 'created', after }).after; // "apiVersion: v1\ndata:\n  key: '***'\nkind: Secret\nmetadata:\n  name: key\n  namespace: shop\n"
 * ```
 */
export function objectDiffOf({ object, action, before, after }: RecordedObject): ObjectDiff {
  const [old, now] = maskedStates(before, action === 'deleted' ? undefined : after);
  return { object, action, before: yamlOf(old), after: yamlOf(now) };
}

function yamlOf(object: DynamicObject | undefined): string {
  if (object === undefined) return '';
  const { status: _status, ...rest } = object as DynamicObject & { readonly status?: unknown };
  const {
    resourceVersion: _version,
    generation: _generation,
    uid: _uid,
    creationTimestamp: _time,
    ...metadata
  } = rest.metadata;
  return printYaml({ ...rest, metadata } as never).slice(0, longestText);
}

/**
 * What a change did to an entity of a gateway, masked, as text.
 *
 * ```ts
 * const before = { id: 'a', name: 'shop', host: 'shop', port: 80 };
 * entityDiffOf({ collection: 'services', name: 'shop', before, after: { ...before, port: 81 } }).after; // 'host: shop\nid: a\nname: shop\nport: 81\n'
 * ```
 */
export function entityDiffOf({
  collection,
  name,
  before,
  after,
}: Pick<RecordedEntity, 'name' | 'before' | 'after'> & {
  readonly collection: CollectionName;
}): EntityDiff {
  const action = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
  const text = (entity: StoredEntity | undefined): string => {
    if (entity === undefined) return '';
    const { created_at: _created, updated_at: _updated, ...shown } = maskEntity(collection, entity);
    const config =
      collection === 'plugins' && shown.config !== undefined
        ? { config: maskedConfig(String(shown.name ?? ''), shown.config) }
        : {};
    return printYaml({ ...shown, ...config } as never).slice(0, longestText);
  };
  return { kind: collection, name, action, before: text(before), after: text(after) };
}
