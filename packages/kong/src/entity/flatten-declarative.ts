import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from './entities.ts';
import type { CollectionName, EntityKind, EntityReference } from './entity-kinds.ts';

/** An entity of a declarative document, with where it stands in it. */
export interface DeclaredEntity {
  readonly kind: EntityKind;
  /** As written, without what is nested in it. */
  readonly item: JsonObject;
  /** What it is nested in, and the field that refers to that. */
  readonly parent: { readonly entity: DeclaredEntity; readonly field: string } | undefined;
  /** The key of the list that it stands in, and its place there. */
  readonly list: string;
  readonly index: number;
  /** The keys of lists nested in it, even of empty ones. */
  readonly nested: readonly string[];
  /** The id that it has or gets, once that is known. */
  id: string | undefined;
}

/** Something in a place where there should be a list, or with an index, an entity. */
export interface MisshapenPart {
  readonly parent: DeclaredEntity | undefined;
  readonly list: string;
  readonly index: number | undefined;
  readonly value: JsonValue;
}

interface Nesting {
  readonly kind: EntityKind;
  /** The key of the list in the parent. */
  readonly key: string;
  /** The field that refers to the parent. */
  readonly field: string;
}

/** Kinds that may be nested under a kind. */
export type Nestings = ReadonlyMap<CollectionName, readonly Nesting[]>;

/** What decK and Kong see differently. */
export interface FlattenRules {
  /** Kinds that a document may hold at its top. */
  readonly kinds: readonly EntityKind[];
  readonly nestings: Nestings;
  /** Whether what stands under a key for nested entities is meant as such. */
  readonly isNested: (value: JsonValue) => boolean;
  /** Keys that say nothing on an entity. */
  readonly ignored?: ReadonlySet<string>;
  readonly onMisshapen?: (part: MisshapenPart) => void;
}

/**
 * ```ts
 * const nestings = nestingsOf(entityKinds, (kind) => kind.collection);
 * nestings.get('services')?.map(({ key }) => key).includes('routes'); // true
 * ```
 *
 * @param keyOf - the key under which the holders of a reference are nested, if they can be
 */
export function nestingsOf(
  kinds: readonly EntityKind[],
  keyOf: (kind: EntityKind, reference: EntityReference) => string | undefined,
): Nestings {
  const nestings = new Map<CollectionName, Nesting[]>();
  for (const kind of kinds) {
    for (const reference of kind.references) {
      const key = keyOf(kind, reference);
      const list = nestings.get(reference.collection) ?? [];
      if (key !== undefined) list.push({ kind, key, field: reference.field });
      nestings.set(reference.collection, list);
    }
  }
  return nestings;
}

/**
 * All entities of a document, parents before their children.
 *
 * ```ts
 * const document = { services: [{ name: 'shop', routes: [{ paths: ['/shop'] }] }] };
 * const rules = {
 *   kinds: entityKinds,
 *   nestings: nestingsOf(entityKinds, (kind) => kind.collection),
 *   isNested: Array.isArray,
 * };
 * [...flattenDeclarative(document, rules)].map(({ kind }) => kind.noun); // ['service', 'route']
 * ```
 */
export function* flattenDeclarative(
  document: JsonObject,
  rules: FlattenRules,
): Generator<DeclaredEntity> {
  for (const kind of rules.kinds) {
    yield* flattenList(kind, kind.collection, document[kind.collection], undefined, rules);
  }
}

/**
 * Keys and indexes from the root: `['services', 0, 'routes', 1]`.
 *
 * ```ts
 * const rules = {
 *   kinds: entityKinds,
 *   nestings: nestingsOf(entityKinds, (kind) => kind.collection),
 *   isNested: Array.isArray,
 * };
 * const [, route] = flattenDeclarative({ services: [{ name: 'shop', routes: [{ name: 'cart' }] }] }, rules);
 * pathOf(route!); // ['services', 0, 'routes', 0]
 * ```
 */
export function pathOf({ parent, list, index }: DeclaredEntity): readonly (string | number)[] {
  return parent === undefined ? [list, index] : [...pathOf(parent.entity), list, index];
}

const none: readonly never[] = [];

/** What an entity has nested in it; most have nothing, and there are many. */
function nestedIn(
  entity: JsonObject,
  possible: readonly Nesting[],
  { isNested }: FlattenRules,
): readonly Nesting[] {
  const isThere = ({ key }: Nesting): boolean => {
    const nested = entity[key];
    return nested !== undefined && isNested(nested);
  };
  return possible.some(isThere) ? possible.filter(isThere) : none;
}

function listsOf(entity: JsonObject, nestings: readonly Nesting[]): readonly string[] {
  return nestings.map(({ key }) => key).filter((key) => Array.isArray(entity[key]));
}

function* flattenList(
  kind: EntityKind,
  list: string,
  value: JsonValue | undefined,
  parent: DeclaredEntity['parent'],
  rules: FlattenRules,
): Generator<DeclaredEntity> {
  const misshapen = (part: JsonValue, index?: number) =>
    rules.onMisshapen?.({ parent: parent?.entity, list, index, value: part });
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) {
    // To Lua an empty object is an empty list.
    if (!isObject(value) || Object.keys(value).length > 0) misshapen(value);
    return;
  }
  const possible = rules.nestings.get(kind.collection) ?? none;
  for (const [index, element] of (value as readonly JsonValue[]).entries()) {
    if (!isObject(element)) {
      misshapen(element, index);
      continue;
    }
    const written = element as JsonObject;
    const nestings = nestedIn(written, possible, rules);
    const entity: DeclaredEntity = {
      kind,
      item: memberOf(kind, parent?.field, withoutKeys(written, nestings, rules.ignored)),
      parent,
      list,
      index,
      nested: nestings.length === 0 ? none : listsOf(written, nestings),
      id: undefined,
    };
    yield entity;
    for (const { kind: child, key, field } of nestings) {
      yield* flattenList(child, key, written[key], { entity, field }, rules);
    }
  }
}

/** The entity itself where nothing goes: copies of ten thousands of entities are memory. */
function withoutKeys(
  entity: JsonObject,
  nestings: readonly Nesting[],
  ignored: ReadonlySet<string> | undefined,
): JsonObject {
  if (nestings.length === 0 && ignored === undefined) return entity;
  const isOwn = (name: string) =>
    ignored?.has(name) !== true && nestings.every(({ key }) => key !== name);
  return Object.fromEntries(Object.entries(entity).filter(([name]) => isOwn(name)));
}

/** Of a membership a nested list holds only the other side. */
function memberOf(kind: EntityKind, field: string | undefined, item: JsonObject): JsonObject {
  if (kind.isMembership !== true || field === undefined) return item;
  const other = kind.references.find((reference) => reference.field !== field);
  return other === undefined ? item : { [other.field]: item };
}
