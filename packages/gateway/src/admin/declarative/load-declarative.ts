import { createHash } from 'node:crypto';
import {
  atOnce,
  type CollectionName,
  type DeclaredEntity,
  type EntityStore,
  type FieldErrors,
  findPluginSchema,
  findSchema,
  inTurns,
  type JsonObject,
  type JsonValue,
  pathOf,
  type Steps,
  type StoredEntity,
  validateEntity,
} from '@waygate/kong';
import type { EntityValidation } from '../admin-api.ts';
import { CheckedEntities, type CheckedEntity } from './checked-entities.ts';
import { collectDeclared, type DeclaredTree, declarableKinds } from './declared-entity.ts';
import { DeclaredIndex, idOf } from './declared-index.ts';
import { type DeclaredProblem, duplicateMessage, setAt } from './declared-problem.ts';

export type LoadResult =
  | {
      readonly kind: 'loaded';
      readonly store: EntityStore;
      /** For the next document. */
      readonly checked: CheckedEntities;
      /** As Kong answers them. */
      readonly entities: readonly (readonly [CollectionName, JsonObject])[];
    }
  | {
      readonly kind: 'invalid';
      readonly problems: readonly DeclaredProblem[];
      /** Errors that belong to no single entity. */
      readonly fields: FieldErrors;
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
  readonly validation: EntityValidation;
  /** An empty store to fill. */
  readonly store: EntityStore;
  /** What the document before was made of, if there was one. */
  readonly before: CheckedEntities | undefined;
}

/** So many entities are checked before others may have a turn. */
const entitiesPerStep = 50;

/** Checks a declarative document in all its parts and fills a store with it. */
export function loadDeclarative(document: JsonObject, options: LoadOptions): LoadResult {
  return atOnce(load(document, options));
}

/** The same, but lets other work go on meanwhile. */
export function loadInTurns(document: JsonObject, options: LoadOptions): Promise<LoadResult> {
  return inTurns(load(document, options));
}

function* load(document: JsonObject, options: LoadOptions): Steps<LoadResult> {
  const fields = checkTop(document);
  const tree = collectDeclared(document);
  for (const { parent, list, index } of tree.misshapen) {
    const above = parent === undefined ? [] : pathOf(parent);
    if (index !== undefined) {
      setAt(fields, [...above, list, index], 'expected a record');
    } else if (parent === undefined) {
      setAt(fields, [list], 'expected an array');
    }
  }
  yield;
  const index = new DeclaredIndex(tree, isOlderFormat(document));
  const problems: DeclaredProblem[] = [];
  const checked = new Map<DeclaredEntity, CheckedEntity>();
  // What a gateway writes of itself says that its secrets are hashed already.
  const isTransformed = document._transform !== false;
  const remembered = new CheckedEntities(options.before, isTransformed);
  for (const entity of tree.entities) {
    const { collection } = entity.kind;
    const input = index.resolve(entity);
    const result = remembered.check(collection, input, () => {
      const { entity: value, errors } = validateEntity(collection, input, options.validation);
      return { value, errors };
    });
    checked.set(entity, result);
    const errors = withNesting(entity, result.errors ?? {});
    if (Object.keys(errors).length > 0) problems.push({ entity, error: errors, isLate: false });
    if (checked.size % entitiesPerStep === 0) yield;
  }
  for (const { parent, list, index, value } of tree.misshapen) {
    if (parent !== undefined && index === undefined) {
      const shown = { ...parent, item: { ...parent.item, [list]: value } };
      problems.push({ entity: shown, error: { [list]: 'expected an array' }, isLate: false });
    }
  }
  if (problems.length > 0 || Object.keys(fields).length > 0) {
    return { kind: 'invalid', problems, fields };
  }
  const late = [
    ...index.duplicates(fields),
    ...index.dangling(fields),
    ...uniqueProblems(tree, checked),
  ];
  yield;
  if (late.length > 0 || Object.keys(fields).length > 0) {
    return { kind: 'invalid', problems: late, fields };
  }
  const entities: (readonly [CollectionName, JsonObject])[] = [];
  const names = namesByCertificate(checked);
  for (const [entity, one] of checked) {
    one.stored ??= storedForm(entity, one.value, isTransformed);
    options.store.restore(entity.kind.collection, one.stored);
    entities.push([entity.kind.collection, answeredForm(entity, one.value, names)]);
    if (entities.length % entitiesPerStep === 0) yield;
  }
  return { kind: 'loaded', store: options.store, checked: remembered, entities };
}

/** Before format 3.0 a path that looks like a regular expression was one. */
function isOlderFormat(document: JsonObject): boolean {
  return document._transform !== false && ['1.1', '2.1'].includes(String(document._format_version));
}

