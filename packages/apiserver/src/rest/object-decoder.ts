import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { conform, DecodeProblem } from '../decode/conform.ts';
import { orderComplaints, type RequestBody } from '../decode/request-body.ts';
import { isBuiltInKind, unregistered } from '../decode/type-meta.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import { badRequest, invalidObject, plainFailure } from '../status/api-error.ts';
import { metadataType } from '../typed-schema/metadata-type.ts';
import type { StructNode } from '../typed-schema/type-node.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

interface DecodedObject {
  readonly object: DynamicObject;
  readonly warnings: readonly string[];
}

/**
 * Turns a body into an object of a resource: the kind is checked, the values get the types of
 * the schema, and what the schema does not know is dropped, warned of or refused.
 */
export function decodeObject(
  body: RequestBody,
  resource: Resource,
  validation: FieldValidation,
  type: StructNode = resource.type,
  kind: { group: string; version: string; kind: string } = resource,
): DecodedObject {
  const value = { ...body.value };
  const apiVersion = textOf(value.apiVersion);
  const givenKind = textOf(value.kind);
  checkKind(resource, kind, apiVersion, givenKind, value);
  delete value.apiVersion;
  delete value.kind;
  try {
    const result =
      resource.isCustom && kind === resource
        ? decodeCustom(value, resource)
        : conform(value, type, body.isRestored);
    const complaints = orderComplaints(body, result.unknownFields);
    const object = {
      kind: kind.kind,
      apiVersion: apiVersionText(kind),
      ...result.value,
    } as unknown as DynamicObject;
    if (validation === 'Strict' && complaints.length > 0) {
      throw badRequest(
        `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: strict decoding error: ${complaints.join(', ')}`,
      );
    }
    return { object, warnings: validation === 'Warn' ? complaints : [] };
  } catch (error) {
    if (!(error instanceof DecodeProblem)) throw error;
    if (body.isRestored === true) throw plainFailure(notRestored(value, kind, error));
    throw badRequest(
      `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${error.message}`,
    );
  }
}

/** What is said of an applied configuration whose values are not what the schema's types hold. */
function notRestored(
  { metadata }: Readonly<Record<string, unknown>>,
  kind: { group: string; version: string; kind: string },
  problem: DecodeProblem,
): string {
  const name = isObject(metadata) ? textOf(metadata.name) : '';
  const what = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  return `failed to convert new object (/${name}; ${what}) to proper version: unable to convert unstructured object to ${what}: ${problem.restoring}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Metadata of custom resources is typed; the rest follows the definition's schema. */
function decodeCustom(value: Record<string, unknown>, resource: Resource) {
  const metadata = value.metadata;
  const conformed = conform(isObject(metadata) ? metadata : {}, metadataType());
  const object = { ...value, metadata: conformed.value } as unknown as DynamicObject;
  const pruned = resource.custom?.prune(object) ?? [];
  const unknownFields = [...conformed.unknownFields.map((path) => `metadata.${path}`), ...pruned];
  return { value: object as unknown as Record<string, unknown>, unknownFields };
}

function checkKind(
  resource: Resource,
  kind: { group: string; version: string; kind: string },
  apiVersion: string,
  givenKind: string,
  document: Readonly<Record<string, unknown>>,
): void {
  const wanted = apiVersionText(kind);
  const isRightKind = givenKind === '' || givenKind === kind.kind;
  const isRightVersion = apiVersion === '' || apiVersion === wanted;
  if (isRightKind && isRightVersion) return;
  if (resource.isCustom) {
    if (!isRightKind && isRightVersion) {
      const { metadata } = document;
      const name = isObject(metadata) ? textOf(metadata.name) : '';
      throw invalidObject({ group: resource.group, kind: givenKind }, name, [
        { type: 'invalid', field: 'kind', value: givenKind, detail: `must be ${kind.kind}` },
      ]);
    }
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
  const scheme = 'pkg/api/legacyscheme/scheme.go:30';
  const subject = `${givenKind === '' ? kind.kind : givenKind} in version ${JSON.stringify(parseApiVersion(apiVersion).version)} cannot be handled as a ${kind.kind}`;
  const given = givenKind === '' ? kind.kind : givenKind;
  const version = apiVersion === '' ? wanted : apiVersion;
  if (!isBuiltInKind(version, given))
    throw badRequest(`${subject}: ${unregistered(version, given, scheme)}`);
  const internal = internalGroup(kind.group);
  throw badRequest(
    `${subject}: converting (${parseApiVersion(version).version}.${given}) to (${internal}.${kind.kind}): unknown conversion`,
  );
}

/** The name of the Go package that holds the internal types of a group. */
function internalGroup(group: string): string {
  if (group === '') return 'core';
  return group.split('.')[0] as string;
}
