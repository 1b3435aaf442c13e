import {
  type CollectionName,
  type EntityKind,
  entityKinds,
  findSchema,
  type JsonObject,
  type JsonValue,
} from '@waygate/kong';
import { DeclaredIds, type DeclaredParent } from './declared-id.ts';

/** One entity of a declarative document, with where it stands in it. */
export interface DeclaredEntity {
  readonly collection: CollectionName;
  /** Keys and indexes from the root, e.g. `['services', 0, 'routes', 1]`. */
  readonly path: readonly (string | number)[];
  /** As written, without what is nested in it. */
  readonly item: JsonObject;
  /** The id as written or made. */
  readonly id: string;
  readonly hasOwnId: boolean;
  /** The names of lists nested in it, even of empty ones. */
  readonly nested: readonly string[];
  readonly parent: { readonly entity: DeclaredEntity; readonly field: string } | undefined;
}

/** A place where the document has no entity but should have. */
export interface ShapeProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A list of nested entities that is none: an error of the entity that it stands in. */
export interface NestedProblem {
  readonly entity: DeclaredEntity;
  readonly key: string;
  readonly value: JsonValue;
}

export interface DeclaredTree {
  readonly entities: readonly DeclaredEntity[];
  readonly problems: readonly ShapeProblem[];
  readonly nestedProblems: readonly NestedProblem[];
}

/** Kinds that a file may hold at its top. */
export const declarableKinds: readonly EntityKind[] = entityKinds.filter(
  (kind) => kind.isEnterprise !== true,
);

/** Collects all entities of a document, parents before their children. */
export function collectDeclared(document: JsonObject): DeclaredTree {
  const entities: DeclaredEntity[] = [];
  const problems: ShapeProblem[] = [];
  const nestedProblems: NestedProblem[] = [];
  const ids = new DeclaredIds();
  const visit = (
    kind: EntityKind,
    value: JsonValue | undefined,
    path: readonly (string | number)[],
    parent: DeclaredEntity['parent'],
  ): void => {
    if (value === undefined || value === null || isEmptyObject(value)) {
      return;
    }
    if (!Array.isArray(value)) {
      if (parent === undefined) {
        problems.push({ path, message: 'expected an array' });
      } else {
        nestedProblems.push({ entity: parent.entity, key: String(path.at(-1)), value });
      }
      return;
    }
    for (const [index, element] of value.entries()) {
      const at = [...path, index];
      if (!isObject(element)) {
        problems.push({ path: at, message: 'expected a record' });
        continue;
      }
      const nested = nestedIn.get(kind) ?? [];
      const entity = declare(kind, element, at, parent, nested, ids);
      entities.push(entity);
      for (const child of nested) {
        visit(child.kind, element[child.key], [...at, child.key], { entity, field: child.field });
      }
    }
  };
  for (const kind of declarableKinds) {
    visit(kind, document[kind.collection], [kind.collection], undefined);
  }
  return { entities, problems, nestedProblems };
}

interface NestedKind {
  readonly kind: EntityKind;
  readonly key: string;
  readonly field: string;
}

const nestedIn: ReadonlyMap<EntityKind, readonly NestedKind[]> = new Map(
  declarableKinds.map((parent) => [
    parent,
    declarableKinds.flatMap((kind) =>
      kind.references
        .filter((reference) => reference.collection === parent.collection)
        .map((reference) => ({ kind, key: kind.collection, field: reference.field })),
    ),
  ]),
);

function declare(
  kind: EntityKind,
  element: JsonObject,
  path: readonly (string | number)[],
  parent: DeclaredEntity['parent'],
  nested: readonly NestedKind[],
  ids: DeclaredIds,
): DeclaredEntity {
  const item: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  for (const [name, value] of Object.entries(element)) {
    const isNested = nested.some((child) => child.key === name && !isOwnField(kind, name));
    if (!isNested && name !== '_comment' && name !== '_ignore' && value !== undefined) {
      item[name] = value;
    }
  }
  const ownId = typeof item.id === 'string' ? item.id : undefined;
  const above: DeclaredParent | undefined =
    parent === undefined ? undefined : { field: parent.field, id: parent.entity.id };
  return {
    collection: kind.collection,
    path,
    item,
    id: ownId ?? ids.idOf(kind.collection, item, above),
    hasOwnId: item.id !== undefined && item.id !== null,
    nested: nested.map((child) => child.key).filter((key) => Array.isArray(element[key])),
    parent,
  };
}

/** `snis` is a field of certificates in the Admin API; in a file it is a list of nested entities. */
function isOwnField(kind: EntityKind, name: string): boolean {
  return (
    kind.collection !== 'certificates' && findSchema(kind.collection)?.fields.has(name) === true
  );
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmptyObject(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
