import { withSortedKeys } from '@waygate/text';
import {
  copyState,
  isStateObject,
  type StateObject,
  type StateValue,
} from '../rewrite/state-document.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const shared = '#/components/schemas/';

/** A schema that stands alone: what it refers to comes along, under `definitions`. */
export function standaloneSchema(document: OpenApiDocument, schema: StateObject): StateObject {
  const definitions: Record<string, StateValue> = {};
  const seen = new Set<string>();
  const gather = (value: StateValue | undefined): void => {
    if (Array.isArray(value)) for (const element of value) gather(element);
    else if (isStateObject(value)) {
      const { $ref: reference } = value;
      if (typeof reference !== 'string') for (const inner of Object.values(value)) gather(inner);
      else if (!seen.has(reference)) {
        seen.add(reference);
        const target = document.at(reference);
        definitions[definitionName(reference)] = target;
        gather(target);
      }
    }
  };
  gather(schema);
  const alone = seen.size === 0 ? copyState(schema) : { ...copyState(schema), definitions };
  return pointToDefinitions(alone) as StateObject;
}

function definitionName(reference: string): string {
  return reference.startsWith(shared) ? reference.slice(shared.length) : reference;
}

function pointToDefinitions(value: StateValue): StateValue {
  if (Array.isArray(value)) return value.map(pointToDefinitions);
  if (!isStateObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' && inner.startsWith(shared)
        ? `#/definitions/${inner.slice(shared.length)}`
        : pointToDefinitions(inner ?? null),
    ]),
  );
}

/** JSON as Go writes it: keys in order, and what HTML could misread as its number. */
export function goJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value)).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Whether a schema is one of several without saying of which type it is: the plugin must know the
 * type of a parameter, to read its text.
 */
export function lacksType(schema: StateObject): boolean {
  return typeOfChoice(schema) === '';
}

/** The type of the first choice found from the top; '' where it has none, undefined without choice. */
function typeOfChoice(schema: StateObject): string | undefined {
  const isChoice = Array.isArray(schema.oneOf) || Array.isArray(schema.anyOf);
  const { type } = schema;
  if (isChoice && typeof type === 'string' && type !== '') return type;
  for (const [key, value] of Object.entries(schema)) {
    // The elements of a list may be one of several: that the list is a list is known.
    if (key === 'items' && isStateObject(value) && value.oneOf !== undefined) continue;
    const inner = Array.isArray(value) ? value : [value];
    for (const one of inner) {
      const found = isStateObject(one) ? typeOfChoice(one) : undefined;
      if (found !== undefined) return found;
    }
  }
  return isChoice ? '' : undefined;
}
