import { randomUUID } from 'node:crypto';
import {
  type CollectionName,
  type EntityKind,
  entityKind,
  entityKinds,
  type JsonObject,
  type PageResult,
  type StoredEntity,
} from '@waygate/kong';
import {
  type AdminHandler,
  type AdminRequest,
  type AdminResponse,
  notFound,
  ok,
  refused,
} from './admin-message.ts';
import { fitToSchema, isForm } from './body-parser.ts';
import type { Endpoint } from './endpoint-table.ts';
import type { EntityAccess, Parent } from './entity-access.ts';
import { isUuid } from './entity-access.ts';

/**
 * The endpoints of all entities, made from the table of kinds: each collection, each entity, the
 * entities under a parent, and the parent of an entity.
 */
export function entityEndpoints(access: EntityAccess): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const kind of entityKinds) {
    if (kind.isEnterprise === true) continue;
    if (kind.path !== undefined) endpoints.push(...ownEndpoints(access, kind, kind.path));
    for (const { field, collection } of kind.references) {
      const parent = entityKind(collection);
      if (parent.isEnterprise !== true && parent.path !== undefined) {
        endpoints.push(...underParent(access, kind, parent, field));
      }
    }
  }
  return endpoints;
}

function ownEndpoints(access: EntityAccess, kind: EntityKind, path: string): Endpoint[] {
  const { collection } = kind;
  const id = `{${collection}}`;
  const find: Finder = (parameters) => parameters[collection] ?? '';
  const endpoints: Endpoint[] = [
    {
      pattern: `/${path}`,
      methods: {
        GET: (request) => list(access, request, collection, undefined),
        POST: (request, _parameters, body) =>
          created(access.insert(collection, inputOf(collection, request, body))),
      },
    },
    {
      pattern: `/${path}/${id}`,
      methods: {
        GET: (_request, parameters) => get(access, collection, find(parameters)),
        PUT: (request, parameters, body) =>
          written(access.upsert(collection, find(parameters), inputOf(collection, request, body))),
        PATCH: (request, parameters, body) =>
          patch(access, collection, find(parameters), inputOf(collection, request, body)),
        DELETE: (_request, parameters) => remove(access, collection, find(parameters)),
      },
    },
  ];
  for (const { field, collection: target } of kind.references) {
    if (entityKind(target).isEnterprise !== true) {
      endpoints.push({
        pattern: `/${path}/${id}/${field}`,
        methods: parentMethods(access, collection, field, target, find),
      });
    }
  }
  return endpoints;
}

function inputOf(collection: CollectionName, request: AdminRequest, body: JsonObject): JsonObject {
  return isForm(request) ? fitToSchema(collection, body) : body;
}

type Finder = (parameters: Readonly<Record<string, string>>) => string;

/** `/routes/{route}/service`: the entity that another one refers to. */
function parentMethods(
  access: EntityAccess,
  collection: CollectionName,
  field: string,
  target: CollectionName,
  find: Finder,
): Endpoint['methods'] {
  const withTarget =
    (act: (id: string, body: JsonObject) => AdminResponse): AdminHandler =>
    (_request, parameters, body) => {
      const holder = access.store.get(collection, find(parameters));
      const reference = holder?.[field] as { readonly id?: string } | null | undefined;
      return typeof reference?.id === 'string' ? act(reference.id, body) : notFound;
    };
  return {
    GET: withTarget((id) => {
      // Kong looks a certificate up by the name of an SNI here, and never finds it.
      if (collection === 'snis') return notFound;
      const found = access.store.get(target, id);
      if (found === undefined) return notFound;
      return ok(target === 'certificates' ? { ...found, snis: null } : found);
    }),
    PUT: withTarget((id, body) => written(access.upsert(target, id, body))),
    PATCH: withTarget((id, body) => patch(access, target, id, body)),
  };
}

