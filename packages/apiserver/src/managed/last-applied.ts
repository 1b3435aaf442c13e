import { decodeJson, goJson, isObject } from '@waygate/text';
import type { TypeNode } from '../typed-schema/type-node.ts';
import { compareTyped } from './comparison.ts';
import { FieldSet } from './field-set.ts';
import type { OwnershipConflict } from './ownership.ts';
import { fieldSetOf, TypedProblem } from './typed-value.ts';

type Json = Record<string, unknown>;

/** Where kubectl keeps what it applied from the client's side. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Only kubectl's own name moves an object from one kind of apply to the other. */
export const migratingManager = 'kubectl';
/** All annotations together may have no more; the note is left out rather than the apply refused. */
const maxAnnotationBytes = 256 * 1024;

/**
 * What kubectl applied from the client's side and the object still has: its server-side apply
 * may take these fields from whoever holds them, for it was itself.
 */
export function fieldsOfLastApplied(live: Json, apiVersion: string, type: TypeNode): FieldSet {
  const text = annotationsOf(live)?.[lastAppliedAnnotation];
  if (typeof text !== 'string' || text === '') return FieldSet.empty;
  let last: unknown;
  try {
    last = decodeJson(text);
  } catch {
    return FieldSet.empty;
  }
  if (!isObject(last) || last.apiVersion !== apiVersion) return FieldSet.empty;
  const { kind: _kind, apiVersion: _apiVersion, ...configuration } = last;
  try {
    const comparison = compareTyped(configuration, live, type);
    return fieldSetOf(configuration, type)
      .difference(comparison.modified)
      .difference(comparison.added)
      .difference(comparison.removed);
  } catch (error) {
    // A note that does not fit the type says nothing.
    if (error instanceof TypedProblem) return FieldSet.empty;
    throw error;
  }
}

export function withoutFields(
  conflicts: readonly OwnershipConflict[],
  allowed: FieldSet,
): OwnershipConflict[] {
  return conflicts
    .map((each) => ({ ...each, fields: each.fields.difference(allowed) }))
    .filter((each) => !each.fields.isEmpty);
}

/** Keeps the note true after a server-side apply by kubectl, so that one can go back. */
export function refreshLastApplied(object: Json, configuration: Json): void {
  const annotations = annotationsOf(object);
  const current = annotations?.[lastAppliedAnnotation];
  if (annotations === undefined || typeof current !== 'string' || current === '') return;
  const noted = structuredClone(configuration);
  const own = annotationsOf(noted);
  if (own !== undefined) delete own[lastAppliedAnnotation];
  annotations[lastAppliedAnnotation] = `${goJson(noted, { sortsKeys: true })}\n`;
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }
  if (size > maxAnnotationBytes) delete annotations[lastAppliedAnnotation];
}

function annotationsOf(object: Json): Json | undefined {
  const metadata = object.metadata;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : undefined;
}
