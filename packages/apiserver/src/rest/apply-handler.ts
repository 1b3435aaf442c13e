import type { DynamicObject } from '@waygate/schema';
import { checkPatchDepth, isObject, parseYaml, TextError, YamlError } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { maxJsonDepth, withGoIntegers } from '../decode/json-text.ts';
import { repeatedYamlKey } from '../decode/request-body.ts';
import { formatTime } from '../decode/time-text.ts';
import { isBuiltInKind } from '../decode/type-meta.ts';
import type { Exchange } from '../http/exchange.ts';
import { conflictError } from '../managed/conflict-error.ts';
import { FieldSet } from '../managed/field-set.ts';
import {
  fieldsOfLastApplied,
  migratingManager,
  refreshLastApplied,
  withoutFields,
} from '../managed/last-applied.ts';
import {
  decodeManagers,
  type Manager,
  type Managers,
  managerIdentity,
} from '../managed/managers.ts';
import { applyProblem } from '../managed/owner-versions.ts';
import { applyOwnership, type OwnershipConflict, updateOwnership } from '../managed/ownership.ts';
import { emptyLive, setManagers, withoutManaged } from '../managed/tracking.ts';
import { problemsText, typedProblems } from '../managed/typed-check.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import { badRequest, conflict, plainFailure } from '../status/api-error.ts';
import { emptyObject } from '../typed-schema/empty-object.ts';
import { applyDefaults, requestOptions } from './create-handler.ts';
import { createObject } from './object-creation.ts';
import { decodeObject } from './object-decoder.ts';
import { updateObject } from './object-update.ts';
import { checkPlace, demandCreate } from './update-handler.ts';
import type { WriteOptions } from './write-options.ts';

/** Server-side apply: creates or merges, and keeps the books on who wants what. */
export async function applyObject(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  text: string,
  options: WriteOptions,
): Promise<{ object: DynamicObject; isCreated: boolean }> {
  const patch = parseConfiguration(text, {
    isStrict: options.fieldValidation === 'Strict',
    warn: (warning) => {
      if (options.fieldValidation === 'Warn') exchange.warn(warning);
    },
  });
  checkConfiguration(patch, resource);
  return applyConfiguration(core, exchange, resource, patch, options);
}

