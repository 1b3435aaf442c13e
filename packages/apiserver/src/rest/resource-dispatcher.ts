import type { Core } from '../core/core.ts';
import { answerNoPage } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Resource } from '../resources/resource.ts';
import { methodNotAllowed, resourceNotFound } from '../status/api-error.ts';
import { handleCreate } from './create-handler.ts';
import { handleDelete, handleDeleteCollection } from './delete-handler.ts';
import { handlePatch } from './patch-handler.ts';
import { handleGet, handleList } from './read-handlers.ts';
import { handleScale } from './scale-handler.ts';
import { handleUpdate } from './update-handler.ts';
import { handleWatch } from './watch-handler.ts';

export type ResourceHandler = (core: Core, exchange: Exchange, resource: Resource) => Promise<void>;

const handlers: Readonly<Record<string, ResourceHandler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

/** Endpoints with a meaning of their own, by `plural/subresource` or `plural` and group. */
export type SpecialHandlers = ReadonlyMap<string, ResourceHandler>;

/** Finds the resource that a request speaks of; undefined when the path leads nowhere. */
function findResource(core: Core, exchange: Exchange): Resource | undefined {
  const { group, version, resource } = exchange.info;
  return core.registry.find(group, version, resource);
}

/** Brings a request for a resource to its handler. */
export async function dispatchResource(
  core: Core,
  exchange: Exchange,
  special: SpecialHandlers,
): Promise<void> {
  const { info } = exchange;
  const resource = findResource(core, exchange);
  if (resource === undefined) {
    if (core.registry.isBuiltinGroup(info.group)) throw resourceNotFound();
    // A group that is not there, or a version or resource that its definitions do not have.
    answerNoPage(exchange);
    return;
  }
  if (
    resource.isNamespaced !== (info.namespace !== '') &&
    !isAcrossNamespaces(exchange, resource)
  ) {
    if (resource.isCustom) {
      answerNoPage(exchange);
      return;
    }
    throw resource.isNamespaced && info.name === '' && info.verb === 'create'
      ? methodNotAllowed()
      : resourceNotFound();
  }
  if (exchange.request.method === 'HEAD') throw methodNotAllowed();
  const own = special.get(specialKey(resource, info.subresource));
  if (info.subresource !== '') {
    await dispatchSubresource(core, exchange, resource, own);
    return;
  }
  if (!resource.verbs.includes(info.verb)) throw methodNotAllowed();
  const handler = (info.verb === 'create' ? own : undefined) ?? handlers[info.verb];
  if (handler === undefined || (info.verb === 'create' && info.name !== '')) {
    throw methodNotAllowed();
  }
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) {
    throw methodNotAllowed();
  }
  if (resource.strategy.deprecation !== undefined) exchange.warn(resource.strategy.deprecation);
  await handler(core, exchange, resource);
}

function specialKey(resource: { group: string; plural: string }, subresource = ''): string {
  const place = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  return subresource === '' ? place : `${place}/${subresource}`;
}

/** Lists and watches may span all namespaces; nothing else may. */
function isAcrossNamespaces(exchange: Exchange, resource: Resource): boolean {
  const { verb, name, namespace } = exchange.info;
  if (!resource.isNamespaced || namespace !== '') return false;
  return (verb === 'list' || verb === 'watch') && name === '';
}

async function dispatchSubresource(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  own: ResourceHandler | undefined,
): Promise<void> {
  const { subresource, verb } = exchange.info;
  const known = resource.subresources.get(subresource);
  if (known === undefined) throw resourceNotFound();
  if (!known.verbs.includes(verb)) throw methodNotAllowed();
  if (own !== undefined) {
    await own(core, exchange, resource);
    return;
  }
  if (subresource === 'scale') {
    await handleScale(core, exchange, resource);
    return;
  }
  const isOwnKind = known.group === undefined && known.kind === resource.kind;
  const handler = isOwnKind ? handlers[verb] : undefined;
  if (handler === undefined) throw methodNotAllowed();
  await handler(core, exchange, resource);
}
