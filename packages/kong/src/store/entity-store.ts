import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import {
  type CollectionName,
  type EntityKind,
  entityKind,
  entityKinds,
  referencesTo,
} from '../entity/entity-kinds.ts';
import { isUuid } from '../schema/constraint.ts';
import { normalizeTarget } from '../schema/host-name.ts';
import { findSchema } from '../schema/schema-catalog.ts';
import {
  completeEntity,
  type ValidateOptions,
  type ValidationMode,
  validateEntity,
} from '../schema/validate-entity.ts';
import { EntityCollection, type StoredEntity } from './entity-collection.ts';
import {
  type CollectionFinder,
  certificateNameError,
  constraintError,
  deleteError,
  storedForm,
} from './integrity.ts';
import { type PageRequest, type PageResult, readNumberedPage, readPage } from './page.ts';
import { type StoreError, storeErrors } from './store-error.ts';

export type WriteResult =
  | { readonly kind: 'written'; readonly entity: StoredEntity; readonly isNew: boolean }
  | { readonly kind: 'error'; readonly error: StoreError };

export type DeleteResult =
  | { readonly kind: 'deleted'; readonly entity: StoredEntity }
  | { readonly kind: 'missing' }
  | { readonly kind: 'error'; readonly error: StoreError };

/** One entity that came, changed or went; a write may cause several, in order. */
export interface EntityChange {
  readonly collection: CollectionName;
  readonly before?: StoredEntity;
  readonly after?: StoredEntity;
}

export interface EntityStoreOptions extends Omit<ValidateOptions, 'mode' | 'existing'> {
  /**
   * `off` takes any entity and only fills its defaults, to stand for a Kong of another version or
   * with plugins that are not known here. References and unique fields hold all the same.
   */
  readonly validation?: 'on' | 'off';
  /** Called after each change, with the store already changed. */
  readonly onChange?: (change: EntityChange) => void;
}

/** Which entities of a collection hang on one parent. */
export interface ParentFilter {
  readonly field: string;
  readonly id: string;
}

function failed(error: StoreError): { readonly kind: 'error'; readonly error: StoreError } {
  return { kind: 'error', error };
}

/**
 * Kong's data as its database keeps it, in memory: entities are validated and defaulted by their
 * schema, unique fields stay unique, references hold, deletes cascade or are refused. It has no HTTP
 * and no disk; what wraps it gives it both.
 *
 * @example
 * const store = new EntityStore();
 * const written = store.insert('services', { name: 'shop', host: 'shop.internal' });
 * store.insert('routes', { name: 'shop', paths: ['/shop'], service: { name: 'shop' } });
 */
