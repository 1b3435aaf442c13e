import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { decodeBody } from '../decode/request-body.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import { ageColumn } from '../output/base-columns.ts';
import { apiVersionText, type Resource, type TableColumn } from '../resources/resource.ts';
import { fromEntry, prepareEntries } from '../resources/stored-object.ts';
import { selectorText } from '../selectors/selector-text.ts';
import { invalidObject, notFound, unsupportedMediaType } from '../status/api-error.ts';
import { invalid } from '../status/field-problem.ts';
import { builtinTypes } from '../typed-schema/open-api-types.ts';
import { getPath, setPath } from '../typed-schema/simple-path.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import { applyConfiguration, checkConfiguration, parseConfiguration } from './apply-handler.ts';
import { requestOptions } from './create-handler.ts';
import { keyOf } from './object-creation.ts';
import { decodeObject, type FieldValidation } from './object-decoder.ts';
import { updateObject } from './object-update.ts';
import { typed } from './patch-handler.ts';
import { applyPatch, jsonPatch, mergePatch, patcherOf, strategicPatch } from './patcher.ts';
import { answerObject } from './read-handlers.ts';
import { checkPlace } from './update-handler.ts';
import { writeOptions } from './write-options.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The scale endpoint: the replicas of any workload behind one small kind. */
export async function handleScale(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const { namespace, name, verb } = exchange.info;
  const representation = negotiate(exchange.header('accept'), false);
  const answer = (scale: DynamicObject) =>
    answerObject(core, exchange, scaleView(resource), 200, scale, representation);
  if (verb === 'get') {
    const entry = core.store.get(resource.collection, keyOf(namespace, name));
    if (entry === undefined)
      throw notFound({ group: resource.group, resource: resource.plural }, name);
    await prepareEntries(resource, [entry]);
    answer(scaleOf(fromEntry(entry, resource), resource));
    return;
  }
  if (verb === 'patch' && exchange.contentType === applyPatch) {
    answer(scaleOf(await applyScale(core, exchange, resource), resource));
    return;
  }
  const options = writeOptions(exchange, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const change = await scaleChange(exchange, resource, options.fieldValidation);
  const check = (replicas: number) => {
    if (replicas >= 0) return;
    const why = 'must be greater than or equal to 0';
    throw invalidObject(scaleKind, name, [invalid('spec.replicas', replicas, why)]);
  };
  const updated = await updateObject(core, {
    resource,
    subresource: 'scale',
    namespace,
    name,
    user: exchange.user,
    fieldManager: options.fieldManager,
    isDryRun: options.isDryRun,
    options: requestOptions(exchange, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions'),
    warn: (text) => exchange.warn(text),
    transform: (current) => {
      const wanted = change(scaleOf(current, resource));
      const spec = isObject(wanted.spec) ? wanted.spec : {};
      const replicas = Number(spec.replicas ?? 0);
      check(replicas);
      setPath(current, specPath(resource), replicas);
      const metadata = isObject(wanted.metadata) ? wanted.metadata : {};
      const version = metadata.resourceVersion;
      if (typeof version === 'string' && version !== '') current.metadata.resourceVersion = version;
      else delete current.metadata.resourceVersion;
      return current;
    },
  });
  answer(scaleOf(updated, resource));
}

/** A scale that is applied owns the replicas of the workload, and nothing else of it. */
async function applyScale(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<DynamicObject> {
  const options = writeOptions(exchange, 'PatchOptions', true);
  const scale = parseConfiguration(await exchange.bodyText(), {
    isStrict: options.fieldValidation === 'Strict',
    warn: (warning) => exchange.warn(warning),
  });
  const type = builtinTypes.ofKind('autoscaling', 'v1', 'Scale') as StructNode;
  checkConfiguration(scale, { ...scaleKind, type });
  const { name } = exchange.info;
  const replicas = getPath(scale, ['spec', 'replicas']);
  if (typeof replicas === 'number' && replicas < 0) {
    const why = 'must be greater than or equal to 0';
    throw invalidObject(scaleKind, name, [invalid('spec.replicas', replicas, why)]);
  }
  const configuration: Record<string, unknown> = {
    apiVersion: apiVersionText(resource),
    kind: resource.kind,
    metadata: { name },
  };
  if (replicas !== undefined) setPath(configuration, specPath(resource), replicas);
  const { object } = await applyConfiguration(core, exchange, resource, configuration, options);
  return object;
}

async function scaleChange(
  exchange: Exchange,
  resource: Resource,
  validation: FieldValidation,
): Promise<(scale: DynamicObject) => Record<string, unknown>> {
  const text = await exchange.bodyText();
  const type = builtinTypes.ofKind('autoscaling', 'v1', 'Scale') as StructNode;
  if (exchange.info.verb === 'update') {
    const body = decodeBody(text, exchange.contentType, 'Scale');
    const { object } = decodeObject(body, resource, 'Ignore', type, scaleKind);
    checkPlace(object, exchange.info, resource);
    return () => object as unknown as Record<string, unknown>;
  }
  if (![jsonPatch, mergePatch, strategicPatch].includes(exchange.contentType))
    throw unsupportedMediaType([jsonPatch, mergePatch, strategicPatch, applyPatch]);
  const patch = patcherOf(exchange.contentType, text, scaleKind);
  const scales = { ...resource, ...scaleKind, type, isCustom: false };
  return (scale) => {
    const object = typed(patch.apply(scale), patch, scales, validation, exchange);
    checkPlace(object, exchange.info, resource);
    return object;
  };
}

function specPath(resource: Resource): readonly string[] {
  const path = resource.custom?.scale?.specReplicasPath ?? '.spec.replicas';
  return path.split('.').slice(1);
}

function scaleOf(object: DynamicObject, resource: Resource): DynamicObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const status = object.status as Record<string, unknown> | undefined;
  const custom = resource.custom?.scale;
  const statusReplicas =
    custom === undefined
      ? status?.replicas
      : getPath(object, custom.statusReplicasPath.split('.').slice(1));
  const selector =
    custom === undefined
      ? selectorText(getPath(object, ['spec', 'selector']))
      : custom.labelSelectorPath === undefined
        ? ''
        : String(getPath(object, custom.labelSelectorPath.split('.').slice(1)) ?? '');
  const replicas = getPath(object, specPath(resource));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: statusReplicas ?? 0, ...(selector === '' ? {} : { selector }) },
  } as DynamicObject;
}

const scaleColumns: readonly TableColumn[] = [
  { name: 'Name', type: 'string', cell: (scale) => scale.metadata.name ?? '' },
  { name: 'Desired', type: 'integer', cell: (scale) => getPath(scale, ['spec', 'replicas']) ?? 0 },
  {
    name: 'Available',
    type: 'integer',
    cell: (scale) => getPath(scale, ['status', 'replicas']) ?? 0,
  },
  ageColumn,
];

/** The resource as a table of its scales would have it. */
function scaleView(resource: Resource): Resource {
  const strategy = { ...resource.strategy, columns: scaleColumns, hidesNameColumn: true };
  return { ...resource, strategy };
}
