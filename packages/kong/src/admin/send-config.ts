import type { JsonObject } from '../entity/entities.ts';
import { entityKinds } from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import type { KongEntities } from '../sync/kong-entities.ts';
import { type AdminClient, writableBody } from './admin-client.ts';

/** One thing that a Kong without a database has against a configuration. */
export interface LoadProblem {
  readonly collection: string;
  /** The entity's name or id, as far as Kong tells. */
  readonly object: string;
  readonly field: string;
  readonly message: string;
  /** The tags of the entity: they say where it came from. */
  readonly tags: readonly string[];
}

export type LoadResult =
  | { readonly kind: 'loaded' }
  /** The Kong has exactly this configuration already. */
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly problems: readonly LoadProblem[];
    };

/**
 * A state as `POST /config` takes it: flat, each entity with its id and references by id. Passwords
 * are in clear, so Kong is left to hash them, as it does unless told not to.
 *
 * ```ts
 * const state = new KongEntities();
 * state.put('services', { id: 'a', name: 'shop', host: 'shop', created_at: 1 });
 * flatConfig(state); // { _format_version: '3.0', services: [{ id: 'a', name: 'shop', host: 'shop' }] }
 * ```
 */
export function flatConfig(state: KongEntities): JsonObject {
  const config: { [key: string]: unknown } = { _format_version: '3.0' };
  for (const kind of entityKinds) {
    if (kind.isEnterprise === true) continue;
    const entities = [...state.values(kind.collection)].map(writableBody);
    if (entities.length > 0) config[kind.collection] = entities;
  }
  return config as JsonObject;
}

interface FlattenedError {
  readonly entity_type?: string;
  readonly entity_name?: string;
  readonly entity_id?: string;
  readonly entity_tags?: readonly string[];
  readonly errors?: readonly {
    readonly field?: string;
    readonly message?: string;
    readonly messages?: readonly string[];
  }[];
}

function problemsOf(body: unknown): readonly LoadProblem[] {
  const flattened = (body as { readonly flattened_errors?: unknown } | undefined)?.flattened_errors;
  if (!Array.isArray(flattened)) return [];
  return (flattened as readonly FlattenedError[]).flatMap((error) =>
    (error.errors ?? []).flatMap((detail) =>
      [...(detail.messages ?? []), ...(detail.message === undefined ? [] : [detail.message])].map(
        (message) => ({
          collection: `${error.entity_type ?? 'entity'}s`,
          object: error.entity_name ?? error.entity_id ?? '',
          field: detail.field ?? '',
          message,
          tags: error.entity_tags ?? [],
        }),
      ),
    ),
  );
}

/**
 * Gives a Kong without a database its whole configuration. The Kong compares a hash first, so that
 * sending the same again costs it little; what it refuses comes back entity by entity.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const { content } = parseContent('_format_version: "3.0"\nservices: []\n');
 * await sendConfig(client, content); // the whole configuration at once: a Kong without a database
 * ```
 */
export async function sendConfig(
  client: AdminClient,
  config: JsonObject,
  signal?: AbortSignal,
): Promise<LoadResult> {
  try {
    const answer = await client.send('POST', '/config', {
      query: { check_hash: '1', flatten_errors: '1' },
      body: { config: JSON.stringify(config) },
      isGlobal: true,
      ...(signal === undefined ? {} : { signal }),
    });
    return answer === undefined ? { kind: 'unchanged' } : { kind: 'loaded' };
  } catch (error) {
    if (!(error instanceof KongError) || error.status !== 400) throw error;
    const { message = error.message } = (error.body ?? {}) as { readonly message?: string };
    return { kind: 'refused', message, problems: problemsOf(error.body) };
  }
}
