import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { conform, DecodeProblem } from '../decode/conform.ts';
import { goText } from '../decode/go-text.ts';
import { stringifyOrdered } from '../decode/ordered-json.ts';
import { isBuiltInKind, typeMeta, typeMetaProblem, unregistered } from '../decode/type-meta.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, invalidObject, unsupportedMediaType } from '../status/api-error.ts';
import { applyObject } from './apply-handler.ts';
import { applyDefaults, requestOptions } from './create-handler.ts';
import { decodeObject, type FieldValidation } from './object-decoder.ts';
import { updateObject } from './object-update.ts';
import {
  applyPatch,
  jsonPatch,
  mergePatch,
  type Patcher,
  patcherOf,
  strategicPatch,
} from './patcher.ts';
import { answerObject } from './read-handlers.ts';
import { checkPlace, undeterminable } from './update-handler.ts';
import { writeOptions } from './write-options.ts';

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
  const patch = patcherOf(type, text, resource);
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
      const patched = patch.apply(current);
      // What the object is cannot be patched away; this kind of patch does not even try.
      if (patch.strategic !== undefined && isObject(patched))
        for (const field of ['kind', 'apiVersion'] as const)
          if (typeof patched[field] === 'string' || patched[field] === undefined)
            patched[field] = current[field];
      const object = typed(patched, patch, resource, options.fieldValidation, exchange);
      checkPlace(object, exchange.info, resource);
      applyDefaults(resource, object);
      return object;
    },
  });
  answerObject(core, exchange, resource, 200, updated, representation);
}

/** The patched document as an object of the resource. */
export function typed(
  patched: unknown,
  patch: Patcher,
  resource: Resource,
  validation: FieldValidation,
  exchange: Exchange,
): DynamicObject {
  const value = isObject(patched) ? patched : {};
  if (!resource.isCustom) {
    const problem = typedProblem(value, patch, resource, validation);
    if (problem !== undefined) {
      // The decoder's complaint comes with the document that could not be decoded.
      const shown = patch.strategic
        ? goText(patch.strategic)
        : stringifyOrdered(value, patch.merged);
      throw invalidObject({ group: '', kind: '' }, '', [
        { type: 'invalid', field: 'patch', value: shown, detail: problem },
      ]);
    }
    // Without a version nobody knows where in it the name would be.
    if ((value.apiVersion ?? '') === '') {
      if (validation !== 'Ignore')
        for (const field of versionless(value))
          exchange.warn(`unknown field ${JSON.stringify(field)}`);
      throw undeterminable(exchange.info.name);
    }
  }
  const isRestored = patch.strategic !== undefined && !resource.isCustom;
  const body = { value, duplicates: [], text: '', isYaml: false, isRestored };
  const decoded = decodeObject(body, resource, validation);
  for (const warning of decoded.warnings) exchange.warn(warning);
  return decoded.object;
}

/** Of something without a version nothing is known but that it is something. */
function versionless({ kind, apiVersion, ...rest }: Record<string, unknown>): string[] {
  return Object.keys(rest).sort();
}

function typedProblem(
  value: Record<string, unknown>,
  { strategic }: Patcher,
  resource: Resource,
  validation: FieldValidation,
): string | undefined {
  const { kind, apiVersion, ...rest } = value;
  try {
    if (strategic !== undefined) conform({ kind, apiVersion }, typeMeta);
    else {
      const problem = kindProblem(value, resource);
      if (problem !== undefined) return problem;
    }
    const conformed = conform(rest, resource.type, strategic !== undefined).unknownFields;
    const hasVersion = strategic !== undefined || (apiVersion ?? '') !== '';
    const unknownFields = hasVersion ? conformed : versionless(value);
    if (validation !== 'Strict' || unknownFields.length === 0) return undefined;
    const complaints = unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`);
    return `strict decoding error: ${complaints.join(', ')}`;
  } catch (error) {
    if (!(error instanceof DecodeProblem)) throw error;
    return strategic === undefined ? error.message : error.restoring;
  }
}

/** What a patch says that its object is, if that is nothing that there is. */
function kindProblem(value: Record<string, unknown>, resource: Resource): string | undefined {
  const problem = typeMetaProblem(value);
  if (problem !== undefined) return `couldn't get version/kind; json parse error: ${problem}`;
  const apiVersion = String(value.apiVersion ?? '');
  const kind = String(value.kind ?? '') || resource.kind;
  return apiVersion === '' || isBuiltInKind(apiVersion, kind)
    ? undefined
    : unregistered(apiVersion, kind, 'pkg/runtime/scheme.go:111');
}
