import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import type { UserInfo } from '../access/user.ts';
import { type Core, strategyContext } from '../core/core.ts';
import { formatTime } from '../decode/time-text.ts';
import { maxBodyBytes } from '../http/body-reader.ts';

import { trackUpdate } from '../managed/tracking.ts';
import type { Resource } from '../resources/resource.ts';
import { fromEntry, prepareEntries, writeObject } from '../resources/stored-object.ts';
import {
  conflict,
  invalidObject,
  modifiedMessage,
  notFound,
  plainFailure,
} from '../status/api-error.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import type { Entry } from '../storage/entry.ts';
import { StoreConflict } from '../storage/store.ts';
import {
  hasOwnedFinalizers,
  validateMetadata,
  validateMetadataUpdate,
} from '../validation/object-meta.ts';
import { keyOf } from './object-creation.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import { keepAllButStatus } from './status-update.ts';

interface UpdateRequest {
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly fieldManager: string;
  readonly isDryRun: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Makes the new object of the current one. Called again when somebody else wrote in between. */
  transform(current: DynamicObject): DynamicObject | Promise<DynamicObject>;
  /** The owners are already recorded (apply does that itself). */
  readonly isTracked?: boolean;
  /** Called instead of the update when the object is not there. */
  createMissing?(): Promise<DynamicObject>;
  /** The client sent the whole object (PUT), so its uid names the one that it means. */
  readonly isReplacement?: boolean;
  warn(text: string): void;
}

const maxAttempts = 8;

/** Updates one object. Returns it as stored, or as it was when nothing changed. */
export async function updateObject(core: Core, request: UpdateRequest): Promise<DynamicObject> {
  const { resource, namespace, name } = request;
  const place = { group: resource.group, resource: resource.plural };
  const key = keyOf(namespace, name);
  for (let attempt = 1; ; attempt++) {
    const entry = core.store.getHead(resource.collection, key);
    if (entry === undefined) {
      if (request.createMissing !== undefined) return request.createMissing();
      throw notFound(place, name);
    }
    try {
      return await attemptUpdate(core, request, entry, key);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
      if (attempt >= maxAttempts) throw conflict(place, name, modifiedMessage);
    }
  }
}

async function attemptUpdate(
  core: Core,
  request: UpdateRequest,
  entry: Entry,
  key: string,
): Promise<DynamicObject> {
  const { resource, subresource } = request;
  const { strategy } = resource;
  await prepareEntries(resource, [entry]);
  const current = fromEntry(entry, resource);
  const old = fromEntry(entry, resource);
  const next = await request.transform(current);
  checkPreconditions(next, old, entry, request);
  fillServerMetadata(next, old);
  const context = strategyContext(core, request.user);
  const part = strategy.subresources?.[subresource];
  if (part?.isPreparedFirst === true) part.prepare(next, old, context);
  if (request.isTracked !== true) {
    trackUpdate(resource, old, next, {
      fieldManager: request.fieldManager,
      subresource,
      time: formatTime(core.now()),
    });
  }
  const attributes = {
    operation: 'UPDATE',
    resource,
    subresource,
    namespace: request.namespace,
    name: request.name,
    pathName: request.name,
    object: next,
    oldObject: old,
    user: request.user,
    isDryRun: request.isDryRun,
    options: request.options ?? {},
    warn: request.warn,
  } as const;
  await core.admission.mutate(attributes);
  dropRepeatedOwners(next, request.warn, true);
  checkVersion(next, entry, request);
  if (subresource === 'status') keepAllButStatus(next, old, resource, context);
  else if (subresource === 'finalize') next.status = old.status;
  else if (part !== undefined) part.prepare(next, old, context);
  else if (subresource === '') {
    if (resource.subresources.has('status') && 'status' in old) next.status = old.status;
    else if (resource.subresources.has('status')) delete next.status;
    strategy.prepareForUpdate?.(next, old, context);
  }
  setGeneration(next, old, strategy, subresource);
  const problems = collectProblems(next, old, request, context);
  if (problems.length > 0) {
    throw invalidObject(
      { group: strategy.errorGroup ?? resource.group, kind: resource.kind },
      request.name,
      problems,
    );
  }
  for (const warning of strategy.warnings?.(next, old) ?? []) request.warn(warning);
  await core.admission.validate(attributes);
  return storeUpdate(core, request, { entry, key, next, old });
}

