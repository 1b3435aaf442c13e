import type { ManagedFieldsEntry } from '@waygate/schema';
import { FieldSet } from './field-set.ts';

/** Who wrote which fields, how, and when last. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** The managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Manager>;

/** An applier keeps its identity across API versions; an updater is one per version. */
export function managerIdentity(manager: Omit<Manager, 'set' | 'time'>): string {
  const version = manager.operation === 'Apply' ? '' : manager.apiVersion;
  return `${manager.operation}\n${manager.manager}\n${version}\n${manager.subresource}`;
}

/** An entry that cannot be read, with the API's words for why. */
export class ManagersProblem extends Error {
  override readonly name = 'ManagersProblem';
  /**
   * An entry of managedFields cannot be read. The client gets a Status with the API's words; send
   * an empty list to reset it.
   */
  readonly code = 'WG_APISERVER_MANAGED_FIELDS';
}

export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const managers = new Map<string, Manager>();
  for (const entry of entries ?? []) {
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      throw new ManagersProblem('operation must be `Apply` or `Update`');
    }
    if (entry.fieldsType !== 'FieldsV1')
      throw new ManagersProblem('missing fieldsType in managed fields entry');
    const manager: Manager = {
      manager: entry.manager ?? '',
      operation: entry.operation,
      apiVersion: entry.apiVersion ?? '',
      subresource: entry.subresource ?? '',
      time: entry.time,
      set: FieldSet.fromJson(entry.fieldsV1),
    };
    managers.set(managerIdentity(manager), manager);
  }
  return managers;
}

export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareManagers).map((manager) => ({
    manager: manager.manager,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: manager.set.toJson(),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  }));
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const maxUpdateManagers = 10;

/** Folds the oldest updaters into one, so that an object that many write to does not grow without end. */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers.entries()]
    .filter(([, manager]) => manager.operation === 'Update' && manager.subresource === '')
    .sort(([, a], [, b]) => compareText(a.time ?? '', b.time ?? ''));
  let surplus = updaters.length - maxUpdateManagers;
  if (surplus <= 0) return managers;
  const result = new Map(managers);
  const buckets = new Map<string, Manager>();
  for (const [identity, manager] of updaters) {
    if (surplus <= 0) break;
    result.delete(identity);
    const bucket = buckets.get(manager.apiVersion);
    // The first of a version becomes the bucket; it makes room only when a second joins it.
    if (bucket !== undefined) surplus--;
    buckets.set(manager.apiVersion, {
      ...manager,
      manager: 'ancient-changes',
      time: manager.time,
      set: bucket === undefined ? manager.set : bucket.set.union(manager.set),
    });
  }
  for (const bucket of buckets.values()) result.set(managerIdentity(bucket), bucket);
  return result;
}
