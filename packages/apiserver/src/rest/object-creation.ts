import type { DynamicObject } from '@waygate/schema';
import type { UserInfo } from '../access/user.ts';
import { type Core, strategyContext } from '../core/core.ts';
import { conditionOf, definitionCollection } from '../crd/definition.ts';
import { formatTime } from '../decode/time-text.ts';
import { maxBodyBytes } from '../http/body-reader.ts';
import { trackUpdate } from '../managed/tracking.ts';
import type { Resource } from '../resources/resource.ts';
import { writeObject } from '../resources/stored-object.ts';
import {
  ApiError,
  alreadyExists,
  badRequest,
  forbiddenError,
  invalidObject,
  plainFailure,
} from '../status/api-error.ts';
import { StoreConflict } from '../storage/store.ts';
import { hasOwnedFinalizers, validateMetadata } from '../validation/object-meta.ts';
import { dropRepeatedOwners } from './owner-references.ts';

interface CreationRequest {
  readonly resource: Resource;
  readonly namespace: string;
  readonly object: DynamicObject;
  readonly user: UserInfo;
  readonly fieldManager: string;
  readonly isDryRun: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
  /** The owners are already recorded (apply does that itself). */
  readonly isTracked?: boolean;
  /** The name in the path: a write that turned out to create has one, a POST has none. */
  readonly pathName?: string;
  /** Asked when the object is known to be good: throws unless the user may create it. */
  confirm?(): void;
  warn(text: string): void;
}

const maxNameLength = 63;
const suffixLength = 5;

/** Creates one object, with everything that happens on the way. Returns it as stored. */
export async function createObject(core: Core, request: CreationRequest): Promise<DynamicObject> {
  const { resource, object } = request;
  const { strategy } = resource;
  const now = core.now();
  placeInNamespace(object, request.namespace, resource);
  let metadata = object.metadata;
  // What only the server may say.
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  const isGenerated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '';
  dropRepeatedOwners(object, request.warn);
  if (isGenerated) metadata.name = generatedName(metadata.generateName as string, core);
  if (request.isTracked !== true) {
    trackUpdate(resource, undefined, object, {
      fieldManager: request.fieldManager,
      subresource: '',
      time: formatTime(now),
    });
  }
  const attributes = {
    operation: 'CREATE',
    resource,
    subresource: '',
    namespace: request.namespace,
    name: isGenerated ? '' : (metadata.name ?? ''),
    object,
    oldObject: undefined,
    pathName: request.pathName ?? '',
    user: request.user,
    isDryRun: request.isDryRun,
    options: request.options ?? {},
    warn: request.warn,
  } as const;
  if (isTerminating(core, resource)) {
    const why = 'create not allowed while custom resource definition is terminating';
    const { group, plural } = resource;
    throw forbiddenError({ group, resource: plural }, attributes.name, why);
  }
  await core.admission.mutate(attributes);
  dropRepeatedOwners(object, request.warn, true);
  // A webhook may have put another object in its place.
  metadata = object.metadata;
  metadata.uid = core.uuid();
  metadata.creationTimestamp = formatTime(now);
  if (strategy.hasGeneration || resource.isCustom) delete metadata.generation;
  const context = strategyContext(core, request.user);
  strategy.prepareForCreate?.(object, context);
  if (strategy.hasGeneration) metadata.generation = 1;
  const problems = [
    ...validateMetadata(
      object,
      resource.isNamespaced,
      strategy.nameProblems ?? (() => []),
      hasOwnedFinalizers(resource),
    ),
    ...(strategy.validate?.(object, context) ?? []),
    ...(resource.custom?.validate(object) ?? []),
  ];
  if (problems.length > 0) {
    throw invalidObject(
      { group: strategy.errorGroup ?? resource.group, kind: resource.kind },
      metadata.name ?? '',
      problems,
    );
  }
  for (const warning of strategy.warnings?.(object) ?? []) request.warn(warning);
  request.confirm?.();
  await core.admission.validate(attributes);
  // It is the store that would refuse it, and a dry run does not get there.
  if ((metadata.resourceVersion ?? '') !== '' && !request.isDryRun) {
    throw plainFailure('resourceVersion should not be set on objects to be created');
  }
  if (!request.isDryRun) delete metadata.resourceVersion;
  return store(core, request, isGenerated);
}

async function store(
  core: Core,
  request: CreationRequest,
  isGenerated: boolean,
): Promise<DynamicObject> {
  const { resource, object } = request;
  const place = { group: resource.group, resource: resource.plural };
  for (let attempt = 0; ; attempt++) {
    const key = keyOf(request.namespace, object.metadata.name as string);
    const taken = core.store.getHead(resource.collection, key);
    const isTaken = taken !== undefined;
    if (isTaken && isGenerated && attempt < 8) {
      object.metadata.name = generatedName(object.metadata.generateName as string, core);
      continue;
    }
    if (isTaken) {
      const isLeaving = taken.object.metadata.deletionTimestamp !== undefined;
      const error = alreadyExists(place, object.metadata.name as string, isLeaving);
      if (!isGenerated) throw error;
      throw new ApiError(
        409,
        'AlreadyExists',
        `${error.message}, the server was not able to generate a unique name for the object`,
        error.status.details,
      );
    }
    if (request.isDryRun) return object;
    try {
      const free = { key, expected: undefined, maxBytes: maxBodyBytes };
      return await writeObject(core, resource, free, object);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }
}

export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function placeInNamespace(object: DynamicObject, namespace: string, resource: Resource): void {
  const given = object.metadata.namespace ?? '';
  if (!resource.isNamespaced) {
    // Clients put one on everything; it says nothing here.
    delete object.metadata.namespace;
    return;
  }
  if (given === '') {
    object.metadata.namespace = namespace;
    return;
  }
  if (given !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
}

function generatedName(base: string, core: Core): string {
  return `${base.slice(0, maxNameLength - suffixLength)}${core.randomSuffix()}`;
}

/** Whoever deletes a definition waits until its objects are gone: there are no new ones meanwhile. */
function isTerminating(core: Core, resource: Resource): boolean {
  if (!resource.isCustom) return false;
  const name = `${resource.plural}.${resource.group}`;
  const definition = core.store.get(definitionCollection, name)?.object;
  return definition !== undefined && conditionOf(definition, 'Terminating')?.status === 'True';
}