function collectProblems(
  next: DynamicObject,
  old: Readonly<DynamicObject>,
  request: UpdateRequest,
  context: ReturnType<typeof strategyContext>,
): FieldProblem[] {
  const { resource, subresource } = request;
  const { strategy } = resource;
  const immutable = validateMetadataUpdate(next, old);
  const shared = [
    ...immutable,
    // The typed kinds check it once more; messages are merged, causes are not.
    ...(resource.isCustom ? [] : immutable),
    ...validateMetadata(next, resource.isNamespaced, () => [], hasOwnedFinalizers(resource)),
  ];
  if (subresource === 'status') {
    return [
      ...shared,
      ...(strategy.validateStatusUpdate?.(next, old) ?? []),
      ...(resource.custom?.validate(next, old, 'status') ?? []),
    ];
  }
  const part = strategy.subresources?.[subresource];
  if (part !== undefined) return [...shared, ...part.validate(next, old)];
  return [
    ...shared,
    ...(strategy.validateUpdate?.(next, old, context) ?? strategy.validate?.(next, context) ?? []),
    ...(resource.custom?.validate(next, old) ?? []),
  ];
}

async function storeUpdate(
  core: Core,
  request: UpdateRequest,
  state: { entry: Entry; key: string; next: DynamicObject; old: DynamicObject },
): Promise<DynamicObject> {
  const { resource } = request;
  const { next, old, entry, key } = state;
  if (isFinished(next)) {
    if (!request.isDryRun) {
      await core.store.write({
        collection: resource.collection,
        key,
        expected: entry,
        object: undefined,
      });
    }
    next.metadata.resourceVersion = old.metadata.resourceVersion as string;
    return next;
  }
  if (isUnchanged(next, old)) return old;
  if (request.isDryRun) {
    next.metadata.resourceVersion = old.metadata.resourceVersion as string;
    return next;
  }
  return writeObject(core, resource, { key, expected: entry, maxBytes: maxBodyBytes }, next);
}

/** A deletion was asked for and nothing holds it up any more. */
function isFinished(object: DynamicObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (finalizers ?? []).length === 0 &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    !isNamespaceWithFinalizers(object)
  );
}

function isNamespaceWithFinalizers(object: DynamicObject): boolean {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return false;
  const spec = object.spec as { finalizers?: string[] } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}

function isUnchanged(next: DynamicObject, old: DynamicObject): boolean {
  return equalJson(comparable(next), comparable(old));
}

/** The times of managed fields do not count as a change. */
function comparable(object: DynamicObject): unknown {
  const { managedFields, resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      managedFields: managedFields?.map(({ time: _time, ...entry }) => entry),
    },
  };
}

function checkPreconditions(
  next: DynamicObject,
  old: DynamicObject,
  entry: Entry,
  request: UpdateRequest,
): void {
  const { resource, name } = request;
  const uid = next.metadata.uid ?? '';
  if (request.isReplacement === true && uid !== '' && uid !== old.metadata.uid) {
    throw conflict(
      { group: resource.group, resource: resource.plural },
      name,
      `StorageError: invalid object, Code: 4, Key: ${resource.storagePath}/${entry.key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  const version = next.metadata.resourceVersion ?? '';
  if (version !== '' && !/^\d+$/.test(version)) {
    throw plainFailure(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
}

function checkVersion(next: DynamicObject, entry: Entry, request: UpdateRequest): void {
  const { resource, name } = request;
  const version = next.metadata.resourceVersion ?? '';
  if (version === '' || version === '0') {
    if (resource.strategy.allowsUnconditionalUpdate) return;
    throw invalidObject({ group: resource.group, kind: resource.plural }, name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (version !== String(entry.resourceVersion)) {
    throw conflict({ group: resource.group, resource: resource.plural }, name, modifiedMessage);
  }
}

/** What the server wrote stays when the client leaves it out; validation refuses another value. */
function fillServerMetadata(next: DynamicObject, old: DynamicObject): void {
  const metadata = next.metadata as Record<string, unknown>;
  const before = old.metadata as Record<string, unknown>;
  for (const field of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'namespace',
  ]) {
    if (metadata[field] === undefined && before[field] !== undefined)
      metadata[field] = before[field];
  }
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  delete metadata.selfLink;
}

function setGeneration(
  next: DynamicObject,
  old: DynamicObject,
  strategy: Resource['strategy'],
  subresource: string,
): void {
  if (!strategy.hasGeneration || subresource === 'status') return;
  const before = old.metadata.generation ?? 0;
  const part = strategy.generationIncludes;
  // Where the status has no endpoint of its own it is written with the rest, and counts.
  const isWritten = strategy.writesStatus === true;
  const isSame =
    isDesireEqual(next, old) &&
    (!isWritten || equalJson(next.status, old.status)) &&
    (part === undefined || equalJson(next.metadata[part] ?? {}, old.metadata[part] ?? {}));
  next.metadata.generation = isSame ? before : before + 1;
}

/** Everything but metadata and status is what somebody wants. */
function isDesireEqual(next: DynamicObject, old: DynamicObject): boolean {
  const pick = ({ metadata: _m, status: _s, kind: _k, apiVersion: _a, ...rest }: DynamicObject) =>
    rest;
  return equalJson(pick(next), pick(old));
}
