import type { DynamicObject } from '@waygate/schema';
import type { Entry } from '../storage/entry.ts';
import type { Store } from '../storage/store.ts';
import { apiVersionText, type Resource } from './resource.ts';

/** Whether the bytes in the store are what is served. */
export function isServedAsStored(entry: Entry, resource: Resource): boolean {
  const { strategy, custom } = resource;
  return strategy.fromStorage === undefined && (custom?.reading.isAsStored(entry) ?? true);
}

/** An entry in the version of the resource, without kind and apiVersion, owned by the caller. */
export function readEntry(entry: Entry, resource: Resource): DynamicObject {
  if (resource.custom !== undefined) return resource.custom.reading.read(entry);
  const copy = entry.copy();
  return resource.strategy.fromStorage?.(copy) ?? copy;
}

/** An entry as an object of the resource, owned by the caller. */
export function fromEntry(entry: Entry, resource: Resource): DynamicObject {
  return {
    kind: resource.kind,
    apiVersion: apiVersionText(resource),
    ...readEntry(entry, resource),
  };
}

/** Has a webhook convert what is about to be read, where there is one. */
export async function prepareEntries(resource: Resource, entries: Iterable<Entry>): Promise<void> {
  await resource.custom?.reading.prepare?.(entries);
}

/**
 * Writes an object in the version in which its kind is stored, and returns it in its own again.
 * Throws a StoreConflict when another write came first.
 */
export async function writeObject(
  core: { readonly store: Store },
  resource: Resource,
  place: { readonly key: string; readonly expected: Entry | undefined; readonly maxBytes?: number },
  object: DynamicObject,
): Promise<DynamicObject> {
  const convert = resource.custom?.reading.toStorage;
  const stored =
    convert === undefined
      ? (resource.strategy.toStorage?.(object) ?? object)
      : await convert(object);
  const entry = await core.store.write({
    collection: resource.collection,
    ...place,
    object: stored,
    ...(resource.isCustom ? { storedVersion: resource.storageVersion } : {}),
  });
  await prepareEntries(resource, [entry]);
  return fromEntry(entry, resource);
}
