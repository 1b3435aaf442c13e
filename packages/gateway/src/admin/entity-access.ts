import {
  type CollectionName,
  type DeleteResult,
  type EntityStore,
  entityKind,
  type JsonObject,
  offsetAfter,
  type PageRequest,
  type PageResult,
  type StoredEntity,
  type StoreError,
  storeErrors,
  validateEntity,
  type WriteResult,
} from '@waygate/kong';
import type { StoreSource } from '../configuration/store-source.ts';
import { workspaceId } from '../plugin/log-entry.ts';
import type { EntityValidation } from './admin-api.ts';

/** Which entities hang on a parent. */
export interface Parent {
  readonly field: string;
  readonly id: string;
}

/**
 * Writes on entities as one of Kong's two modes does them: a database writes, DB-less Kong checks the
 * input and then says that it cannot.
 */
export interface EntityAccess {
  readonly store: EntityStore;
  page(collection: CollectionName, request: PageRequest, parent: Parent | undefined): PageResult;
  insert(collection: CollectionName, input: JsonObject): WriteResult;
  upsert(collection: CollectionName, idOrKey: string, input: JsonObject): WriteResult;
  update(collection: CollectionName, idOrKey: string, changes: JsonObject): WriteResult;
  delete(collection: CollectionName, idOrKey: string): DeleteResult;
  /** What is read of an entity now: what is left of its lifetime, or nothing once it is over. */
  current(collection: CollectionName, entity: StoredEntity): StoredEntity | undefined;
}

export function databaseAccess(source: StoreSource, now: () => number): EntityAccess {
  const seconds = () => now() / 1_000;
  const shown = (written: WriteResult): WriteResult =>
    written.kind === 'error'
      ? written
      : { ...written, entity: withTimeLeft(written.entity, seconds()) ?? written.entity };
  return {
    get store() {
      return source.store;
    },
    page: (collection, request, parent) => source.store.list(collection, request, parent),
    insert: (collection, input) => shown(source.store.insert(collection, input)),
    upsert: (collection, key, input) => shown(source.store.upsert(collection, key, input)),
    update: (collection, key, changes) => {
      const known = source.store.get(collection, key);
      return shown(source.store.update(collection, key, prolonged(known, changes, seconds())));
    },
    delete: (collection, key) => source.store.delete(collection, key),
    current: (_collection, entity) => withTimeLeft(entity, seconds()),
  };
}

/**
 * An entity with what is left of its lifetime: whole seconds, the one that is running not counted, as
 * PostgreSQL reads it back even at the creation. Zero for a lifetime means that there is none.
 */
function withTimeLeft(entity: StoredEntity, now: number): StoredEntity | undefined {
  const { ttl, created_at: createdAt } = entity;
  if (typeof ttl !== 'number' || typeof createdAt !== 'number') return entity;
  if (ttl === 0) return { ...entity, ttl: null };
  const left = createdAt + ttl - now;
  return left <= 0 ? undefined : { ...entity, ttl: Math.ceil(left) - 1 };
}

/** A lifetime counts from the creation; one that is given later counts from then. */
function prolonged(known: StoredEntity | undefined, changes: JsonObject, now: number): JsonObject {
  const { ttl } = changes;
  const createdAt = known?.created_at;
  return typeof ttl !== 'number' || typeof createdAt !== 'number' || ttl <= 0
    ? changes
    : { ...changes, ttl: Math.floor(now - createdAt) + ttl };
}

export function readOnlyAccess(source: StoreSource, validation: EntityValidation): EntityAccess {
  const invalid = (
    collection: CollectionName,
    input: JsonObject,
    existing?: StoredEntity,
  ): StoreError | undefined => {
    const { errors } = validateEntity(collection, input, {
      ...validation,
      mode: existing === undefined ? 'insert' : 'update',
      ...(existing === undefined ? {} : { existing }),
    });
    return errors === undefined ? undefined : storeErrors.schema(errors);
  };
  return {
    get store() {
      return source.store;
    },
    page: (collection, request, parent) => pageWithoutDatabase(source, collection, request, parent),
    insert(collection, input) {
      return failed(invalid(collection, input) ?? unsupported('create', collection));
    },
    upsert(collection, idOrKey, input) {
      const key = keyField(collection, idOrKey);
      const whole = { ...input, [key ?? 'id']: idOrKey };
      return failed(invalid(collection, whole) ?? unsupported('create or update', collection, key));
    },
    update(collection, idOrKey, changes) {
      const existing = source.store.get(collection, idOrKey);
      if (existing === undefined) return source.store.update(collection, idOrKey, changes);
      const key = keyField(collection, idOrKey);
      const { snis: _names, ...plain } = existing as StoredEntity & { readonly snis?: unknown };
      const stored = collection === 'certificates' ? (plain as StoredEntity) : existing;
      return failed(invalid(collection, changes, stored) ?? unsupported('update', collection, key));
    },
    delete(collection, idOrKey) {
      const found = source.store.get(collection, idOrKey);
      if (found === undefined) return { kind: 'missing' };
      // Kong takes the names off a certificate first, and that is what it fails at.
      if (collection === 'certificates' && (found.snis as readonly string[]).length > 0) {
        return failed(unsupported('remove', 'snis', 'name'));
      }
      return failed(unsupported('remove', collection, keyField(collection, idOrKey)));
    },
    current: (_collection, entity) => entity,
  };
}

/**
 * A page as DB-less Kong makes it: its offsets name a key of its store, a full page always has a next
 * one, and an offset that means nothing gives nothing.
 */
function pageWithoutDatabase(
  source: StoreSource,
  collection: CollectionName,
  request: PageRequest,
  parent: Parent | undefined,
): PageResult {
  const { offset, ...rest } = request;
  const id = offset === undefined ? undefined : idInOffset(offset);
  if (offset !== undefined && id === undefined) return { kind: 'page', page: { data: [] } };
  const result = source.store.list(
    collection,
    id === undefined ? rest : { ...rest, offset: offsetAfter(id) },
    parent,
  );
  const last = result.kind === 'page' ? result.page.data.at(-1) : undefined;
  if (result.kind === 'error' || last === undefined || parent !== undefined) return result;
  const isFull = result.page.data.length === Number(request.size ?? 100);
  const key = `${collection}|${workspaceId}|*|${last.id}\0`;
  return {
    kind: 'page',
    page: {
      data: result.page.data,
      ...(isFull ? { offset: Buffer.from(key).toString('base64url') } : {}),
    },
  };
}

function idInOffset(offset: string): string | undefined {
  const key = Buffer.from(offset, 'base64url').toString('latin1');
  return /\|([0-9a-f-]{36})\0$/.exec(key)?.[1];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The field that a path names an entity by, if it is not the id. */
function keyField(collection: CollectionName, idOrKey: string): string | undefined {
  return uuid.test(idOrKey) ? undefined : entityKind(collection).endpointKey;
}

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

function failed(error: StoreError): { readonly kind: 'error'; readonly error: StoreError } {
  return { kind: 'error', error };
}

function unsupported(verb: string, collection: string, key?: string): StoreError {
  const by = key === undefined ? '' : ` by '${key}'`;
  return {
    status: 405,
    body: {
      code: 12,
      name: 'operation unsupported',
      message: `cannot ${verb} '${collection}' entities${by} when not using a database`,
    },
  };
}
