import { equalJson, getOwn, isObject, setOwn } from '@waygate/text';
import { identityOf, partitionByPresence } from './element-order.ts';
import type { PatchField, PatchSchema } from './strategic-merge-patch.ts';

type Fields = Record<string, unknown>;

/**
 * The strategic merge patch from a live object to a modified configuration, as `kubectl apply` and Helm
 * make it: what the configuration says and the live object does not is set, what the last configuration
 * said and this one does not is taken away, and what others have set stays. Empty when nothing is to do.
 *
 * ```ts
 * const schema = patchSchemaOf({ group: '', version: 'v1', kind: 'ConfigMap' });
 * const last = { data: { a: '1', b: '1' } };
 * const live = { data: { a: '1', b: '1', c: 'of another' } };
 * createThreeWayMergePatch(last, { data: { a: '2' } }, live, schema); // { data: { a: '2', b: null } }
 * ```
 */
export function createThreeWayMergePatch(
  original: unknown,
  modified: unknown,
  live: unknown,
  schema: PatchSchema | undefined,
): Fields {
  return diffMaps(mapOr(original), mapOr(modified), mapOr(live), schema, false);
}

function diffMaps(
  original: Fields,
  modified: Fields,
  live: Fields,
  schema: PatchSchema | undefined,
  retainsKeys: boolean,
): Fields {
  const patch: Fields = {};
  for (const [key, wanted] of Object.entries(modified)) {
    const field = schema?.field(key);
    const [before, last] = [getOwn(live, key), getOwn(original, key)];
    if (isObject(wanted) && isObject(before)) {
      if (field?.strategies.includes('replace') === true) setOwn(patch, key, wanted);
      else {
        const retains = field?.strategies.includes('retainKeys') === true;
        const inner = diffMaps(mapOr(last), wanted, before, field?.schema, retains);
        if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
      }
    } else if (Array.isArray(wanted) && Array.isArray(before) && isMerged(field)) {
      const lasts = Array.isArray(last) ? last : [];
      diffLists(patch, key, lasts, wanted, before, field);
    } else if (!Object.hasOwn(live, key) || !equalJson(before, wanted)) {
      setOwn(patch, key, wanted);
    }
  }
  for (const key of Object.keys(original)) {
    if (!Object.hasOwn(modified, key)) setOwn(patch, key, null);
  }
  if (retainsKeys) retainKeys(patch, original, modified, live);
  return patch;
}

/** Of a union, such as a Deployment's strategy, only what the configuration names stays. */
function retainKeys(patch: Fields, original: Fields, modified: Fields, live: Fields): void {
  const names = Object.keys(modified).filter((key) => modified[key] !== null);
  const hasMore = [original, live].some((fields) =>
    Object.keys(fields).some((key) => fields[key] !== null && !Object.hasOwn(modified, key)),
  );
  if (names.length > 0 && (hasMore || Object.keys(patch).length > 0)) {
    patch.$retainKeys = names.sort();
  }
}

function isMerged(field: PatchField | undefined): field is PatchField {
  return field?.strategies.includes('merge') === true;
}

function diffLists(
  patch: Fields,
  key: string,
  original: readonly unknown[],
  modified: readonly unknown[],
  live: readonly unknown[],
  field: PatchField,
): void {
  const { mergeKey } = field;
  const [, added] = partitionByPresence(modified, live, mergeKey);
  const [, removed] = partitionByPresence(original, modified, mergeKey);
  if (mergeKey === undefined || !modified.concat(live, original).some(isObject)) {
    if (added.length > 0) setOwn(patch, key, added);
    if (removed.length > 0) setOwn(patch, `$deleteFromPrimitiveList/${key}`, removed);
    const isChanged = live.length > 0 && !equalJson(live, modified);
    if (isChanged || removed.length > 0) setOwn(patch, `$setElementOrder/${key}`, modified);
    return;
  }
  const named = (items: readonly unknown[]) =>
    new Map(items.map((item) => [identityOf(item, mergeKey), mapOr(item)]));
  const [lasts, lives] = [named(original), named(live)];
  const changes: unknown[] = [];
  for (const item of modified) {
    const identity = identityOf(item, mergeKey);
    const before = lives.get(identity);
    if (before === undefined) {
      changes.push(item);
      continue;
    }
    const inner = diffMaps(lasts.get(identity) ?? {}, mapOr(item), before, field.schema, false);
    if (Object.keys(inner).length > 0) {
      changes.push({ ...inner, [mergeKey]: getOwn(mapOr(item), mergeKey) });
    }
  }
  for (const item of removed) {
    changes.push({ $patch: 'delete', [mergeKey]: getOwn(mapOr(item), mergeKey) });
  }
  if (changes.length > 0) setOwn(patch, key, changes);
  const keys = (items: readonly unknown[]) => items.map((item) => identityOf(item, mergeKey));
  const isOrdered = equalJson(keys(live), keys(modified));
  if (live.length > 0 && (changes.length > 0 || !isOrdered)) {
    const order = modified.map((item) => ({ [mergeKey]: getOwn(mapOr(item), mergeKey) }));
    if (order.length > 0) setOwn(patch, `$setElementOrder/${key}`, order);
  }
}

function mapOr(value: unknown): Fields {
  return isObject(value) ? value : {};
}
