import type { DynamicObject } from '@waygate/schema';
import { emptyObject } from '../typed-schema/empty-object.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import { FieldSet } from './field-set.ts';
import {
  capManagers,
  decodeManagers,
  encodeManagers,
  type Managers,
  ManagersProblem,
} from './managers.ts';
import { isSeenByOwners, type VersionSight } from './owner-versions.ts';
import { updateOwnership } from './ownership.ts';
import { TypedProblem } from './typed-value.ts';

/** What a resource says of its fields and whom they belong to. */
interface TrackedKind {
  readonly type: StructNode;
  readonly isCustom: boolean;
  readonly strategy: { readonly resetFields?: Readonly<Record<string, FieldSet>> };
  readonly custom?: { readonly problemInVersion: VersionSight };
}

interface Writer {
  readonly fieldManager: string;
  readonly subresource: string;
  readonly time: string;
}

/**
 * Records in `next.metadata.managedFields` who changed what, for all writes except apply.
 * An object that its own schema, or that of an owner, cannot explain has no owners from then on: what they had is not known any more.
 */
export function trackUpdate(
  resource: TrackedKind,
  live: Readonly<DynamicObject> | undefined,
  next: DynamicObject,
  writer: Writer,
): void {
  const managers = startingManagers(live, next, writer.subresource !== '');
  if (live !== undefined && !isTracked(managers, writer.subresource)) {
    setManagers(next, managers);
    return;
  }
  const before = live === undefined ? emptyLive(resource) : withoutManaged(live);
  const after = withoutManaged(next);
  if (!isSeenByOwners(before, after, managers, resource.custom?.problemInVersion)) {
    setManagers(next, new Map());
    return;
  }
  try {
    const result = updateOwnership(
      {
        live: before,
        managers,
        type: resource.type,
        reset: resource.strategy.resetFields?.[writer.subresource] ?? FieldSet.empty,
        manager: {
          manager: writer.fieldManager,
          operation: 'Update',
          apiVersion: next.apiVersion ?? '',
          subresource: writer.subresource,
        },
        // The scale endpoint leaves no time in its entries.
        time: writer.subresource === 'scale' ? undefined : writer.time,
      },
      after,
    );
    setManagers(next, capManagers(result.managers));
  } catch (error) {
    if (!(error instanceof TypedProblem)) throw error;
    setManagers(next, new Map());
  }
}

/**
 * Owners are kept from the creation of an object on; one that has none is not followed until
 * somebody applies to it. Seen through its scale, that holds for the replicas alone.
 */
function isTracked(managers: Managers, subresource: string): boolean {
  if (subresource !== 'scale') return managers.size > 0;
  return [...managers.values()].some(
    (manager) => manager.set.child('f:spec')?.child('f:replicas') !== undefined,
  );
}

export function emptyLive(resource: TrackedKind): Record<string, unknown> {
  return resource.isCustom ? {} : emptyObject(resource.type);
}

export function withoutManaged(object: Readonly<DynamicObject>): Record<string, unknown> {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function setManagers(object: DynamicObject, managers: Managers): void {
  if (managers.size === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = encodeManagers(managers);
}

/** A client may set the owners itself; one that does not know of them must not lose them. */
function startingManagers(
  live: Readonly<DynamicObject> | undefined,
  next: DynamicObject,
  ignoresRequest: boolean,
): Managers {
  const given = next.metadata.managedFields;
  if (!ignoresRequest && given !== undefined) {
    if (given.length === 1 && Object.keys(given[0] ?? {}).length === 0) return new Map();
    const decoded = tryDecode(given);
    if (decoded !== undefined && decoded.size > 0) return decoded;
  }
  return tryDecode(live?.metadata.managedFields) ?? new Map();
}

function tryDecode(entries: DynamicObject['metadata']['managedFields']): Managers | undefined {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof ManagersProblem) return undefined;
    throw error;
  }
}
