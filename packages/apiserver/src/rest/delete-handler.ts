import type { DynamicObject } from '@waygate/schema';
import type { Core } from '../core/core.ts';
import { answerJson } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import type { Resource } from '../resources/resource.ts';
import { fromEntry, prepareEntries } from '../resources/stored-object.ts';
import { ApiError } from '../status/api-error.ts';
import { type DeleteOptions, deleteOptions } from './delete-options.ts';
import { listOptions } from './list-options.ts';
import { listPage } from './list-page.ts';
import { listMetadata } from './list-writer.ts';
import { deleteObject } from './object-deletion.ts';
import { answerObject, listObject } from './read-handlers.ts';

/** Kinds whose deletion answers with the object instead of a status. */
const returnsObject = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

/** DELETE of one object. */
export async function handleDelete(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const { namespace, name } = exchange.info;
  const options = await deleteOptions(exchange);
  const representation = negotiate(exchange.header('accept'), false, resource.isCustom);
  warnOfOrphans(exchange, resource, options);
  const { object, isGone } = await deleteObject(core, {
    resource,
    namespace,
    name,
    user: exchange.user,
    options,
    rawOptions: rawOptions(options),
    warn: (text) => exchange.warn(text),
  });
  if (isGone && !(resource.group === '' && returnsObject.has(resource.plural))) {
    answerJson(exchange, 200, successStatus(resource, object), representation.mediaType);
    return;
  }
  answerObject(core, exchange, resource, 200, object, representation);
}

function warnOfOrphans(exchange: Exchange, resource: Resource, options: DeleteOptions): void {
  const { deletionWarning } = resource.strategy;
  if (deletionWarning !== undefined && options.propagationPolicy === undefined)
    exchange.warn(deletionWarning);
}

/** As admission webhooks see them. */
function rawOptions(options: DeleteOptions): Record<string, unknown> {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(options.gracePeriodSeconds === undefined
      ? {}
      : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.propagationPolicy === undefined
      ? {}
      : { propagationPolicy: options.propagationPolicy }),
    ...(options.isDryRun ? { dryRun: ['All'] } : {}),
  };
}

function successStatus(resource: Resource, object: DynamicObject): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.metadata.name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: object.metadata.uid,
    },
  };
}

/** DELETE of a collection: whatever the selectors leave. Answers with the list of what it found. */
export async function handleDeleteCollection(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const options = await deleteOptions(exchange);
  warnOfOrphans(exchange, resource, options);
  const page = await listPage(
    core,
    resource,
    exchange.info.namespace,
    listOptions(exchange.query, false),
  );
  for (const entry of page.entries) {
    try {
      await deleteObject(core, {
        resource,
        namespace: entry.namespace,
        name: entry.name,
        isOfCollection: true,
        user: exchange.user,
        options,
        rawOptions: rawOptions(options),
        warn: (text) => exchange.warn(text),
      });
    } catch (error) {
      // Gone already is what was asked for.
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }
  await prepareEntries(resource, page.entries);
  const objects = page.entries.toArray().map((entry) => fromEntry(entry, resource));
  answerJson(exchange, 200, listObject(resource, listMetadata(page, resource), objects));
}
