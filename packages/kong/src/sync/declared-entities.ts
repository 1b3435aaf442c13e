import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type CollectionName, type EntityKind, entityKinds } from '../entity/entity-kinds.ts';

/** An entity as a file declares it, with the parent that it is nested under. */
export interface DeclaredEntity {
  readonly kind: EntityKind;
  readonly entity: JsonObject;
  readonly parent?: { readonly field: string; readonly declared: DeclaredEntity };
}

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
          ({ field, collection }) =>
            kind.nestsBy.includes(field) && collection === parent.collection,
        )
        .map(({ field }) => ({ kind, field, key: kind.nestedAs?.[field] ?? kind.collection })),
    ),
  ]),
);

/** A member of a list as an entity: of a membership the list holds only the other side. */
function memberOf({ kind, field }: Nesting, element: JsonObject): JsonObject {
  if (kind.isMembership !== true) return element;
  const other = kind.references.find((reference) => reference.field !== field);
  return other === undefined ? element : { [other.field]: element };
}

function flatten(declared: DeclaredEntity, into: DeclaredEntity[]): void {
  const nested = (children.get(declared.kind.collection) ?? []).filter(({ key }) => {
    // In a service, `routes` is a list of routes; a route's own `snis` is a list of names.
    const value = declared.entity[key];
    return Array.isArray(value) && value.every(isObject);
  });
  if (nested.length === 0) {
    into.push(declared);
    return;
  }
  const own: { [key: string]: JsonValue | undefined } = { ...declared.entity };
  for (const { key } of nested) delete own[key];
  const parent: DeclaredEntity = { ...declared, entity: own };
  into.push(parent);
  for (const nesting of nested) {
    const { kind, field, key } = nesting;
    for (const element of listOf(declared.entity[key])) {
      const entity = memberOf(nesting, element);
      flatten({ kind, entity, parent: { field, declared: parent } }, into);
    }
  }
}

/** All entities of a configuration in a flat list, parents before what is nested in them. */
export function declaredEntities(config: DeclarativeConfig): readonly DeclaredEntity[] {
  const flat: DeclaredEntity[] = [];
  for (const kind of entityKinds) {
    const list = listOf((config as JsonObject)[kind.collection]);
    for (const entity of list) flatten({ kind, entity }, flat);
  }
  return flat;
}
