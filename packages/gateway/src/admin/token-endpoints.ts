import {
  type CollectionName,
  type JsonObject,
  type JsonValue,
  offsetAfter,
  schemaViolation,
  storeErrors,
  validateEntity,
} from '@waygate/kong';
import type { AskPlugin } from '../plugin/plugin-runtime.ts';
import type { IssuedToken, StoreRequest } from '../plugins/oauth2/oauth2-store.ts';
import { type AdminHandler, type AdminResponse, message, notFound, ok } from './admin-message.ts';
import type { Endpoint, Methods } from './endpoint-table.ts';
import { type EntityAccess, isUuid } from './entity-access.ts';

/** What the endpoints of tokens need. */
interface TokenAccess {
  readonly access: EntityAccess;
  readonly ask: AskPlugin;
  readonly now: () => number;
  readonly isWritable: boolean;
}

const readOnly = message(405, "'oauth2_tokens' cannot be written when no database is used");

/** `/oauth2_tokens`: the tokens that the plugin gave out, and those that are put there by hand. */
export function tokenEndpoints(options: TokenAccess): Endpoint[] {
  const tokens = new TokenTable(options);
  const { access } = options;
  const one: Methods = {
    GET: (_request, { oauth2_tokens: key = '' }) => tokens.get(key),
    PUT: (_request, { oauth2_tokens: key = '' }, body) => tokens.put(key, body),
    PATCH: (_request, { oauth2_tokens: key = '' }, body) => tokens.patch(key, body),
    DELETE: (_request, { oauth2_tokens: key = '' }) => tokens.delete(key),
  };
  const under = (collection: 'services' | 'oauth2_credentials'): Endpoint[] => {
    const path = collection === 'services' ? 'services' : 'oauth2';
    const field = collection === 'services' ? 'service' : 'credential';
    const withOwner =
      (answer: (owner: string, ...rest: Parameters<AdminHandler>) => ReturnType<AdminHandler>) =>
      (...rest: Parameters<AdminHandler>): ReturnType<AdminHandler> => {
        const owner = access.store.get(collection, rest[1][collection] ?? '');
        return owner === undefined ? notFound : answer(owner.id, ...rest);
      };
    const base = `/${path}/{${collection}}/oauth2_tokens`;
    return [
      {
        pattern: base,
        methods: {
          GET: withOwner((owner, request) => tokens.list(request.query, owner)),
          POST: withOwner((owner, _request, _parameters, body) =>
            tokens.create({ ...body, [field]: { id: owner } }),
          ),
        },
      },
      {
        pattern: `${base}/{oauth2_tokens}`,
        methods: {
          GET: withOwner((owner, _request, { oauth2_tokens: key = '' }) => tokens.get(key, owner)),
          DELETE: withOwner((owner, _request, { oauth2_tokens: key = '' }) =>
            tokens.delete(key, owner),
          ),
        },
      },
    ];
  };
  const ownerOf = (collection: CollectionName, field: 'credential' | 'service'): Endpoint => ({
    pattern: `/oauth2_tokens/{oauth2_tokens}/${field}`,
    methods: {
      GET: async (_request, { oauth2_tokens: key = '' }) => {
        const token = await tokens.find(key);
        const id = field === 'credential' ? token?.credentialId : token?.serviceId;
        const found = id === undefined ? undefined : access.store.get(collection, id);
        return found === undefined ? notFound : ok(found);
      },
      PUT: () => notFound,
      PATCH: () => notFound,
    },
  });
  return [
    {
      pattern: '/oauth2_tokens',
      methods: {
        GET: (request) => tokens.list(request.query),
        POST: (_request, _parameters, body) => tokens.create(body),
      },
    },
    { pattern: '/oauth2_tokens/{oauth2_tokens}', methods: one },
    ...under('services'),
    ...under('oauth2_credentials'),
    ownerOf('oauth2_credentials', 'credential'),
    ownerOf('services', 'service'),
  ];
}

/** Kong's table of tokens, on what the plugin keeps. */
class TokenTable {
  readonly #options: TokenAccess;

  constructor(options: TokenAccess) {
    this.#options = options;
  }

