import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type CollectionName, type EntityKind, entityKinds } from '../entity/entity-kinds.ts';
import { StepCounter, type Steps } from './steps.ts';

/** An entity as a file declares it, with the parent that it is nested under. */
export interface DeclaredEntity {
  readonly kind: EntityKind;
  readonly entity: JsonObject;
  readonly parent: DeclaredEntity | undefined;
  /** The field that refers to the parent. */
  readonly parentField: string | undefined;
  /** The id that it has in the target, once it has one. */
  id: string | undefined;
}

/** The entities of a configuration by kind, in the order of the files. */
export type DeclaredByKind = ReadonlyMap<EntityKind, readonly DeclaredEntity[]>;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

interface Nesting {
  readonly kind: EntityKind;
  /** The field that refers to the parent. */
  readonly field: string;
  /** The key of the list in the parent. */
  readonly key: string;
}

/** The kinds that may be nested under a kind. */
const children: ReadonlyMap<CollectionName, readonly Nesting[]> = new Map(
  entityKinds.map((parent) => [
    parent.collection,
    entityKinds.flatMap((kind) =>
      kind.references
        .filter(
          ({ nestedAs, collection }) => nestedAs !== undefined && collection === parent.collection,
        )
        .map(({ field, nestedAs }) => ({ kind, field, key: nestedAs ?? '' })),
    ),
  ]),
);

/** A member of a list as an entity: of a membership the list holds only the other side. */
function memberOf({ kind, field }: Nesting, element: JsonObject): JsonObject {
  if (kind.isMembership !== true) return element;
  const other = kind.references.find((reference) => reference.field !== field);
  return other === undefined ? element : { [other.field]: element };
}

/** Puts an entity, and what is nested in it, to the others of its kind. */
function flatten(
  kind: EntityKind,
  entity: JsonObject,
  parent: DeclaredEntity | undefined,
  parentField: string | undefined,
  into: Map<EntityKind, DeclaredEntity[]>,
): void {
  const nested = (children.get(kind.collection) ?? nothing).filter(({ key }) => {
    // In a service, `routes` is a list of routes; a route's own `snis` is a list of names.
    const value = entity[key];
    return Array.isArray(value) && value.every(isObject);
  });
  const own = nested.length === 0 ? entity : withoutLists(entity, nested);
  const declared: DeclaredEntity = { kind, entity: own, parent, parentField, id: undefined };
  const known = into.get(kind);
  if (known === undefined) into.set(kind, [declared]);
  else known.push(declared);
  for (const nesting of nested) {
    for (const element of listOf(entity[nesting.key])) {
      flatten(nesting.kind, memberOf(nesting, element), declared, nesting.field, into);
    }
  }
}

const nothing: readonly Nesting[] = [];

/** A copy without some keys: deleting them from one would make it slow for everybody after. */
function withoutLists(entity: JsonObject, nested: readonly Nesting[]): JsonObject {
  const isOwn = (name: string) => nested.every(({ key }) => key !== name);
  return Object.fromEntries(Object.entries(entity).filter(([name]) => isOwn(name)));
}

/** All entities of a configuration, those of a kind in a list, whatever they are nested in. */
export function* declaredEntities(config: DeclarativeConfig): Steps<DeclaredByKind> {
  const byKind = new Map<EntityKind, DeclaredEntity[]>();
  const counter = new StepCounter();
  for (const kind of entityKinds) {
    const list = listOf((config as JsonObject)[kind.collection]);
    for (const entity of list) {
      flatten(kind, entity, undefined, undefined, byKind);
      if (counter.isDue()) yield;
    }
  }
  return byKind;
}
