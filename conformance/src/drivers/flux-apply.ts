import {
  type CleanupPatch,
  type FieldManager,
  hasAnyInMetadata,
  type IgnoreRule,
  ignoredPaths,
  isImmutableMessage,
  managedFieldsCleanup,
  maskedSecrets,
  metadataCleanup,
  objectIdOf,
  parseObjectId,
  parseStageKinds,
  printObjectId,
  readObjects,
  removeField,
  sortForApply,
  sortForDelete,
  stageOf,
  staleEntries,
  subjectOfObject,
  typedObject,
  withCommonMetadata,
} from '@waygate/apply';
import { withOutcome } from '@waygate/gitops';
import type { DynamicObject } from '@waygate/schema';
import { cloneJson, equalJson, isObject } from '@waygate/text';
import { type Check, compare, type FluxCase } from './flux-case.ts';

const objectOf = (one: FluxCase) => one.object as DynamicObject;
const idOf = (object: DynamicObject) => printObjectId(objectIdOf(object));
const inventory = (ids: unknown) => ({
  entries: (ids as string[]).map((id) => ({ id, v: 'v1' })),
});

const order: Check = (one) =>
  compare(one, () => {
    if (one.fn === 'stage') {
      return stageOf(objectOf(one), parseStageKinds(String(one.customStageKinds ?? '')));
    }
    const objects = one.objects as DynamicObject[];
    return (one.reverse === true ? sortForDelete(objects) : sortForApply(objects)).map(idOf);
  });

const inventories: Check = (one) =>
  compare(one, () => {
    switch (one.fn) {
      case 'parseid': {
        const { namespace, name, group, kind } = parseObjectId(String(one.name));
        const roundtrip = printObjectId({ namespace, name, group, kind });
        return { namespace, name, group, kind, roundtrip };
      }
      case 'makeid':
        return printObjectId(one as never);
      default: {
        const stale = staleEntries(inventory(one.old), inventory(one.new)).map(printObjectId);
        return { stale, deleteOrder: [...stale].reverse() };
      }
    }
  });

const utilities: Check = (one) =>
  compare(one, () => {
    switch (one.fn) {
      case 'fmt':
        return subjectOfObject(objectOf(one));
      case 'anyinmetadata':
        return hasAnyInMetadata(objectOf(one), one.selector as Record<string, string>);
      case 'commonmetadata':
        return withCommonMetadata(objectOf(one), {
          labels: one.labels as Record<string, string>,
          annotations: one.annotations as Record<string, string>,
        });
      case 'readobjects':
        return readObjects(String(one.input)).map(idOf);
      default:
        return isImmutableMessage(String(one.error));
    }
  });

const cleanup: Check = (one) =>
  compare(
    one,
    (): CleanupPatch[] | null | object => {
      switch (one.fn) {
        case 'cleanup':
          return metadataCleanup(
            objectOf(one),
            one.annotations as string[],
            (one.labels ?? []) as string[],
          );
        case 'removemanagers': {
          const managers = one.managers as FieldManager[];
          return managedFieldsCleanup(objectOf(one), managers, String(one.owner)) ?? null;
        }
        default: {
          const [old, now] = maskedSecrets(one.old as DynamicObject, one.new as DynamicObject);
          return { old, new: now };
        }
      }
    },
    (actual, expected) => equalJson(withJoinedEntries(actual), withJoinedEntries(expected)),
  );

/**
 * Patches of managed fields with one entry for each manager and operation: to the API server two are
 * the same as one with the fields of both, and Flux at times leaves two.
 */
function withJoinedEntries(patches: unknown): unknown {
  if (!Array.isArray(patches)) return patches;
  return patches.map((patch: { readonly value?: unknown }) => {
    if (!Array.isArray(patch.value)) return patch;
    const joined = new Map<string, Record<string, unknown>>();
    for (const { fieldsV1, ...rest } of patch.value as Record<string, unknown>[]) {
      const key = JSON.stringify([rest.manager, rest.operation, rest.apiVersion, rest.subresource]);
      const known = joined.get(key)?.fieldsV1;
      joined.set(key, { ...rest, fieldsV1: joinedFields(known, fieldsV1) });
    }
    return { ...patch, value: [...joined.values()] };
  });
}

function joinedFields(left: unknown, right: unknown): unknown {
  if (!isObject(left) || !isObject(right)) return right ?? left;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...keys].map((key) => [key, joinedFields(left[key], right[key])]));
}

const ignoring: Check = (one) =>
  compare(one, () => {
    const object = cloneJson(objectOf(one));
    const matched = ignoredPaths(object, one.rules as IgnoreRule[]);
    for (const path of matched) removeField(object, path);
    return { matched: matched.length === 0 ? null : matched, object };
  });

const history: Check = (one) =>
  compare(one, () => {
    let entries: ReturnType<typeof withOutcome> = [];
    for (const [index, upsert] of (one.upserts as Record<string, never>[]).entries()) {
      const { digest = '', status = '', metadata } = upsert as Record<string, string | undefined>;
      entries = withOutcome(entries, {
        digest,
        status,
        time: `2026-01-01T00:0${index}:00Z`,
        duration: '1s',
        metadata: metadata as unknown as Record<string, string>,
      });
    }
    return entries;
  });

export const applyChecks: Readonly<Record<string, Check>> = {
  'ssa-order': order,
  inventory: inventories,
  'ssa-utils': utilities,
  'ssa-cleanup': cleanup,
  'ssa-normalize': (one) => compare(one, () => typedObject(objectOf(one))),
  'drift-ignore': ignoring,
  history,
};