/** Unique fields other than the name, such as a consumer's custom id. */
function uniqueProblems(
  tree: DeclaredTree,
  checked: ReadonlyMap<DeclaredEntity, CheckedEntity>,
): DeclaredProblem[] {
  const problems: DeclaredProblem[] = [];
  const seen = new Set<string>();
  for (const entity of tree.entities) {
    const { endpointKey } = entity.kind;
    for (const [name, field] of findSchema(entity.kind.collection)?.fields ?? []) {
      const value = checked.get(entity)?.value[name];
      // Two CA certificates may be the same one: Kong does not mind in a file.
      if (field.unique !== true || typeof value !== 'string' || name === 'cert_digest') continue;
      const key = `${entity.kind.collection} ${name} ${value}`;
      if (name !== endpointKey && seen.has(key)) {
        const label = String(entity.item[endpointKey ?? 'id'] ?? checked.get(entity)?.value.id);
        const error = duplicateMessage(entity.kind.collection, name, value);
        problems.push({ entity, error, isLate: true, label });
      }
      seen.add(key);
    }
  }
  return problems;
}

/** The form in which an entity is kept: passwords are hashed, names of certificates are entities. */
function storedForm(
  entity: DeclaredEntity,
  value: JsonObject,
  isTransformed: boolean,
): StoredEntity {
  const { snis: _snis, ...rest } = value as JsonObject & { readonly snis?: JsonValue };
  const kept = entity.kind.collection === 'certificates' ? rest : value;
  const { password } = value;
  const isHashed = isTransformed && entity.kind.collection === 'basicauth_credentials';
  if (isHashed && typeof password === 'string') {
    const salt = idOf(value.consumer) ?? '';
    const hash = createHash('sha1').update(`${password}${salt}`).digest('hex');
    return { ...kept, password: hash } as unknown as StoredEntity;
  }
  return { ...kept, ...asGiven(entity) } as unknown as StoredEntity;
}

/** What Kong computes or makes up in the Admin API, but leaves as written in a file. */
function asGiven(entity: DeclaredEntity): JsonObject {
  const { item, kind } = entity;
  const given: Record<string, JsonValue> = {};
  for (const name of ['key', 'secret', 'client_id', 'client_secret']) {
    if (item[name] === null) given[name] = null;
  }
  if (kind.collection === 'upstreams' && typeof item.algorithm === 'string') {
    given.algorithm = item.algorithm;
  }
  return given;
}

type NestedNames = ReadonlyMap<DeclaredEntity, readonly JsonObject[]>;

function namesByCertificate(checked: ReadonlyMap<DeclaredEntity, CheckedEntity>): NestedNames {
  const names = new Map<DeclaredEntity, JsonObject[]>();
  for (const [entity, { value }] of checked) {
    if (entity.kind.collection === 'snis' && entity.parent !== undefined) {
      const list = names.get(entity.parent.entity) ?? [];
      list.push({ ...value, _comment: null, _ignore: null });
      names.set(entity.parent.entity, list);
    }
  }
  return names;
}

/** An entity as the answer shows it. */
function answeredForm(entity: DeclaredEntity, value: JsonObject, names: NestedNames): JsonObject {
  const answer: Record<string, JsonValue | undefined> = { ...value, ...asGiven(entity) };
  switch (entity.kind.collection) {
    case 'ca_certificates':
      answer.cert_digest = null;
      break;
    case 'certificates':
      answer.snis = entity.nested.includes('snis') ? [...(names.get(entity) ?? [])] : null;
      break;
    case 'plugins':
      answer.config = withoutShorthands(String(value.name), value.config);
      break;
    default:
      break;
  }
  return answer as JsonObject;
}

/** Older names of settings are echoed by the Admin API only. */
function withoutShorthands(plugin: string, config: JsonValue | undefined): JsonValue {
  const shorthands = findPluginSchema(plugin)?.fields.get('config')?.shorthand_fields;
  if (shorthands === undefined || typeof config !== 'object' || config === null) {
    return config ?? null;
  }
  return Object.fromEntries(
    Object.entries(config).filter(([name]) => !shorthands.has(name)),
  ) as JsonObject;
}

function checkTop(document: JsonObject): FieldErrors {
  const errors: FieldErrors = {};
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
    if (!ownFields.has(name)) errors[name] = 'unknown field';
  }
  return errors;
}

/** A nested entity may not say itself whose it is, and needs no permission to be nested. */
function withNesting(entity: DeclaredEntity, errors: FieldErrors): FieldErrors {
  if (entity.parent === undefined) return errors;
  const { field } = entity.parent;
  const { [field]: _own, ...others } = errors;
  return typeof entity.item[field] === 'string'
    ? { ...others, [field]: 'value must be null' }
    : others;
}
