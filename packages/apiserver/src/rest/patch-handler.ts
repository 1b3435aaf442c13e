import { applyStrategicMergePatch, type DynamicObject, patchSchemaOf } from '@waygate/schema';
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation, TextError } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { conform, DecodeProblem } from '../decode/conform.ts';
import { describeSyntax } from '../decode/json-syntax.ts';
import { JsonProblem, parseJson } from '../decode/json-text.ts';
import { stringifyOrdered } from '../decode/ordered-json.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import type { Resource } from '../resources/resource.ts';
import {
  ApiError,
  badRequest,
  invalidObject,
  plainFailure,
  unsupportedMediaType,
} from '../status/api-error.ts';
import { isPlainObject } from '../typed-schema/type-node.ts';
import { applyObject } from './apply-handler.ts';
import { applyDefaults, requestOptions } from './create-handler.ts';
import { decodeObject, type FieldValidation } from './object-decoder.ts';
import { updateObject } from './object-update.ts';
import { answerObject } from './read-handlers.ts';
import { explainStrategicFailure } from './strategic-failure.ts';
import { checkPlace } from './update-handler.ts';
import { writeOptions } from './write-options.ts';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

/** PATCH in its four kinds. */
export async function handlePatch(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const type = exchange.contentType;
  const accepted = resource.isCustom
    ? [jsonPatch, mergePatch, applyPatch]
    : [jsonPatch, mergePatch, strategicPatch, applyPatch];
  if (!accepted.includes(type)) {
    if ([jsonPatch, mergePatch, strategicPatch, applyPatch].includes(type)) {
      throw unsupportedMediaType(accepted);
    }
    throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const options = writeOptions(exchange, 'PatchOptions', type === applyPatch);
  const representation = negotiate(exchange.header('accept'), false, resource.isCustom);
  const text = await exchange.bodyText();
  if (type === applyPatch) {
    const { object, isCreated } = await applyObject(core, exchange, resource, text, options);
    answerObject(core, exchange, resource, isCreated ? 201 : 200, object, representation);
    return;
  }
  const { namespace, name, subresource } = exchange.info;
  const patcher = patcherOf(type, text, resource);
  const patch = type === mergePatch ? parseJson(text) : undefined;
  const updated = await updateObject(core, {
    resource,
    subresource,
    namespace,
    name,
    user: exchange.user,
    fieldManager: options.fieldManager,
    isDryRun: options.isDryRun,
    options: requestOptions(exchange, 'UpdateOptions'),
    warn: (warning) => exchange.warn(warning),
    transform: (current) => {
      const patched = patcher(current);
      // What the object is cannot be patched away; this kind of patch does not even try.
      if (type === strategicPatch && isPlainObject(patched))
        Object.assign(patched, { kind: current.kind, apiVersion: current.apiVersion });
      const object = typed(patched, patch, resource, options.fieldValidation, exchange);
      checkPlace(object, exchange.info, resource);
      applyDefaults(resource, object);
      return object;
    },
  });
  answerObject(core, exchange, resource, 200, updated, representation);
}

type Patcher = (current: DynamicObject) => unknown;

function patcherOf(type: string, text: string, resource: Resource): Patcher {
  if (type === jsonPatch) return jsonPatcher(text);
  if (type === mergePatch) {
    const patch = parsePatch(text, 'error decoding patch: ');
    if (patch === null) throw badRequest('Invalid JSON Patch');
    if (!isPlainObject(patch)) {
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
      );
    }
    return (current) => applyMergePatch(current, patch);
  }
  const patch = parsePatch(text, '');
  if (!isPlainObject(patch)) {
    throw badRequest(
      `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return strategicPatcher(patch, resource);
}

function parsePatch(text: string, prefix: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw badRequest(`${prefix}${describeSyntax(text)}`);
  }
}

function jsonKind(value: unknown): string {
  return Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
}

const maxOperations = 10_000;

function jsonPatcher(text: string): Patcher {
  const operations = parsePatch(text, 'error decoding patch: ');
  if (!Array.isArray(operations)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonKind(operations)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (operations.length > maxOperations) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  const replacesAll = (operations as JsonPatchOperation[]).some(
    (each) => isPlainObject(each) && each.path === '' && each.op !== 'test',
  );
  return (current) => {
    if (replacesAll) throw rejected();
    try {
      // The API's patch library is laxer than the RFC: `replace` of a key that is missing adds it.
      return applyJsonPatch(current, operations as JsonPatchOperation[], { replacesMissing: true });
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw rejected();
    }
  };
}

function rejected(): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError(422, 'Invalid', message, {});
}

function strategicPatcher(patch: Record<string, unknown>, resource: Resource): Patcher {
  const schema = patchSchemaOf(resource);
  return (current) => {
    try {
      return applyStrategicMergePatch(current, patch, schema);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw plainFailure(explainStrategicFailure(patch, schema) ?? error.message);
    }
  };
}

/** The patched document as an object of the resource. */
function typed(
  patched: unknown,
  patch: unknown,
  resource: Resource,
  validation: FieldValidation,
  exchange: Exchange,
): DynamicObject {
  const value = isPlainObject(patched) ? patched : {};
  if (!resource.isCustom) {
    const problem = typedProblem(value, resource, validation);
    if (problem !== undefined) {
      // The decoder's complaint comes with the document that could not be decoded.
      throw invalidObject({ group: '', kind: '' }, '', [
        { type: 'invalid', field: 'patch', value: stringifyOrdered(value, patch), detail: problem },
      ]);
    }
  }
  const body = { value, duplicates: [], text: '', isYaml: false };
  const decoded = decodeObject(body, resource, validation);
  for (const warning of decoded.warnings) exchange.warn(warning);
  return decoded.object;
}

function typedProblem(
  value: Record<string, unknown>,
  resource: Resource,
  validation: FieldValidation,
): string | undefined {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = value;
  try {
    const { unknownFields } = conform(rest, resource.type);
    if (validation !== 'Strict' || unknownFields.length === 0) return undefined;
    const complaints = unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`);
    return `strict decoding error: ${complaints.join(', ')}`;
  } catch (error) {
    if (error instanceof DecodeProblem) return error.message;
    throw error;
  }
}
