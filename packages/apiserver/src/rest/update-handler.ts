import type { DynamicObject } from '@waygate/schema';
import { demandAccess } from '../access/access-check.ts';
import type { Core } from '../core/core.ts';
import { decodeBody } from '../decode/request-body.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import { requestAttributes } from '../http/request-info.ts';
import type { Resource } from '../resources/resource.ts';
import { type ApiError, badRequest } from '../status/api-error.ts';
import { applyDefaults, requestOptions } from './create-handler.ts';
import { createObject } from './object-creation.ts';
import { decodeObject } from './object-decoder.ts';
import { updateObject } from './object-update.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import { answerObject } from './read-handlers.ts';
import { writeOptions } from './write-options.ts';

/** PUT of an object or of its status. */
export async function handleUpdate(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const { namespace, name, subresource } = exchange.info;
  const options = writeOptions(exchange, 'UpdateOptions');
  const representation = negotiate(exchange.header('accept'), false, resource.isCustom);
  const body = decodeBody(await exchange.bodyText(), exchange.contentType, resource.kind);
  const decoded = decodeObject(body, resource, options.fieldValidation);
  for (const warning of decoded.warnings) exchange.warn(warning);
  const { object } = decoded;
  checkPlace(object, exchange.info, resource);
  dropRepeatedOwners(object, (text) => exchange.warn(text));
  applyDefaults(resource, object);
  let code = 200;
  const shared = {
    resource,
    namespace,
    user: exchange.user,
    fieldManager: options.fieldManager,
    isDryRun: options.isDryRun,
    options: requestOptions(exchange, 'UpdateOptions'),
    warn: (text: string) => exchange.warn(text),
  };
  const updated = await updateObject(core, {
    ...shared,
    subresource,
    name,
    isReplacement: true,
    transform: () => structuredClone(object),
    ...(resource.strategy.allowsCreateOnUpdate && subresource === ''
      ? {
          createMissing: () => {
            code = 201;
            return createObject(core, {
              ...shared,
              pathName: name,
              confirm: () => demandCreate(core, exchange),
              object: structuredClone(object),
            });
          },
        }
      : {}),
  });
  answerObject(core, exchange, resource, code, updated, representation);
}

/** Whoever creates by another verb needs the right to create beside it. */
export function demandCreate(core: Core, exchange: Exchange): void {
  const { namespace, name } = exchange.info;
  const attributes = requestAttributes(exchange.user, exchange.info);
  demandAccess(core.authorizer, { ...attributes, verb: 'create', namespace, name });
}

/** What is said of an object that has no name of its own. */
export function undeterminable(name: string): ApiError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** The object has to be the one that the path names. */
export function checkPlace(
  object: DynamicObject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  resource: Resource,
): void {
  if (!resource.isNamespaced) delete object.metadata.namespace;
  const given = object.metadata.name ?? '';
  if (given === '') throw undeterminable(name);
  if (given !== name) {
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
  const givenNamespace = object.metadata.namespace ?? '';
  if (givenNamespace !== '' && givenNamespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
}
