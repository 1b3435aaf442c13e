import type { DynamicObject } from '@waygate/schema';
import type { Core } from '../core/core.ts';
import { answerBytes, answerJson, isPretty } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate, type Representation } from '../http/negotiation.ts';
import { partialOf, type TableOptions, tableOf } from '../output/table.ts';
import { wireOf } from '../output/wire.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import { fromEntry, prepareEntries } from '../resources/stored-object.ts';
import { ApiError, badRequest, notFound, plainFailure } from '../status/api-error.ts';
import { listOptions } from './list-options.ts';
import { isVersion, listPage, noVersion, parseVersion, waitForVersion } from './list-page.ts';
import { listMetadata, writeList } from './list-writer.ts';
import { keyOf } from './object-creation.ts';

/** GET of one object. */
export async function handleGet(core: Core, exchange: Exchange, resource: Resource): Promise<void> {
  const { namespace, name } = exchange.info;
  const representation = negotiate(exchange.header('accept'), false, resource.isCustom);
  const version = exchange.query.get('resourceVersion') ?? '';
  // Of a version that is none, a list says that the request is bad; one object that it cannot be had.
  if (!isVersion(version)) throw plainFailure(noVersion(version));
  await waitForVersion(core, parseVersion(version));
  const entry = core.store.get(resource.collection, keyOf(namespace, name));
  if (entry === undefined)
    throw notFound({ group: resource.group, resource: resource.plural }, name);
  await prepareEntries(resource, [entry]);
  if (isPlainJson(exchange, representation)) {
    const bytes = Buffer.concat([wireOf(resource).object(entry), newline]);
    answerBytes(exchange, 200, bytes, { 'Content-Type': 'application/json' });
    return;
  }
  answerObject(core, exchange, resource, 200, fromEntry(entry, resource), representation);
}

const newline = Buffer.from('\n');

function isPlainJson(exchange: Exchange, representation: Representation): boolean {
  return (
    representation.as === 'object' &&
    representation.mediaType === 'application/json' &&
    !isPretty(exchange)
  );
}

/** Answers with one object in the form that the client asked for. */
export function answerObject(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  code: number,
  object: DynamicObject,
  representation: Representation = negotiate(exchange.header('accept'), false, resource.isCustom),
): void {
  const { mediaType, as } = representation;
  if (as === 'object') answerJson(exchange, code, object, mediaType);
  else if (as === 'partial') {
    answerJson(exchange, code, partialOf(object, representation.version), mediaType);
  } else if (as === 'table') {
    const meta = { resourceVersion: object.metadata.resourceVersion };
    const table = tableOf(resource, [object], meta, tableOptions(core, exchange, representation));
    answerJson(exchange, code, table, mediaType);
  } else throw wrongView(resource, true);
}

export function tableOptions(
  core: Core,
  exchange: Exchange,
  representation: Representation,
): TableOptions {
  const include = exchange.query.get('includeObject') || 'Metadata';
  if (include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  return { includeObject: include, now: core.now(), version: representation.version };
}

/** GET of a collection. */
export async function handleList(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const representation = negotiate(exchange.header('accept'), true, resource.isCustom);
  const options = listOptions(exchange.query, false);
  const page = await listPage(core, resource, exchange.info.namespace, options);
  await prepareEntries(resource, page.entries);
  if (isPlainJson(exchange, representation)) {
    await writeList(exchange, resource, page);
    return;
  }
  const { mediaType, version } = representation;
  const listMeta = listMetadata(page, resource);
  const objects = page.entries.toArray().map((entry) => fromEntry(entry, resource));
  if (representation.as === 'table') {
    if (listMeta.continue === '') delete listMeta.continue;
    const table = tableOf(
      resource,
      objects,
      listMeta,
      tableOptions(core, exchange, representation),
    );
    answerJson(exchange, 200, table, mediaType);
  } else if (representation.as === 'object') {
    answerJson(exchange, 200, listObject(resource, listMeta, objects), mediaType);
  } else if (representation.as === 'partial-list') {
    const list = {
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: listMeta,
      items: objects.map((object) => partialOf(object, version)),
    };
    answerJson(exchange, 200, list, mediaType);
  } else throw wrongView(resource, false);
}

export function listObject(
  resource: Resource,
  metadata: Record<string, unknown>,
  objects: readonly DynamicObject[],
): Record<string, unknown> {
  const items = resource.isCustom
    ? objects
    : objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
  return { kind: resource.listKind, apiVersion: apiVersionText(resource), metadata, items };
}

/** The metadata of one object was asked of a list, or the other way round. */
function wrongView(resource: Resource, isOne: boolean): ApiError {
  const group = resource.group === '' ? 'core' : (resource.group.split('.')[0] as string);
  const what = isOne
    ? `you requested PartialObjectMetadataList, but the requested object is not a list (*${group}.${resource.kind})`
    : `you requested PartialObjectMetadata, but the requested object is a list (*${group}.${resource.listKind})`;
  return new ApiError(406, 'NotAcceptable', what);
}
