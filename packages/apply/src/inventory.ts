import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { sortBy } from './apply-order.ts';
import { type ObjectId, objectIdOf, parseObjectId, printObjectId } from './object-id.ts';

/** One object that was applied: which, and in what version. */
export interface InventoryEntry {
  readonly id: string;
  readonly v: string;
}

/** What an applier keeps in the status of its owner, so that it can delete what is no longer wanted. */
export interface Inventory {
  readonly entries: readonly InventoryEntry[];
}

/** Of somebody who has applied nothing. */
export const emptyInventory: Inventory = { entries: [] };

/**
 * An object as inventories name it.
 *
 * ```ts
 * inventoryEntryOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }); // { id: 'shop_web_apps_Deployment', v: 'v1' }
 * ```
 */
export function inventoryEntryOf(object: KubeObject): InventoryEntry {
  return {
    id: printObjectId(objectIdOf(object)),
    v: parseApiVersion(object.apiVersion ?? '').version,
  };
}

/**
 * The inventory of a set of objects, in the order given; an object that is there twice counts once.
 *
 * ```ts
 * inventoryOf([{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }]).entries; // [{ id: 'shop_web_apps_Deployment', v: 'v1' }]
 * ```
 */
export function inventoryOf(objects: readonly KubeObject[]): Inventory {
  return mergeInventories({ entries: objects.map(inventoryEntryOf) }, emptyInventory);
}

/**
 * All of the first, and those of the second that the first does not have.
 *
 * ```ts
 * const web = { entries: [{ id: 'shop_web_apps_Deployment', v: 'v1' }] };
 * mergeInventories(web, web).entries.length; // 1
 * ```
 */
export function mergeInventories(first: Inventory, second: Inventory): Inventory {
  const byId = new Map<string, InventoryEntry>();
  for (const entry of first.entries) byId.set(entry.id, entry);
  for (const entry of second.entries) if (!byId.has(entry.id)) byId.set(entry.id, entry);
  return { entries: [...byId.values()] };
}

/** An inventory entry, taken apart. */
export interface InventoryObject extends ObjectId {
  readonly version: string;
}

/**
 * What the old inventory has and the new has not, in the order of applying. Versions do not count.
 *
 * ```ts
 * const before = inventoryOf([{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }]);
 * staleEntries(before, emptyInventory).length; // 1
 * ```
 */
export function staleEntries(old: Inventory, wanted: Inventory): InventoryObject[] {
  const kept = new Set(wanted.entries.map(({ id }) => normalizedId(id)));
  const seen = new Set<string>();
  const stale = old.entries.filter(({ id }) => {
    const normal = normalizedId(id);
    if (kept.has(normal) || seen.has(normal)) return false;
    seen.add(normal);
    return true;
  });
  return sortBy(
    stale.map(({ id, v }) => ({ ...parseObjectId(id), version: v })),
    (one) => one,
  );
}

/**
 * All of an inventory, in the order of applying; entries that cannot be read are left out.
 *
 * ```ts
 * inventoryObjects({ entries: [{ id: 'shop_web_apps_Deployment', v: 'v1' }] }).length; // 1
 * ```
 */
export function inventoryObjects(inventory: Inventory): InventoryObject[] {
  return staleEntries(inventory, emptyInventory);
}

function normalizedId(id: string): string {
  try {
    return printObjectId(parseObjectId(id));
  } catch {
    return id;
  }
}