  async find(key: string): Promise<IssuedToken | undefined> {
    return (await this.#ask({ action: 'get', key, now: this.#options.now() })) as
      | IssuedToken
      | undefined;
  }

  async list(query: URLSearchParams, owner?: string): Promise<AdminResponse> {
    const size = Number(query.get('size') ?? 100);
    if (!Number.isInteger(size) || size < 1 || size > 1_000) {
      const { status, body } = storeErrors.invalidSize(
        'size must be an integer between 1 and 1000',
      );
      return { status, body };
    }
    const now = this.#options.now();
    const listed = (await this.#ask({
      action: 'list',
      now,
      ...(owner === undefined ? {} : { owner }),
    })) as IssuedToken[];
    const offset = query.get('offset');
    const after = offset === null ? '' : idOfOffset(offset);
    if (after === undefined) {
      const { status, body } = storeErrors.invalidOffset(offset ?? '');
      return { status, body };
    }
    const rest = listed
      .filter(({ id }) => id > after)
      .sort((one, two) => (one.id < two.id ? -1 : 1));
    const page = rest.slice(0, size);
    const last = page.at(-1);
    const next = last === undefined || rest.length <= size ? undefined : offsetAfter(last.id);
    return ok({
      data: page.map(toEntity),
      ...(next === undefined ? {} : { offset: next }),
      next: next === undefined ? null : `/oauth2_tokens?offset=${next}`,
    });
  }

  async get(key: string, owner?: string): Promise<AdminResponse> {
    const token = await this.find(key);
    return token === undefined || !isOf(token, owner) ? notFound : ok(toEntity(token));
  }

  async create(input: JsonObject): Promise<AdminResponse> {
    return this.#write(input, undefined, 201);
  }

  /** By an id or by the token itself, whether it is there or not. */
  async put(key: string, input: JsonObject): Promise<AdminResponse> {
    const existing = await this.find(key);
    const named = isUuid(key) ? { id: key } : { access_token: key };
    const id = existing === undefined ? {} : { id: existing.id };
    return this.#write({ ...input, ...named, ...id }, undefined, 200);
  }

  async patch(key: string, input: JsonObject): Promise<AdminResponse> {
    const existing = await this.find(key);
    if (existing === undefined) {
      const field = isUuid(key) ? 'id' : 'access_token';
      const { status, body } = storeErrors.notFound({ [field]: key });
      return { status, body };
    }
    return this.#write(input, existing, 200);
  }

  async delete(key: string, owner?: string): Promise<AdminResponse> {
    const token = await this.find(key);
    if (!this.#options.isWritable && token !== undefined) return readOnly;
    if (token !== undefined && isOf(token, owner)) {
      await this.#ask({ action: 'delete', key: token.id });
    }
    return { status: 204 };
  }

  async #write(
    input: JsonObject,
    existing: IssuedToken | undefined,
    status: 200 | 201,
  ): Promise<AdminResponse> {
    const { ttl, ...fields } = input as {
      readonly ttl?: JsonValue;
      readonly [key: string]: unknown;
    };
    const before = existing === undefined ? undefined : toEntity(existing);
    const { entity, errors } = validateEntity('oauth2_tokens', fields as JsonObject, {
      mode: existing === undefined ? 'insert' : 'update',
      now: this.#options.now,
      ...(before === undefined ? {} : { existing: before }),
    });
    const found = errors ?? {};
    if (ttl !== undefined && (typeof ttl !== 'number' || ttl < 0)) {
      found.ttl = 'must be a number greater than 0';
    }
    if (Object.keys(found).length > 0) return { status: 400, body: schemaViolation(found) };
    if (!this.#options.isWritable) return readOnly;
    const refusal = await this.#refusal(entity);
    if (refusal !== undefined) return refusal;
    const token = fromEntity(entity, typeof ttl === 'number' ? ttl : undefined);
    await this.#ask({ action: 'put', token, now: this.#options.now() });
    return { status, body: toEntity(token) };
  }

  /** References must hold, and no two tokens may be the same. */
  async #refusal(entity: JsonObject): Promise<AdminResponse | undefined> {
    for (const [field, collection] of [
      ['credential', 'oauth2_credentials'],
      ['service', 'services'],
    ] as const) {
      const id = referred(entity[field]);
      if (id !== undefined && this.#options.access.store.get(collection, id) === undefined) {
        const { status, body } = storeErrors.missingReference(field, id, collection);
        return { status, body };
      }
    }
    const same = await this.find(String(entity.access_token));
    if (same !== undefined && same.id !== entity.id) {
      const { status, body } = storeErrors.unique({ access_token: entity.access_token ?? null });
      return { status, body };
    }
    return undefined;
  }

  async #ask(request: StoreRequest): Promise<unknown> {
    return this.#options.ask('oauth2', request);
  }
}

/** The id after which a page starts. */
function idOfOffset(offset: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(offset, 'base64url').toString('utf8'));
    return Array.isArray(value) && isUuid(String(value[0])) ? String(value[0]) : undefined;
  } catch {
    return undefined;
  }
}

function isOf(token: IssuedToken, owner: string | undefined): boolean {
  return owner === undefined || token.credentialId === owner || token.serviceId === owner;
}

function referred(value: JsonValue | undefined): string | undefined {
  const id = (value as { readonly id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}

/** A token as Kong's Admin API shows it. */
function toEntity(token: IssuedToken): JsonObject {
  const { serviceId, createdAt, expiresAt } = token;
  return {
    id: token.id,
    created_at: Math.floor(createdAt / 1_000),
    service: serviceId === undefined ? null : { id: serviceId },
    credential: { id: token.credentialId },
    token_type: 'bearer',
    expires_in: expiresAt === undefined ? 0 : Math.round((expiresAt - createdAt) / 1_000),
    access_token: token.accessToken,
    refresh_token: token.refreshToken ?? null,
    authenticated_userid: token.userId ?? null,
    scope: token.scope ?? null,
  };
}

function fromEntity(entity: JsonObject, ttlSeconds: number | undefined): IssuedToken {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const createdAt = Number(entity.created_at) * 1_000;
  const seconds = Number(entity.expires_in);
  return {
    id: String(entity.id),
    accessToken: String(entity.access_token),
    refreshToken: text(entity.refresh_token),
    credentialId: referred(entity.credential) ?? '',
    serviceId: referred(entity.service),
    userId: text(entity.authenticated_userid),
    scope: text(entity.scope),
    createdAt,
    expiresAt: seconds > 0 ? createdAt + seconds * 1_000 : undefined,
    forgottenAt:
      ttlSeconds === undefined || ttlSeconds === 0 ? undefined : createdAt + ttlSeconds * 1_000,
  };
}
