import { randomUUID } from 'node:crypto';
import {
  type CollectionName,
  type DeclaredEntity,
  type FieldErrors,
  findSchema,
  type JsonObject,
  type JsonValue,
} from '@waygate/kong';
import { isObject } from '@waygate/text';
import { type DeclaredTree, hasOwnId } from './declared-entity.ts';
import { type DeclaredProblem, duplicateMessage, setAt } from './declared-problem.ts';

/** Looks entities of a document up by id and by name. */
export class DeclaredIndex {
  readonly #tree: DeclaredTree;
  readonly #byId = new Map<string, DeclaredEntity>();
  readonly #byKey = new Map<string, DeclaredEntity>();
  readonly #isOlder: boolean;

  constructor(tree: DeclaredTree, isOlder: boolean) {
    this.#tree = tree;
    this.#isOlder = isOlder;
    for (const entity of tree.entities) {
      const idKey = `${entity.kind.collection} ${entity.id}`;
      if (!this.#byId.has(idKey)) this.#byId.set(idKey, entity);
      const key = keyOf(entity);
      if (key !== undefined && !this.#byKey.has(key)) this.#byKey.set(key, entity);
    }
  }

  /** The entity as it goes into the store: with its id, and with references as ids. */
  resolve(entity: DeclaredEntity): JsonObject {
    const input: Record<string, JsonValue | undefined> = { ...entity.item };
    if (!hasOwnId(entity)) input.id = entity.id;
    for (const { field, collection } of entity.kind.references) {
      const value = input[field];
      if (typeof value === 'string') {
        const found = this.#find(collection, value);
        input[field] = { id: found === undefined ? randomUUID() : found.id };
      }
    }
    if (entity.parent !== undefined) {
      const { field, entity: above } = entity.parent;
      input[field] = { id: above.id };
    }
    if (entity.kind.collection === 'routes' && this.#isOlder && Array.isArray(input.paths)) {
      input.paths = input.paths.map((path) =>
        typeof path === 'string' && !/^[a-zA-Z0-9.\-_~/%]*$/.test(path) ? `~${path}` : path,
      );
    }
    return input as JsonObject;
  }

  /** Entities that say they are one that was declared before. */
  duplicates(fields: FieldErrors): DeclaredProblem[] {
    const problems: DeclaredProblem[] = [];
    for (const entity of this.#tree.entities) {
      const { collection, endpointKey } = entity.kind;
      const { id } = entity;
      const key = keyOf(entity);
      let message: string | undefined;
      let isByKey = false;
      if (key !== undefined && this.#byKey.get(key) !== entity) {
        message = duplicateMessage(
          collection,
          endpointKey ?? 'id',
          entity.item[endpointKey ?? 'id'],
        );
        isByKey = true;
      } else if (this.#byId.get(`${collection} ${id}`) !== entity) {
        message = duplicateMessage(collection, 'primary key', id);
      }
      if (message === undefined) continue;
      // Kong loses the place of a nested entity whose name is taken, and keeps only its index.
      if (isByKey && entity.parent !== undefined) {
        setAt(fields, [collection, entity.index], message);
      } else {
        problems.push({
          entity: { ...entity, item: this.#filled(entity) },
          error: message,
          isLate: true,
        });
      }
    }
    return problems;
  }

  /** References to what is not there. */
  dangling(fields: FieldErrors): DeclaredProblem[] {
    const problems: DeclaredProblem[] = [];
    for (const entity of this.#tree.entities) {
      for (const { field, collection } of entity.kind.references) {
        const value = entity.item[field];
        const wanted = typeof value === 'string' ? value : idOf(value);
        if (wanted === undefined || this.#find(collection, wanted) !== undefined) continue;
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const message = `invalid reference '${field}: ${text}' (no such entry in '${collection}')`;
        const label = this.#labelOf(entity);
        // Kong loses the place of a nested entity that says itself whose it is.
        if (entity.parent?.field === field) {
          setAt(fields, [entity.kind.collection, label], [message]);
        } else {
          problems.push({ entity, error: [message], isLate: false, label });
        }
      }
    }
    return problems;
  }

  #filled(entity: DeclaredEntity): JsonObject {
    const { parent } = entity;
    return {
      ...entity.item,
      id: entity.id ?? null,
      ...(parent === undefined ? {} : { [parent.field]: { id: parent.entity.id } }),
    };
  }

  #labelOf(entity: DeclaredEntity): string {
    const { endpointKey } = entity.kind;
    const isUnique =
      endpointKey !== undefined &&
      findSchema(entity.kind.collection)?.fields.get(endpointKey)?.unique === true;
    const value = isUnique ? entity.item[endpointKey] : undefined;
    return typeof value === 'string' ? value : (entity.id ?? '');
  }

  #find(collection: CollectionName, wanted: string): DeclaredEntity | undefined {
    return this.#byKey.get(`${collection} ${wanted}`) ?? this.#byId.get(`${collection} ${wanted}`);
  }
}

function keyOf(entity: DeclaredEntity): string | undefined {
  const { endpointKey } = entity.kind;
  if (endpointKey === undefined) return undefined;
  const isUnique = findSchema(entity.kind.collection)?.fields.get(endpointKey)?.unique === true;
  const value = entity.item[endpointKey];
  return isUnique && typeof value === 'string' ? `${entity.kind.collection} ${value}` : undefined;
}

export function idOf(value: JsonValue | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  const { id } = value as JsonObject;
  return typeof id === 'string' ? id : undefined;
}
