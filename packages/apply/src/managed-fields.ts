import type { KubeObject, ManagedFieldsEntry } from '@waygate/schema';
import { cloneJson, isObject, printJsonPointer } from '@waygate/text';

/** Somebody who owns fields, by name and way of writing. */
export interface FieldManager {
  /** A prefix: `kubectl` is also `kubectl-edit`. */
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
}

/** One operation of a JSON patch that takes away what others left behind. */
export type CleanupPatch =
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'replace'; readonly path: string; readonly value: unknown };

/**
 * Who wrote objects before us, by hand or by an earlier generation. What they own becomes ours, so
 * that a field that they set and the source does not have goes away with the next apply.
 *
 * ```ts
 * const managers = replacedManagers('kustomize-controller', ['kubectl']);
 * ```
 */
export function replacedManagers(owner: string, further: readonly string[] = []): FieldManager[] {
  return [
    { name: 'kubectl', operation: 'Apply' },
    { name: 'kubectl', operation: 'Update' },
    { name: 'before-first-apply', operation: 'Update' },
    { name: owner, operation: 'Update' },
    ...further.flatMap((name): FieldManager[] => [
      { name, operation: 'Apply' },
      { name, operation: 'Update' },
    ]),
  ];
}

const removedAnnotations: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kustomize.toolkit.fluxcd.io/checksum',
  'fluxcd.io/sync-checksum',
];

const removedLabels: readonly string[] = ['fluxcd.io/sync-gc-mark'];

/**
 * JSON patch operations that take other tools' marks off an object.
 *
 * ```ts
 * const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
 * const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations } };
 * metadataCleanup(object).map(({ op, path }) => `${op} ${path}`); // ['remove /metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration']
 * ```
 */
export function metadataCleanup(
  object: KubeObject,
  annotations: readonly string[] = removedAnnotations,
  labels: readonly string[] = removedLabels,
): CleanupPatch[] {
  const patches: CleanupPatch[] = [];
  for (const [field, keys] of [
    ['annotations', annotations],
    ['labels', labels],
  ] as const) {
    const map = object.metadata[field];
    if (map === undefined || map === null) continue;
    for (const key of keys) {
      if (Object.hasOwn(map, key)) {
        patches.push({ op: 'remove', path: printJsonPointer(['metadata', field, key]) });
      }
    }
  }
  return patches;
}

/**
 * The patch that hands the fields of other managers to the owner's Apply entry; undefined when none
 * of them owns anything. The version of the owner's entry, or of the first taken over, is kept.
 *
 * ```ts
 * const fieldsV1 = { 'f:data': { 'f:color': {} } };
 * const managedFields = [{ manager: 'kubectl', operation: 'Update' as const, apiVersion: 'v1', fieldsV1 }];
 * const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields } };
 * const patch = managedFieldsCleanup(object, [{ name: 'kubectl', operation: 'Update' }], 'my-tool');
 * patch?.map(({ path }) => path); // ['/metadata/managedFields']
 * ```
 */
export function managedFieldsCleanup(
  object: KubeObject,
  managers: readonly FieldManager[],
  owner: string,
): CleanupPatch[] | undefined {
  const entries = object.metadata.managedFields ?? [];
  const isTaken = (entry: ManagedFieldsEntry) =>
    (entry.subresource ?? '') === '' &&
    managers.some(
      ({ name, operation }) =>
        entry.operation === operation && (entry.manager ?? '').startsWith(name),
    );
  const taken = entries.filter(isTaken);
  if (taken.length === 0) return undefined;
  const isOurs = (entry: ManagedFieldsEntry) =>
    entry.manager === owner && entry.operation === 'Apply' && (entry.subresource ?? '') === '';
  const ours = entries.find(isOurs);
  let fields: unknown = {};
  for (const entry of ours === undefined ? taken : [ours, ...taken]) {
    fields = uniteFieldSets(fields, entry.fieldsV1 ?? {});
  }
  const united: ManagedFieldsEntry = {
    manager: owner,
    operation: 'Apply',
    ...pick(ours ?? (taken[0] as ManagedFieldsEntry)),
    fieldsType: 'FieldsV1',
    fieldsV1: fields as Record<string, unknown>,
  };
  const kept: ManagedFieldsEntry[] = [];
  for (const entry of entries) {
    if (isOurs(entry) || (ours === undefined && entry === taken[0])) kept.push(united);
    else if (!isTaken(entry)) kept.push(entry);
  }
  return [{ op: 'replace', path: '/metadata/managedFields', value: kept }];
}

function pick(entry: ManagedFieldsEntry): Pick<ManagedFieldsEntry, 'apiVersion' | 'time'> {
  return {
    ...(entry.apiVersion === undefined ? {} : { apiVersion: entry.apiVersion }),
    ...(entry.time === undefined ? {} : { time: entry.time }),
  };
}

/** The union of two sets of fields in the FieldsV1 form. */
function uniteFieldSets(left: unknown, right: unknown): unknown {
  if (!isObject(left)) return cloneJson(right);
  if (!isObject(right)) return left;
  const union: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    union[key] = Object.hasOwn(union, key) ? uniteFieldSets(union[key], value) : cloneJson(value);
  }
  return union;
}
