import { definitionNameOf, parseApiVersion } from '@waygate/schema';
import type { FieldNode, StructNode } from '../typed-schema/type-node.ts';
import { jsonTypeName } from './go-text.ts';

const text: FieldNode = {
  type: { kind: 'scalar', scalar: 'string', goType: 'string' },
  isEmbedded: false,
};

/** The two fields that say what an object is. */
export const typeMeta: StructNode = {
  kind: 'struct',
  name: 'TypeMeta',
  fields: new Map([
    ['kind', text],
    ['apiVersion', text],
  ]),
  isAtomic: false,
  isOpen: false,
};

/** Why a document does not tell of what kind it is: what should say so is no text. */
export function typeMetaProblem(value: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of ['apiVersion', 'kind']) {
    const given = value[field];
    if (given === null || given === undefined || typeof given === 'string') continue;
    return `json: cannot unmarshal ${jsonTypeName(given)} into Go struct field .${field} of type string`;
  }
  return undefined;
}

/** Whether a server has such a kind built in, be it one that is stored or not. */
export function isBuiltInKind(apiVersion: string, kind: string): boolean {
  return definitionNameOf({ ...parseApiVersion(apiVersion), kind }) !== undefined;
}

/** What the decoder says of a kind that there is not. */
export function unregistered(apiVersion: string, kind: string, scheme: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`;
}