/** The same, of a configuration that is known to be one of the resource. */
export async function applyConfiguration(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  patch: Record<string, unknown>,
  options: WriteOptions,
): Promise<{ object: DynamicObject; isCreated: boolean }> {
  const { namespace, name, subresource } = exchange.info;
  const shared = {
    resource,
    namespace,
    user: exchange.user,
    fieldManager: options.fieldManager,
    isDryRun: options.isDryRun,
    isTracked: true,
    options: requestOptions(exchange, 'UpdateOptions'),
    warn: (warning: string) => exchange.warn(warning),
  };
  const merge = (live: DynamicObject | undefined) =>
    mergeConfiguration(core, exchange, resource, patch, live, options);
  let isCreated = false;
  const object = await updateObject(core, {
    ...shared,
    subresource,
    name,
    transform: (current) => merge(current),
    ...(subresource === ''
      ? {
          createMissing: () => {
            isCreated = true;
            const uid = metadataOf(patch).uid;
            if (typeof uid === 'string' && uid !== '') {
              throw conflict(
                { group: resource.group, resource: resource.plural },
                name,
                `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
              );
            }
            const created = merge(undefined);
            delete created.metadata.resourceVersion;
            return createObject(core, {
              ...shared,
              options: requestOptions(exchange, 'CreateOptions'),
              pathName: name,
              confirm: () => demandCreate(core, exchange),
              object: created,
            });
          },
        }
      : {}),
  });
  return { object, isCreated };
}

interface YamlComplaints {
  readonly isStrict: boolean;
  warn(text: string): void;
}

/** Reads a configuration. A key that is set twice is refused, told of or let pass. */
export function parseConfiguration(
  text: string,
  complaints: YamlComplaints,
): Record<string, unknown> {
  let value: unknown;
  try {
    value = withGoIntegers(parseYaml(text, { maxBytes: 4 * 1024 * 1024 }));
    checkPatchDepth(value, maxJsonDepth);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const key = repeatedYamlKey(error.message);
    if (key !== undefined) {
      const complaint = `line ${error.line ?? 0}: key ${JSON.stringify(key)} already set in map`;
      if (complaints.isStrict) {
        throw badRequest(
          `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${complaint}`,
        );
      }
      complaints.warn(complaint);
      return asConfiguration(withGoIntegers(parseYaml(text, { duplicateKeys: 'last' })));
    }
    const problem = error.cause instanceof YamlError ? error.cause.legacyMessage : error.message;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${problem}`);
  }
  return asConfiguration(value);
}

function asConfiguration(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (!isObject(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`,
    );
  }
  return value;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function metadataOf(patch: Record<string, unknown>): Record<string, unknown> {
  const metadata = patch.metadata;
  return isObject(metadata) ? metadata : {};
}

export function checkConfiguration(
  patch: Record<string, unknown>,
  resource: Pick<Resource, 'group' | 'version' | 'kind' | 'type'>,
): void {
  const apiVersion = textOf(patch.apiVersion);
  const kind = textOf(patch.kind);
  const wanted = apiVersionText(resource);
  if (apiVersion === '' || kind === '') {
    throw badRequest(
      `invalid object type: ${apiVersion === '' ? '/' : groupVersionText(apiVersion)}, Kind=${kind}`,
    );
  }
  if (apiVersion !== wanted || kind !== resource.kind) {
    const isForeign = isBuiltInKind(wanted, resource.kind) && !isBuiltInKind(apiVersion, kind);
    if (kind !== resource.kind || isForeign) {
      throw badRequest(`invalid object type: ${groupVersionText(apiVersion)}, Kind=${kind}`);
    }
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${apiVersion}, expected: ${wanted}`,
    );
  }
  const managedFields = metadataOf(patch).managedFields;
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const { apiVersion: _apiVersion, kind: _kind, ...body } = patch;
  const problems = typedProblems(body, resource.type);
  if (problems.length === 0) return;
  const metadata = metadataOf(patch);
  const place = `${textOf(metadata.namespace)}/${textOf(metadata.name)}`;
  throw plainFailure(
    `failed to create typed patch object (${place}; ${groupVersionText(apiVersion)}, Kind=${kind}): ${problemsText(problems)}`,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Go prints the version of the core group with an empty group before it. */
function groupVersionText(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}

function mergeConfiguration(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  patch: Record<string, unknown>,
  live: DynamicObject | undefined,
  options: WriteOptions,
): DynamicObject {
  const { subresource } = exchange.info;
  const { kind: _kind, apiVersion: _apiVersion, ...configuration } = patch;
  const {
    kind: _liveKind,
    apiVersion: _liveVersion,
    ...base
  } = live === undefined
    ? ((resource.isCustom ? {} : emptyObject(resource.type)) as Record<string, unknown>)
    : withoutManaged(live);
  const request = {
    live: base,
    managers: startingManagers(live, resource, subresource),
    type: resource.type,
    reset: resource.strategy.resetFields?.[subresource] ?? FieldSet.empty,
    manager: {
      manager: options.fieldManager,
      operation: 'Apply' as const,
      apiVersion: apiVersionText(resource),
      subresource,
    },
    // The scale endpoint leaves no time in its entries.
    time: subresource === 'scale' ? undefined : formatTime(core.now()),
  };
  let result = applyOwnership(request, configuration, options.isForced);
  const unseen = applyProblem(
    base,
    result.object,
    request.managers,
    request.manager,
    resource.custom?.problemInVersion,
  );
  if (unseen !== undefined) throw plainFailure(unseen);
  const isKubectl = options.fieldManager === migratingManager;
  if (result.conflicts.length > 0 && isKubectl) {
    const allowed = fieldsOfLastApplied(base, apiVersionText(resource), resource.type);
    const conflicts = withoutFields(result.conflicts, allowed);
    if (conflicts.length > 0) throw conflictError(seenThrough(subresource, conflicts));
    result = applyOwnership(request, configuration, true);
  }
  if (result.conflicts.length > 0) throw conflictError(seenThrough(subresource, result.conflicts));
  if (isKubectl) refreshLastApplied(result.object, patch);
  const body = {
    value: result.object,
    duplicates: [],
    text: '',
    isYaml: false,
    isRestored: !resource.isCustom,
  };
  const decoded = decodeObject(body, resource, options.fieldValidation);
  for (const warning of decoded.warnings) exchange.warn(warning);
  const { object } = decoded;
  checkPlace(object, exchange.info, resource);
  setManagers(object, result.managers);
  // Without a version in the configuration, the apply is unconditional.
  const version = metadataOf(patch).resourceVersion;
  if (typeof version === 'string' && version !== '') object.metadata.resourceVersion = version;
  else if (live?.metadata.resourceVersion !== undefined) {
    object.metadata.resourceVersion = live.metadata.resourceVersion;
  }
  applyDefaults(resource, object);
  return object;
}

/** Through the scale endpoint every owner is one of a Scale. */
function seenThrough(
  subresource: string,
  conflicts: readonly OwnershipConflict[],
): readonly OwnershipConflict[] {
  if (subresource !== 'scale') return conflicts;
  return conflicts.map(({ manager, fields }) => ({
    manager: { ...manager, apiVersion: 'autoscaling/v1' },
    fields,
  }));
}

/** An object that nobody's ownership is known of belongs to whoever wrote it before. */
function startingManagers(
  live: DynamicObject | undefined,
  resource: Resource,
  subresource: string,
): Managers {
  if (live === undefined) return new Map();
  const managers = decodeManagers(live.metadata.managedFields);
  if (subresource === 'scale') return withReplicasOwner(managers);
  if (managers.size > 0) return managers;
  const { managers: first } = updateOwnership(
    {
      live: emptyLive(resource),
      managers,
      type: resource.type,
      reset: resource.strategy.resetFields?.[''] ?? FieldSet.empty,
      manager: {
        manager: 'before-first-apply',
        operation: 'Update',
        apiVersion: apiVersionText(resource),
        subresource: '',
      },
      time: undefined,
    },
    withoutManaged(live),
  );
  return first;
}

/** Through the scale endpoint, replicas that nobody owns belong to whoever set them. */
function withReplicasOwner(managers: Managers): Managers {
  const replicas = FieldSet.of([['f:spec', 'f:replicas']]);
  const isOwned = [...managers.values()].some(
    (manager) => !manager.set.intersection(replicas).isEmpty,
  );
  if (isOwned) return managers;
  const manager: Manager = {
    manager: 'before-first-apply',
    operation: 'Update',
    apiVersion: 'autoscaling/v1',
    subresource: 'scale',
    time: undefined,
    set: replicas,
  };
  return new Map([...managers, [managerIdentity(manager), manager]]);
}
