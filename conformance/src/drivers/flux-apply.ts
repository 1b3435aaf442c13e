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
  normalizeObject,
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
  withCommonMetadata,
} from '@waygate/apply';
import { withOutcome } from '@waygate/gitops';
import { cloneJson, type DynamicObject } from '@waygate/schema';
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
  compare(one, (): CleanupPatch[] | null | object => {
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
  });

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
  'ssa-normalize': (one) => compare(one, () => normalizeObject(objectOf(one))),
  'drift-ignore': ignoring,
  history,
};
