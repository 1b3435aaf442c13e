import { randomUUID } from 'node:crypto';
import {
  type CollectionName,
  type EntityStore,
  entityKind,
  findSchema,
  type JsonObject,
  type JsonValue,
  type RouterFlavor,
  type SchemaError,
  type SchemaErrors,
  validateEntity,
} from '@waygate/kong';
import {
  collectDeclared,
  type DeclaredEntity,
  type DeclaredTree,
  declarableKinds,
} from './declared-entity.ts';

/** What is wrong with one entity of the document. */
export interface DeclaredProblem {
  readonly entity: DeclaredEntity;
  readonly error: SchemaError;
  /** With the ids that the check filled in, as Kong shows such an entity. */
  readonly isLate: boolean;
}

export type LoadResult =
  | {
      readonly kind: 'loaded';
      readonly store: EntityStore;
      readonly entities: readonly (readonly [CollectionName, JsonObject])[];
    }
  | {
      readonly kind: 'invalid';
      readonly problems: readonly DeclaredProblem[];
      /** Errors that belong to no single entity. */
      readonly fields: SchemaErrors;
    };

const ownFields: ReadonlySet<string> = new Set([
  '_format_version',
  '_transform',
  '_comment',
  '_ignore',
  ...declarableKinds.map((kind) => kind.collection),
]);
const versions = ['1.1', '2.1', '3.0'];

export interface LoadOptions {
  readonly flavor: RouterFlavor;
  readonly now: () => number;
  /** An empty store to fill. */
  readonly store: EntityStore;
}

/** Checks a declarative document in all its parts and fills a store with it. */
export function loadDeclarative(document: JsonObject, options: LoadOptions): LoadResult {
  const fields = checkTop(document);
  const tree = collectDeclared(document);
  for (const { path, message } of tree.problems) {
    setAt(fields, path, message);
  }
  const index = new DeclaredIndex(tree);
  const problems: DeclaredProblem[] = [];
  const prepared = new Map<DeclaredEntity, JsonObject>();
  for (const entity of tree.entities) {
    const input = index.resolve(entity);
    prepared.set(entity, input);
    const { errors } = validateEntity(entity.collection, input, {
      routerFlavor: options.flavor,
      now: options.now,
    });
    const all = { ...errors, ...nestingErrors(entity) };
    if (Object.keys(all).length > 0) {
      problems.push({ entity, error: all, isLate: false });
    }
  }
  if (problems.length > 0 || Object.keys(fields).length > 0) {
    return { kind: 'invalid', problems, fields };
  }
  const duplicates = index.duplicates(fields);
  const dangling = index.dangling(fields);
  if (duplicates.length > 0 || dangling || Object.keys(fields).length > 0) {
    return { kind: 'invalid', problems: duplicates, fields };
  }
  return fill(tree, prepared, options.store);
}

function fill(
  tree: DeclaredTree,
  prepared: ReadonlyMap<DeclaredEntity, JsonObject>,
  store: EntityStore,
): LoadResult {
  const entities: (readonly [CollectionName, JsonObject])[] = [];
  const order = new Map(declarableKinds.map((kind, position) => [kind.collection, position]));
  const sorted = [...tree.entities].sort(
    (a, b) => (order.get(a.collection) ?? 0) - (order.get(b.collection) ?? 0),
  );
  const fields: SchemaErrors = {};
  for (const entity of sorted) {
    const input = prepared.get(entity) ?? entity.item;
    const result = store.insert(entity.collection, input);
    if (result.kind === 'error') {
      const key = entityKind(entity.collection).endpointKey;
      const at = String((key === undefined ? undefined : input[key]) ?? input.id);
      const [name = '', value] = Object.entries(result.error.body.fields ?? {})[0] ?? [];
      setAt(fields, [entity.collection, at], duplicateMessage(entity.collection, name, value));
      continue;
    }
    entities.push([entity.collection, asWritten(entity, result.entity, input)]);
  }
  return Object.keys(fields).length > 0
    ? { kind: 'invalid', problems: [], fields }
    : { kind: 'loaded', store, entities };
}

/** Kong answers passwords as they were written; only what it stores is hashed. */
function asWritten(entity: DeclaredEntity, stored: JsonObject, input: JsonObject): JsonObject {
  if (entity.collection === 'basicauth_credentials') {
    return { ...stored, password: input.password ?? null };
  }
  return stored;
}

function checkTop(document: JsonObject): SchemaErrors {
  const errors: SchemaErrors = {};
  const version = document._format_version;
  if (version === undefined || version === null) {
    errors._format_version = 'required field missing';
  } else if (typeof version !== 'string') {
    errors._format_version = 'expected a string';
  } else if (!versions.includes(version)) {
    errors._format_version = `expected one of: ${versions.join(', ')}`;
  }
  if (document._transform !== undefined && typeof document._transform !== 'boolean') {
    errors._transform = 'expected a boolean';
  }
  for (const name of Object.keys(document)) {
    if (!ownFields.has(name)) {
      errors[name] = 'unknown field';
    }
  }
  return errors;
}

/** A nested entity may not say itself whose it is, unless it says what is true. */
function nestingErrors(entity: DeclaredEntity): SchemaErrors {
  if (entity.parent === undefined) {
    return {};
  }
  const said = entity.item[entity.parent.field];
  return typeof said === 'string' ? { [entity.parent.field]: 'value must be null' } : {};
}

export function duplicateMessage(collection: string, field: string, value: unknown): string {
  return `uniqueness violation: '${collection}' entity with ${field} set to '${String(value)}' already declared`;
}

