import type { DynamicObject } from '@waygate/schema';
import type { UserInfo } from '../access/user.ts';
import type { Core } from '../core/core.ts';
import { cleanupFinalizer, type Definition } from '../crd/definition.ts';
import { formatTime } from '../decode/time-text.ts';
import type { Resource } from '../resources/resource.ts';
import { fromEntry, prepareEntries, writeObject } from '../resources/stored-object.ts';
import { conflict, notFound } from '../status/api-error.ts';
import type { Entry } from '../storage/entry.ts';
import { StoreConflict } from '../storage/store.ts';
import type { DeleteOptions } from './delete-options.ts';
import { keyOf } from './object-creation.ts';

interface DeletionRequest {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly options: DeleteOptions;
  readonly rawOptions?: Readonly<Record<string, unknown>>;
  /** One of many: admission is asked about the collection, not about a name. */
  readonly isOfCollection?: boolean;
  warn(text: string): void;
}

interface DeletionResult {
  readonly object: DynamicObject;
  /** False: it is marked, and goes when its finalizers are done or its time is up. */
  readonly isGone: boolean;
}

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

/** Deletes one object, or marks it when something has to happen first. */
export async function deleteObject(core: Core, request: DeletionRequest): Promise<DeletionResult> {
  const { resource, namespace, name } = request;
  const key = keyOf(namespace, name);
  for (;;) {
    const entry = core.store.getHead(resource.collection, key);
    if (entry === undefined)
      throw notFound({ group: resource.group, resource: resource.plural }, name);
    await prepareEntries(resource, [entry]);
    const object = fromEntry(entry, resource);
    checkPreconditions(object, request);
    await admit(core, request, object);
    try {
      return await attempt(core, request, entry, object);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }
}

async function admit(core: Core, request: DeletionRequest, object: DynamicObject): Promise<void> {
  const attributes = {
    operation: 'DELETE',
    resource: request.resource,
    subresource: '',
    namespace: request.namespace,
    name: request.isOfCollection === true ? '' : request.name,
    object: undefined,
    oldObject: object,
    user: request.user,
    isDryRun: request.options.isDryRun,
    options: request.rawOptions ?? {},
    warn: request.warn,
  } as const;
  await core.admission.mutate(attributes);
  await core.admission.validate(attributes);
}

async function attempt(
  core: Core,
  request: DeletionRequest,
  entry: Entry,
  object: DynamicObject,
): Promise<DeletionResult> {
  const { resource, options } = request;
  const finalizers = nextFinalizers(
    object,
    policyOf(resource, object, options),
    isDefinition(resource),
  );
  const grace = gracePeriod(resource, object, options);
  const holdsNamespace = isNamespaceInUse(resource, object);
  if (finalizers.length === 0 && grace === 0 && !holdsNamespace) {
    if (!options.isDryRun) {
      await core.store.write({
        collection: resource.collection,
        key: entry.key,
        expected: entry,
        object: undefined,
      });
    }
    if (resource.strategy.gracePeriodSeconds !== undefined) markDeleted(object, core.now(), 0);
    return { object, isGone: true };
  }
  const wasShorter = isShorter(object, grace);
  if (finalizers.length === 0) delete object.metadata.finalizers;
  else object.metadata.finalizers = finalizers;
  const isMarked = object.metadata.deletionTimestamp !== undefined;
  if (!isMarked || wasShorter) {
    object.metadata.deletionTimestamp = formatTime(core.now() + grace * 1000);
    if (!holdsNamespace && !isDefinition(resource))
      object.metadata.deletionGracePeriodSeconds = grace;
    if (!isMarked && object.metadata.generation !== undefined && !isDefinition(resource)) {
      object.metadata.generation++;
    }
    if (holdsNamespace) object.status = { ...(object.status as object), phase: 'Terminating' };
    if (isDefinition(resource)) markTerminating(object as Definition, core.now());
  }
  if (options.isDryRun) return { object, isGone: false };
  if (isMarked && sameFinalizers(entry, finalizers) && !wasShorter) {
    return { object, isGone: false };
  }
  const written = await writeObject(core, resource, { key: entry.key, expected: entry }, object);
  return { object: written, isGone: false };
}

/** What the answer to a deletion says although nothing of it is stored. */
function markDeleted(object: DynamicObject, now: number, grace: number): void {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined && metadata.generation !== undefined)
    metadata.generation++;
  metadata.deletionTimestamp ??= formatTime(now + grace * 1000);
  metadata.deletionGracePeriodSeconds = grace;
}

