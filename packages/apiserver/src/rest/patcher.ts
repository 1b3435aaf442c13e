import { applyStrategicMergePatch, patchSchemaOf } from '@waygate/schema';
import {
  applyJsonPatch,
  applyMergePatch,
  isObject,
  type JsonPatchOperation,
  TextError,
} from '@waygate/text';
import { JsonProblem, maxJsonDepth, parseJson } from '../decode/json-text.ts';
import { ApiError, badRequest, plainFailure, requestTooLarge } from '../status/api-error.ts';
import { explainStrategicFailure, mixedLists } from './strategic-failure.ts';

export const jsonPatch = 'application/json-patch+json';
export const mergePatch = 'application/merge-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';
export const applyPatch = 'application/apply-patch+yaml';

/** A patch that was read; `apply` leaves what it is given as it is. */
export interface Patcher {
  apply(current: object): unknown;
  /** The patch of a merge, whose keys messages keep in their order. */
  readonly merged?: Record<string, unknown>;
  /** The patch of a strategic merge, which messages show in place of what came of it. */
  readonly strategic?: Record<string, unknown>;
}

interface PatchedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Reads a patch of one of the three types that change what is there. It nests no deeper than a body may,
 * and neither does what it makes; a JSON patch has at most 10,000 operations.
 */
export function patcherOf(type: string, text: string, kind: PatchedKind): Patcher {
  if (type === jsonPatch) return jsonPatcher(text);
  if (type === mergePatch) {
    const patch = parsePatch(text, 'error decoding patch: ');
    if (patch === null) throw badRequest('Invalid JSON Patch');
    const merged = mapOf(withoutListedNulls(patch, false), 'error decoding patch: ');
    return { merged, apply: (current) => applyMergePatch(current, merged) };
  }
  return strategicPatcher(mapOf(parsePatch(text, ''), ''), kind);
}

/** Objects in lists are new ones: a null in them takes nothing away, and is not set either. */
function withoutListedNulls(value: unknown, isListed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutListedNulls(item, true));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null || !isListed)
      .map(([key, part]) => [key, withoutListedNulls(part, isListed)]),
  );
}

function parsePatch(text: string, prefix: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw badRequest(`${prefix}${error.message}`);
  }
}

function mapOf(patch: unknown, prefix: string): Record<string, unknown> {
  if (isObject(patch)) return patch;
  throw cannotUnmarshal(patch, 'map[string]interface {}', prefix);
}

function cannotUnmarshal(patch: unknown, goType: string, prefix: string): ApiError {
  const kind = Array.isArray(patch)
    ? 'array'
    : patch === null
      ? 'null'
      : typeof patch === 'boolean'
        ? 'bool'
        : typeof patch;
  return badRequest(`${prefix}json: cannot unmarshal ${kind} into Go value of type ${goType}`);
}

const maxOperations = 10_000;

function jsonPatcher(text: string): Patcher {
  const prefix = 'error decoding patch: ';
  const operations = parsePatch(text, prefix);
  if (!Array.isArray(operations)) {
    throw cannotUnmarshal(operations, '[]handlers.jsonPatchOp', prefix);
  }
  if (operations.length > maxOperations) {
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  const replacesAll = (operations as JsonPatchOperation[]).some(
    (each) => isObject(each) && each.path === '' && each.op !== 'test',
  );
  return {
    apply(current) {
      if (replacesAll) throw rejected();
      try {
        return applyJsonPatch(current, operations as JsonPatchOperation[], {
          maxDepth: maxJsonDepth,
        });
      } catch (error) {
        if (!(error instanceof TextError)) throw error;
        throw rejected();
      }
    },
  };
}

function rejected(): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError(422, 'Invalid', message, {});
}

function strategicPatcher(patch: Record<string, unknown>, kind: PatchedKind): Patcher {
  const schema = patchSchemaOf(kind);
  return {
    strategic: patch,
    apply(current) {
      const mixed = mixedLists(current as Record<string, unknown>, patch, schema);
      if (mixed !== undefined) throw plainFailure(mixed);
      try {
        return applyStrategicMergePatch(current, patch, schema);
      } catch (error) {
        if (!(error instanceof TextError)) throw error;
        if (error.message.includes('$retainKeys'))
          throw badRequest('invalid patch format of retainKeys');
        throw plainFailure(explainStrategicFailure(patch, schema) ?? error.message);
      }
    },
  };
}