/** Looks entities of a document up by id and by name. */
class DeclaredIndex {
  readonly #tree: DeclaredTree;
  readonly #byId = new Map<string, DeclaredEntity>();
  readonly #byKey = new Map<string, DeclaredEntity>();
  readonly #ids = new Map<DeclaredEntity, string>();

  constructor(tree: DeclaredTree) {
    this.#tree = tree;
    for (const entity of tree.entities) {
      const id = entity.id ?? randomUUID();
      this.#ids.set(entity, id);
      const idKey = `${entity.collection} ${id}`;
      if (!this.#byId.has(idKey)) {
        this.#byId.set(idKey, entity);
      }
      const key = keyOf(entity);
      if (key !== undefined && !this.#byKey.has(key)) {
        this.#byKey.set(key, entity);
      }
    }
  }

  /** The entity as it goes into the store: with its id, and with references as ids. */
  resolve(entity: DeclaredEntity): JsonObject {
    const input: Record<string, JsonValue | undefined> = { ...entity.item };
    if (!entity.hasOwnId) {
      input.id = this.#ids.get(entity) ?? null;
    }
    for (const { field, collection } of entityKind(entity.collection).references) {
      const value = input[field];
      if (typeof value === 'string') {
        const found = this.#find(collection, value);
        input[field] = { id: found === undefined ? randomUUID() : (this.#ids.get(found) ?? '') };
      }
    }
    if (entity.parent !== undefined) {
      const { field, entity: above } = entity.parent;
      input[field] = { id: this.#ids.get(above) ?? '' };
    }
    if (entity.collection === 'certificates') {
      delete input.snis;
    }
    return input as JsonObject;
  }

  /** Entities that say they are one that was declared before. */
  duplicates(fields: SchemaErrors): DeclaredProblem[] {
    const problems: DeclaredProblem[] = [];
    for (const entity of this.#tree.entities) {
      const { collection } = entity;
      const id = this.#ids.get(entity) ?? '';
      const key = keyOf(entity);
      const { endpointKey } = entityKind(collection);
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
      if (message === undefined) {
        continue;
      }
      // Kong loses the place of a nested entity whose name is taken, and keeps only its index.
      if (isByKey && entity.parent !== undefined) {
        setAt(fields, [collection, Number(entity.path.at(-1) ?? 0)], message);
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

  /** Reports references to what is not there. */
  dangling(fields: SchemaErrors): boolean {
    let isFound = false;
    for (const entity of this.#tree.entities) {
      for (const { field, collection } of entityKind(entity.collection).references) {
        const value = entity.item[field];
        const wanted = typeof value === 'string' ? value : idOf(value);
        if (wanted === undefined || this.#find(collection, wanted) !== undefined) {
          continue;
        }
        isFound = true;
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const message = `invalid reference '${field}: ${text}' (no such entry in '${collection}')`;
        const at = this.#labelOf(entity);
        const list = (fields[entity.collection] ?? {}) as Record<string, SchemaError>;
        const before = list[at];
        fields[entity.collection] = {
          ...list,
          [at]: [...(Array.isArray(before) ? before : []), message],
        };
      }
    }
    return isFound;
  }

  #filled(entity: DeclaredEntity): JsonObject {
    const { parent } = entity;
    return {
      ...entity.item,
      id: this.#ids.get(entity) ?? null,
      ...(parent === undefined
        ? {}
        : { [parent.field]: { id: this.#ids.get(parent.entity) ?? '' } }),
    };
  }

  #labelOf(entity: DeclaredEntity): string {
    const { endpointKey } = entityKind(entity.collection);
    const isUnique =
      endpointKey !== undefined &&
      findSchema(entity.collection)?.fields.get(endpointKey)?.unique === true;
    const value = isUnique ? entity.item[endpointKey] : undefined;
    return typeof value === 'string' ? value : (this.#ids.get(entity) ?? '');
  }

  #find(collection: CollectionName, wanted: string): DeclaredEntity | undefined {
    return this.#byKey.get(`${collection} ${wanted}`) ?? this.#byId.get(`${collection} ${wanted}`);
  }
}

function keyOf(entity: DeclaredEntity): string | undefined {
  const { endpointKey } = entityKind(entity.collection);
  if (endpointKey === undefined) {
    return undefined;
  }
  const isUnique = findSchema(entity.collection)?.fields.get(endpointKey)?.unique === true;
  const value = entity.item[endpointKey];
  return isUnique && typeof value === 'string' ? `${entity.collection} ${value}` : undefined;
}

function idOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  const { id } = value as JsonObject;
  return typeof id === 'string' ? id : undefined;
}

/** Puts an error where its entity stands, with `null` for entities before it that are fine. */
export function setAt(
  root: SchemaErrors,
  path: readonly (string | number)[],
  error: SchemaError,
): void {
  let place: Record<string | number, SchemaError | null> = root;
  for (const [index, step] of path.slice(0, -1).entries()) {
    const next = path[index + 1];
    if (place[step] === undefined || place[step] === null || typeof place[step] === 'string') {
      place[step] = typeof next === 'number' ? [] : {};
    }
    place = place[step] as Record<string | number, SchemaError | null>;
    fillHoles(place, next);
  }
  const last = path.at(-1) ?? '';
  const known = place[last];
  place[last] =
    isRecord(known) && isRecord(error) ? ({ ...known, ...error } as SchemaError) : error;
}

function fillHoles(place: unknown, upTo: string | number | undefined): void {
  if (Array.isArray(place) && typeof upTo === 'number') {
    while (place.length < upTo) {
      place.push(null);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