function isDefinition(resource: Resource): boolean {
  return resource.group === 'apiextensions.k8s.io';
}

/** A definition says in its status that its objects are on their way out. */
function markTerminating(definition: Definition, now: number): void {
  const condition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: formatTime(now),
    reason: 'InstanceDeletionPending',
    message:
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const others = (definition.status.conditions ?? []).filter((each) => each.type !== 'Terminating');
  definition.status = { ...definition.status, conditions: [...others, condition] };
}

function isNamespaceInUse(resource: Resource, object: DynamicObject): boolean {
  if (resource.group !== '' || resource.plural !== 'namespaces') return false;
  const spec = object.spec as { finalizers?: string[] } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}

function isShorter(object: DynamicObject, grace: number): boolean {
  const current = object.metadata.deletionGracePeriodSeconds;
  return current !== undefined && grace < current;
}

function sameFinalizers(entry: Entry, finalizers: readonly string[]): boolean {
  const before = entry.object.metadata.finalizers ?? [];
  return before.length === finalizers.length && before.every((each, i) => each === finalizers[i]);
}

function policyOf(resource: Resource, object: DynamicObject, options: DeleteOptions) {
  if (resource.strategy.hasNoDependents === true) return undefined;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  const isDecided = (object.metadata.finalizers ?? []).some(
    (each) => each === orphanFinalizer || each === foregroundFinalizer,
  );
  return resource.strategy.orphansByDefault === true && !isDecided ? 'Orphan' : undefined;
}

/** How dependents are treated is remembered as a finalizer until the collector has done it. */
function nextFinalizers(
  object: DynamicObject,
  policy: DeleteOptions['propagationPolicy'],
  isOfDefinition: boolean,
): string[] {
  if (isOfDefinition)
    return [...new Set([...(object.metadata.finalizers ?? []), cleanupFinalizer])];
  const others = (object.metadata.finalizers ?? []).filter(
    (each) => each !== orphanFinalizer && each !== foregroundFinalizer,
  );
  switch (policy) {
    case 'Orphan':
      return [...others, orphanFinalizer];
    case 'Foreground':
      return [...others, foregroundFinalizer];
    case 'Background':
      return others;
    default:
      return [...(object.metadata.finalizers ?? [])];
  }
}

function gracePeriod(resource: Resource, object: DynamicObject, options: DeleteOptions): number {
  if (resource.strategy.gracePeriodSeconds === undefined) return 0;
  const own = resource.strategy.gracePeriodSeconds(object);
  if (own === 0) return 0;
  return Math.max(0, options.gracePeriodSeconds ?? own);
}

function checkPreconditions(object: DynamicObject, request: DeletionRequest): void {
  const { options, resource, name } = request;
  const place = { group: resource.group, resource: resource.kind };
  const { uid, resourceVersion } = object.metadata;
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  if (isNamespace || isDefinition(resource)) {
    checkFirst(object, request);
    return;
  }
  if (options.uid !== undefined && options.uid !== uid) {
    throw conflict(
      place,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw conflict(
      place,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** What holds others is looked at before the store is, which has other words for it. */
function checkFirst(
  { metadata }: DynamicObject,
  { options, name, resource }: DeletionRequest,
): void {
  const place = { group: resource.group, resource: resource.plural };
  const differing = [
    ['UID', options.uid, metadata.uid],
    ['ResourceVersion', options.resourceVersion, metadata.resourceVersion],
  ].find(([, wanted, found]) => wanted !== undefined && wanted !== found);
  if (differing === undefined) return;
  const [what, wanted, found] = differing;
  throw conflict(
    place,
    name,
    `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
  );
}