export class EntityStore {
  readonly #options: EntityStoreOptions;
  /** How each kind of write is checked: made once, as there are many writes. */
  readonly #optionsFor: Readonly<Record<ValidationMode, ValidateOptions>>;
  readonly #collections = new Map<CollectionName, EntityCollection>(
    entityKinds.map((kind) => [kind.collection, new EntityCollection(kind)]),
  );
  #revision = 0;

  readonly #finder: CollectionFinder = (collection) => this.#of(collection);

  constructor(options: EntityStoreOptions = {}) {
    this.#options = options;
    this.#optionsFor = {
      insert: { ...options, mode: 'insert' },
      update: { ...options, mode: 'update' },
      upsert: { ...options, mode: 'upsert' },
    };
  }

  /** Grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** How many entities there are, of one kind or of all. */
  count(collection?: CollectionName): number {
    if (collection !== undefined) return this.#of(collection).size;
    let total = 0;
    for (const entities of this.#collections.values()) total += entities.size;
    return total;
  }

  /** The entity with an id, or with a value of the field that may stand for the id in a path. */
  get(collection: CollectionName, idOrKey: string): StoredEntity | undefined {
    const found = this.#find(collection, idOrKey);
    return found && this.#shown(collection, found);
  }

  /** The entity under a parent that has this value in a field of its own. */
  findUnder(
    collection: CollectionName,
    parent: ParentFilter,
    field: string,
    value: JsonValue,
  ): StoredEntity | undefined {
    const entities = this.#of(collection);
    for (const id of entities.holdersOf(parent.field, parent.id)) {
      const entity = entities.get(id);
      if (entity !== undefined && entity[field] === value) return this.#shown(collection, entity);
    }
    return undefined;
  }

  /** The entity with an id or key among those of one parent, as nested paths name it. */
  getUnder(
    collection: CollectionName,
    parent: ParentFilter,
    idOrKey: string,
  ): StoredEntity | undefined {
    const entities = this.#of(collection);
    const { endpointKey } = entities.kind;
    const wanted = collection === 'targets' ? (normalizeTarget(idOrKey) ?? idOrKey) : idOrKey;
    for (const id of entities.holdersOf(parent.field, parent.id)) {
      const entity = entities.get(id);
      const isKey = endpointKey !== undefined && entity?.[endpointKey] === wanted;
      if (entity !== undefined && (id === idOrKey.toLowerCase() || isKey)) {
        return this.#shown(collection, entity);
      }
    }
    return undefined;
  }

  /** The entity whose unique field has a value. */
  findBy(collection: CollectionName, field: string, value: JsonValue): StoredEntity | undefined {
    const found = this.#of(collection).findBy(field, value);
    return found && this.#shown(collection, found);
  }

  /** All entities of a kind, in no order. Do not write while reading. */
  *all(collection: CollectionName): Generator<StoredEntity> {
    for (const entity of this.#of(collection).values()) yield this.#shown(collection, entity);
  }

  /** The entities that refer to another by a field, found without a look at the others. */
  *heldBy(collection: CollectionName, { field, id }: ParentFilter): Generator<StoredEntity> {
    const entities = this.#of(collection);
    for (const holder of entities.holdersOf(field, id)) {
      const entity = entities.get(holder);
      if (entity !== undefined) yield this.#shown(collection, entity);
    }
  }

  /** One page, by id; the targets of an upstream newest first, as Kong lists them. */
  list(collection: CollectionName, request: PageRequest = {}, parent?: ParentFilter): PageResult {
    const entities = this.#of(collection);
    const get = (id: string) => {
      const entity = entities.get(id);
      return entity && this.#shown(collection, entity);
    };
    if (parent === undefined) return readPage(entities.sortedIds(), get, request);
    const ids = entities.holdersOf(parent.field, parent.id);
    if (collection !== 'targets') return readPage([...ids].sort(), get, request);
    // Of those made in one millisecond the one that came last is first: the sort is stable.
    const targets = [...ids].reverse().flatMap((id) => get(id) ?? []);
    targets.sort((one, two) => Number(two.created_at ?? 0) - Number(one.created_at ?? 0));
    return readNumberedPage(targets, request);
  }

  /** `POST`: a new entity. */
  insert(collection: CollectionName, input: JsonObject): WriteResult {
    return this.#write(collection, 'insert', input, undefined);
  }

  /**
   * `PUT`: the whole entity under an id or key, new or not. A differing id or key in the input is
   * ignored.
   */
  upsert(collection: CollectionName, idOrKey: string, input: JsonObject): WriteResult {
    const existing = this.#find(collection, idOrKey);
    const { endpointKey } = entityKind(collection);
    if (isUuid(idOrKey)) {
      return this.#write(collection, 'upsert', { ...input, id: idOrKey.toLowerCase() }, existing);
    }
    if (endpointKey === undefined) {
      return failed(storeErrors.invalidPrimaryKey({ id: 'expected a valid UUID' }));
    }
    const invalid = this.#keyError(collection, endpointKey, idOrKey);
    if (invalid !== undefined) return failed(invalid);
    const id = existing === undefined ? {} : { id: existing.id };
    return this.#write(collection, 'upsert', { ...input, ...id, [endpointKey]: idOrKey }, existing);
  }

  /** `PATCH`: changes to an entity that exists. A differing id in the input is ignored. */
  update(collection: CollectionName, idOrKey: string, changes: JsonObject): WriteResult {
    const existing = this.#find(collection, idOrKey);
    if (existing === undefined) return failed(this.#notFound(collection, idOrKey));
    return this.#write(collection, 'update', { ...changes, id: existing.id }, existing);
  }

  /** `DELETE`, with everything that hangs on the entity by a cascading reference. */
  delete(collection: CollectionName, idOrKey: string): DeleteResult {
    const entity = this.#find(collection, idOrKey);
    if (entity === undefined) return { kind: 'missing' };
    const error = deleteError(this.#finder, collection, entity.id);
    if (error !== undefined) return failed(error);
    const shown = this.#shown(collection, entity);
    this.#remove(collection, entity.id);
    return { kind: 'deleted', entity: shown };
  }

  /** Empties the store, without asking whether references hold. */
  clear(): void {
    for (const kind of [...entityKinds].reverse()) {
      const entities = this.#of(kind.collection);
      const gone = [...entities.values()];
      entities.clear();
      for (const before of gone) this.#changed({ collection: kind.collection, before });
    }
  }

  /** Everything that is stored, for a snapshot on disk. */
  *entries(): Generator<readonly [CollectionName, StoredEntity]> {
    for (const [collection, entities] of this.#collections) {
      for (const entity of entities.values()) yield [collection, entity];
    }
  }

  /** Puts an entity back that a snapshot holds, unchecked and without an event. */
  restore(collection: CollectionName, entity: StoredEntity): void {
    this.#of(collection).put(entity);
    this.#revision += 1;
  }

  /** Takes an entity away that should never have come, unchecked and without an event. */
  forget(collection: CollectionName, id: string): void {
    this.#of(collection).remove(id);
    this.#revision += 1;
  }

  #of(collection: CollectionName): EntityCollection {
    const entities = this.#collections.get(collection);
    if (entities === undefined) throw new Error(`no collection named ${collection}`);
    return entities;
  }

  #find(collection: CollectionName, idOrKey: string): StoredEntity | undefined {
    const entities = this.#of(collection);
    if (isUuid(idOrKey)) {
      const lower = idOrKey.toLowerCase();
      const byId = entities.get(lower) ?? (lower === idOrKey ? undefined : entities.get(idOrKey));
      if (byId !== undefined) return byId;
    }
    const { endpointKey } = entities.kind;
    return endpointKey === undefined ? undefined : entities.findBy(endpointKey, idOrKey);
  }

  #notFound(collection: CollectionName, idOrKey: string): StoreError {
    if (isUuid(idOrKey)) return storeErrors.notFound({ id: idOrKey.toLowerCase() });
    const { endpointKey } = entityKind(collection);
    return endpointKey === undefined
      ? storeErrors.invalidPrimaryKey({ id: 'expected a valid UUID' })
      : storeErrors.notFound({ [endpointKey]: idOrKey });
  }

  #keyError(collection: CollectionName, field: string, value: string): StoreError | undefined {
    const message = findSchema(collection)?.fields.get(field)?.format?.(value);
    return message === undefined ? undefined : storeErrors.invalidUnique(field, message);
  }

  #write(
    collection: CollectionName,
    mode: ValidationMode,
    input: JsonObject,
    existing: StoredEntity | undefined,
  ): WriteResult {
    const kind = entityKind(collection);
    const prepared = this.#prepare(kind, input);
    if (prepared.error !== undefined) return failed(prepared.error);
    const { input: subject } = prepared;
    const isCertificate = collection === 'certificates';
    const snis = isCertificate ? (subject as { readonly snis?: JsonValue }).snis : undefined;
    const options =
      existing === undefined ? this.#optionsFor[mode] : { ...this.#optionsFor[mode], existing };
    const { entity, errors } =
      this.#options.validation === 'off'
        ? { entity: completeEntity(collection, subject, options), errors: undefined }
        : validateEntity(collection, subject, options);
    if (errors !== undefined) return failed(storeErrors.schema(errors));
    const isReplaced = mode === 'upsert' && existing !== undefined;
    const whole = isReplaced ? { ...entity, created_at: existing.created_at ?? null } : entity;
    const stored = storedForm(kind, whole as StoredEntity, subject);
    const error =
      constraintError(this.#finder, kind, stored, existing) ??
      (isCertificate ? certificateNameError(this.#finder, stored.id, snis) : undefined);
    if (error !== undefined) return failed(error);
    this.#of(collection).put(stored);
    this.#changed({
      collection,
      ...(existing === undefined ? {} : { before: existing }),
      after: stored,
    });
    if (isCertificate) this.#writeNames(stored.id, snis ?? (mode === 'upsert' ? [] : undefined));
    return {
      kind: 'written',
      entity: this.#shown(collection, stored),
      isNew: existing === undefined,
    };
  }

  /** Resolves references by name, and what Kong normalises before it validates. */
  #prepare(
    kind: EntityKind,
    input: JsonObject,
  ): { readonly input: JsonObject; readonly error?: StoreError } {
    let prepared = input;
    for (const { field, collection } of kind.references) {
      const value = input[field];
      if (!isObject(value)) continue;
      const reference = value as JsonObject;
      if (reference.id !== undefined && reference.id !== null) continue;
      for (const [key, wanted] of Object.entries(reference)) {
        if (wanted === undefined || wanted === null) continue;
        if (findSchema(collection)?.fields.get(key)?.unique !== true) continue;
        const found = this.#of(collection).findBy(key, wanted);
        if (found === undefined) {
          return { input, error: storeErrors.unresolvedReference(field, key, wanted, collection) };
        }
        prepared = { ...prepared, [field]: { id: found.id } };
      }
    }
    if (kind.collection === 'targets' && typeof prepared.target === 'string') {
      const target = normalizeTarget(prepared.target);
      if (target === undefined) {
        const message = 'Invalid target; not a valid hostname or ip address';
        return { input, error: storeErrors.schema({ target: message }) };
      }
      prepared = { ...prepared, target };
    }
    return { input: prepared };
  }

  #remove(collection: CollectionName, id: string): void {
    for (const { kind, reference } of referencesTo(collection)) {
      if (reference.onDelete !== 'cascade') continue;
      for (const holder of this.#of(kind.collection).holdersOf(reference.field, id)) {
        this.#remove(kind.collection, holder);
      }
    }
    const before = this.#of(collection).remove(id);
    if (before !== undefined) this.#changed({ collection, before });
  }

  #changed(change: EntityChange): void {
    this.#revision += 1;
    this.#options.onChange?.(change);
  }

  /** An entity as the Admin API answers it: a certificate with the names that point at it. */
  #shown(collection: CollectionName, entity: StoredEntity): StoredEntity {
    if (collection !== 'certificates') return entity;
    const names = this.#of('snis')
      .holdersOf('certificate', entity.id)
      .map((id) => String(this.#of('snis').get(id)?.name));
    return { ...entity, snis: names.sort() };
  }

  /** Makes the names of a certificate exactly those given; undefined leaves them as they are. */
  #writeNames(certificate: string, names: JsonValue | undefined): void {
    if (!Array.isArray(names)) return;
    const snis = this.#of('snis');
    for (const id of snis.holdersOf('certificate', certificate)) {
      if (!names.includes(snis.get(id)?.name ?? null)) this.#remove('snis', id);
    }
    for (const name of names as readonly string[]) {
      if (snis.findBy('name', name) === undefined) {
        this.insert('snis', { name, certificate: { id: certificate } });
      }
    }
  }
}