function underParent(
  access: EntityAccess,
  kind: EntityKind,
  parent: EntityKind,
  field: string,
): Endpoint[] {
  const { collection } = kind;
  const base = `/${parent.path}/{${parent.collection}}/${kind.segment}`;
  const withParent =
    (
      act: (parent: Parent, request: AdminRequest, key: string, body: JsonObject) => AdminResponse,
    ): AdminHandler =>
    (request, parameters, body) => {
      const found = access.store.get(parent.collection, parameters[parent.collection] ?? '');
      return found === undefined
        ? notFound
        : act(
            { field, id: found.id },
            request,
            parameters[collection] ?? '',
            inputOf(collection, request, body),
          );
    };
  const isTarget = collection === 'targets';
  const under = (owner: Parent, key: string) => {
    const isGroup = collection === 'acls' && !isUuid(key);
    return isGroup
      ? access.store.findUnder(collection, owner, 'group', key)
      : access.store.getUnder(collection, owner, key);
  };
  return [
    {
      pattern: base,
      methods: {
        GET: withParent((owner, request) => list(access, request, collection, owner)),
        POST: withParent((owner, _request, _key, body) =>
          created(access.insert(collection, { ...body, [field]: { id: owner.id } })),
        ),
      },
    },
    {
      pattern: `${base}/{${collection}}`,
      methods: {
        GET: withParent((owner, _request, key) => {
          const entity = under(owner, key);
          return entity === undefined ? notFound : read(access, collection, entity);
        }),
        PUT: withParent((owner, _request, key, body) => {
          const known = under(owner, key);
          if (known === undefined && isTarget) return notFound;
          const isGroup = collection === 'acls' && !isUuid(key);
          const whole = {
            ...body,
            ...(isGroup ? { group: key } : {}),
            [field]: { id: owner.id },
          };
          const id = known?.id ?? (isGroup ? randomUUID() : key);
          return written(access.upsert(collection, id, whole));
        }),
        PATCH: withParent((owner, _request, key, body) => {
          const known = under(owner, key);
          return known === undefined ? notFound : patch(access, collection, known.id, body);
        }),
        DELETE: withParent((owner, _request, key) => {
          const known = under(owner, key);
          const isById = isUuid(key) || isTarget || collection === 'acls';
          return known === undefined
            ? notFound
            : remove(access, collection, isById ? known.id : key);
        }),
      },
    },
  ];
}

function get(access: EntityAccess, collection: CollectionName, key: string): AdminResponse {
  const { endpointKey } = entityKind(collection);
  if (endpointKey === undefined && !isUuid(key)) return refused(invalidKey);
  const entity = access.store.get(collection, key);
  return entity === undefined ? notFound : read(access, collection, entity);
}

/** An entity as it is now: one that has expired is gone. */
function read(
  access: EntityAccess,
  collection: CollectionName,
  entity: StoredEntity,
): AdminResponse {
  const current = access.current(collection, entity);
  return current === undefined ? notFound : ok(shown(current));
}

const invalidKey = {
  status: 400,
  body: {
    code: 1,
    name: 'invalid primary key',
    message: `invalid primary key: '{id="expected a valid UUID"}'`,
    fields: { id: 'expected a valid UUID' },
  },
};

function patch(
  access: EntityAccess,
  collection: CollectionName,
  key: string,
  body: JsonObject,
): AdminResponse {
  // Kong looks plugins up before it updates them, and says less when there is none.
  if (collection === 'plugins' && access.store.get(collection, key) === undefined) return notFound;
  return written(access.update(collection, key, body));
}

function remove(access: EntityAccess, collection: CollectionName, key: string): AdminResponse {
  const { endpointKey } = entityKind(collection);
  if (endpointKey === undefined && !isUuid(key)) return refused(invalidKey);
  const result = access.delete(collection, key);
  return result.kind === 'error' ? refused(result.error) : { status: 204 };
}

type Written = ReturnType<EntityAccess['insert']>;

function created(result: Written): AdminResponse {
  return result.kind === 'error'
    ? refused(result.error)
    : { status: 201, body: shown(result.entity) };
}

function written(result: Written): AdminResponse {
  return result.kind === 'error' ? refused(result.error) : ok(shown(result.entity));
}

/** Lists as Kong pages them: `next` repeats what the query asked for. */
function list(
  access: EntityAccess,
  request: AdminRequest,
  collection: CollectionName,
  parent: Parent | undefined,
): AdminResponse {
  if (collection === 'consumers' && request.query.has('custom_id')) {
    const found = access.store.findBy('consumers', 'custom_id', request.query.get('custom_id'));
    return ok({ data: found === undefined ? [] : [shown(found)], next: null });
  }
  const sizes = request.query.getAll('size');
  const tags = request.query.getAll('tags');
  const offset = request.query.get('offset') ?? undefined;
  const size = sizes.length > 1 ? '' : sizes[0];
  const page = access.page(
    collection,
    {
      ...(size === undefined ? {} : { size }),
      ...(offset === undefined ? {} : { offset }),
      ...(tags.length === 1 ? { tags: tags[0] ?? '' } : {}),
    },
    parent,
  );
  const current = (entity: StoredEntity) => access.current(collection, entity) ?? [];
  return pageResponse(request, page, parent !== undefined, current);
}

function pageResponse(
  request: AdminRequest,
  result: PageResult,
  isNested: boolean,
  current: (entity: StoredEntity) => StoredEntity | readonly StoredEntity[],
): AdminResponse {
  if (result.kind === 'error') return refused(result.error);
  const { data, offset } = result.page;
  const entities = data.flatMap(current).map(shown);
  if (offset === undefined) return ok({ data: entities, next: null });
  const query = new URLSearchParams({ offset });
  for (const name of isNested ? [] : ['tags', 'size']) {
    const value = request.query.get(name);
    if (value !== null) query.set(name, value);
  }
  return ok({ data: entities, next: `${request.path}?${query}`, offset });
}

/** An entity as it leaves: what is only for the store is left out. */
function shown(entity: StoredEntity): JsonObject {
  return entity;
}
