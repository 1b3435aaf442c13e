import type { Core } from '../core/core.ts';
import { decodeBody } from '../decode/request-body.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import type { Resource } from '../resources/resource.ts';
import { createObject } from './object-creation.ts';
import { decodeObject } from './object-decoder.ts';
import { answerObject } from './read-handlers.ts';
import { writeOptions } from './write-options.ts';

/** POST to a collection. */
export async function handleCreate(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const options = writeOptions(exchange, 'CreateOptions');
  const representation = negotiate(exchange.header('accept'), false, resource.isCustom);
  const body = decodeBody(await exchange.bodyText(), exchange.contentType, resource.kind);
  const decoded = decodeObject(body, resource, options.fieldValidation);
  for (const warning of decoded.warnings) exchange.warn(warning);
  applyDefaults(resource, decoded.object);
  const created = await createObject(core, {
    resource,
    namespace: exchange.info.namespace,
    object: decoded.object,
    user: exchange.user,
    fieldManager: options.fieldManager,
    isDryRun: options.isDryRun,
    options: requestOptions(exchange, 'CreateOptions'),
    warn: (text) => exchange.warn(text),
  });
  answerObject(core, exchange, resource, 201, created, representation);
}

export function applyDefaults(
  resource: Resource,
  object: Parameters<typeof createObject>[1]['object'],
): void {
  resource.strategy.applyDefaults?.(object);
  resource.custom?.applyDefaults(object);
}

/** The options as admission webhooks see them. */
export function requestOptions(exchange: Exchange, kind: string): Record<string, unknown> {
  const { query } = exchange;
  const dryRun = query.getAll('dryRun').filter((each) => each !== '');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === '' ? {} : { fieldValidation }),
  };
}
