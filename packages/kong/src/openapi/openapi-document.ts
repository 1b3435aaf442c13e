import { KongError } from '../kong-error.ts';
import {
  copyState,
  isStateObject,
  readStateDocument,
  type StateObject,
  type StateValue,
} from '../rewrite/state-document.ts';

/** What is wrong with a document ends its conversion. */
export function refuse(message: string): never {
  throw new KongError('WG_KONG_FILE', message);
}

/** An OpenAPI document of version 3, and how its references are followed. */
export class OpenApiDocument {
  readonly root: StateObject;

  constructor(text: string, file: string) {
    this.root = readStateDocument(text, file);
    const { openapi, swagger } = this.root;
    if (swagger !== undefined)
      refuse(`${file} is in the format of OpenAPI 2 (Swagger); convert it to OpenAPI 3 first`);
    if (!/^3\.\d/.test(String(openapi ?? '')))
      refuse(`${file} is no OpenAPI document of version 3: its field "openapi" says ${openapi}`);
  }

  get components(): StateObject {
    const { components } = this.root;
    return isStateObject(components) ? components : {};
  }

  /** The object itself, or what its reference points at inside the document. */
  resolve(value: StateValue | undefined): StateObject | undefined {
    const seen = new Set<string>();
    let current = value;
    while (isStateObject(current) && typeof current.$ref === 'string') {
      const reference = current.$ref;
      if (seen.has(reference)) refuse(`the reference '${reference}' goes round in a circle`);
      seen.add(reference);
      current = this.at(reference);
    }
    return isStateObject(current) ? current : undefined;
  }

  /** What a JSON pointer such as `#/components/schemas/Pet` points at. */
  at(reference: string): StateValue {
    if (!reference.startsWith('#/'))
      refuse(`the reference '${reference}' leads out of the document, which is not followed`);
    let current: StateValue | undefined = this.root;
    for (const segment of reference.slice(2).split('/')) {
      const key = unescaped(segment, reference);
      current = Array.isArray(current)
        ? current[Number(key)]
        : isStateObject(current) && Object.hasOwn(current, key)
          ? current[key]
          : undefined;
      if (current === undefined) refuse(`reference '${reference}' not found`);
    }
    return current;
  }

  /** A directive such as `x-kong-route-defaults` at one place; a copy, to be changed. */
  directive(owner: StateObject, key: string): StateObject | undefined {
    const value = owner[key];
    if (value === undefined || value === null) return undefined;
    if (!isStateObject(value)) refuse(`expected '${key}' to be a JSON/YAML object`);
    return copyState(this.#kongReference(value));
  }

  #kongReference(value: StateObject): StateObject {
    const { $ref: reference } = value;
    if (reference === undefined || reference === null) return value;
    if (typeof reference !== 'string') refuse(`expected '$ref' pointer to be a string`);
    if (!reference.startsWith('#/components/x-kong/'))
      refuse(`all 'x-kong-...' references must be at '#/components/x-kong/...'`);
    const shared = this.components['x-kong'] ?? {};
    if (!isStateObject(shared)) refuse(`expected '/components/x-kong' to be a JSON/YAML object`);
    let current: StateObject = shared;
    let place = '#/components/x-kong';
    for (const segment of reference.split('/').slice(3)) {
      place += `/${segment}`;
      const next: StateValue | undefined = Object.hasOwn(current, segment)
        ? current[segment]
        : undefined;
      if (next === undefined || next === null) refuse(`reference '${reference}' not found`);
      if (!isStateObject(next)) refuse(`expected '${place}' to be a JSON object`);
      current = next;
    }
    return current;
  }
}

function unescaped(segment: string, reference: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return refuse(`reference '${reference}' is no JSON pointer`);
  }
}

/** The text of `x-kong-name`, or nothing. */
export function kongName(owner: StateObject): string {
  const name = owner['x-kong-name'];
  if (name === undefined || name === null) return '';
  if (isStateObject(name) || Array.isArray(name)) refuse(`expected 'x-kong-name' to be a string`);
  return String(name);
}

/** The list of objects at a field; none where it is not there. */
export function listOf(owner: StateObject, field: string): readonly StateValue[] {
  const value = owner[field];
  return Array.isArray(value) ? value : [];
}
