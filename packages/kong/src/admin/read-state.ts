import type { JsonValue } from '../entity/entities.ts';
import {
  type CollectionName,
  type EntityKind,
  entityKind,
  entityKinds,
} from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import { membershipId } from '../sync/identity.ts';
import { KongEntities } from '../sync/kong-entities.ts';
import { runInParallel } from '../sync/run-in-parallel.ts';
import type { AdminClient } from './admin-client.ts';

export interface ReadStateOptions {
  /** Only what has all of these tags. */
  readonly tags?: readonly string[];
  /** Leaves out consumers and what belongs to them. */
  readonly skipsConsumers?: boolean;
  readonly skipsCaCertificates?: boolean;
  /** Leaves out who is in which consumer group, which takes a request for each group. */
  readonly skipsMemberships?: boolean;
  /** Leaves out every other kind. */
  readonly only?: CollectionName;
  /** What belongs to others and was read before: its members and groups may be ours. */
  readonly lookup?: KongEntities;
  /** How many target lists are read at a time. */
  readonly parallelism?: number;
  readonly signal?: AbortSignal;
  /** Called with the number of entities read so far. */
  readonly onProgress?: (count: number) => void;
}

/** A Kong that does not know one of these has none of them. */
const optionalKinds: ReadonlySet<CollectionName> = new Set([
  'ca_certificates',
  'vaults',
  'keys',
  'key_sets',
]);

function isOptional(kind: EntityKind): boolean {
  return (
    kind.isEnterprise === true ||
    kind.parentField === 'consumer' ||
    optionalKinds.has(kind.collection)
  );
}

async function readKind(
  client: AdminClient,
  kind: EntityKind,
  path: string,
  options: ReadStateOptions,
  add: (entity: StoredEntity) => void,
): Promise<void> {
  const isTagged = kind.parentField !== 'consumer';
  const tags = isTagged && options.tags !== undefined ? { tags: options.tags } : {};
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  try {
    for await (const page of client.pages(path, { ...tags, ...signal })) page.forEach(add);
  } catch (error) {
    if (!(error instanceof KongError) || error.code !== 'WG_KONG_HTTP') throw error;
    if (isOptional(kind) && (error.status === 404 || error.status === 403)) return;
    throw new KongError(error.code, `${kind.collection}: ${error.message}`, {
      cause: error,
      ...(error.status === undefined ? {} : { status: error.status }),
      body: error.body,
    });
  }
}

/**
 * Reads what a Kong has: all kinds at once, page by page, and the targets of many upstreams at a
 * time. Credentials of consumers that are not among those read are left out.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const state = await readState(client, { tags: ['team-a'] });
 * process.stdout.write(writeDeckYaml(dumpConfig(state)));
 * ```
 */
export async function readState(
  client: AdminClient,
  options: ReadStateOptions = {},
): Promise<KongEntities> {
  const state = new KongEntities();
  let count = 0;
  const add = (kind: EntityKind) => (entity: StoredEntity) => {
    count += 1;
    options.onProgress?.(count);
    if (kind.collection !== 'certificates') {
      state.put(kind.collection, entity);
      return;
    }
    // Its names are entities of their own, and read as such.
    const { snis: _names, ...certificate } = entity as StoredEntity & { readonly snis?: unknown };
    state.put('certificates', certificate as StoredEntity);
  };
  const kinds = entityKinds.filter((kind) => {
    if (options.only !== undefined && kind.collection !== options.only) return false;
    if (options.skipsConsumers === true && kind.isConsumers === true) return false;
    return !(options.skipsCaCertificates === true && kind.collection === 'ca_certificates');
  });
  await Promise.all(
    kinds.map(async (kind) => {
      if (kind.path !== undefined) await readKind(client, kind, kind.path, options, add(kind));
      const limit = options.parallelism ?? 10;
      const { tags: _tags, ...untagged } = options;
      if (kind.collection === 'upstreams') {
        const targets = entityKind('targets');
        await runInParallel([...state.values('upstreams')], limit, (upstream) =>
          readKind(client, targets, `upstreams/${upstream.id}/targets`, untagged, add(targets)),
        );
      }
      if (kind.collection === 'consumer_groups' && options.skipsMemberships !== true) {
        const groups = [state, options.lookup].flatMap((one) => [
          ...(one?.values('consumer_groups') ?? []),
        ]);
        await runInParallel([...new Set(groups.map(({ id }) => id))], limit, (group) =>
          readMembers(client, group, untagged, state),
        );
      }
    }),
  );
  dropOrphans(state, options);
  return state;
}

/** Reads who is in a consumer group; the consumers themselves are read with all others. */
async function readMembers(
  client: AdminClient,
  group: string,
  options: ReadStateOptions,
  state: KongEntities,
): Promise<void> {
  const kind = entityKind('consumer_group_consumers');
  await readKind(client, kind, `consumer_groups/${group}/consumers`, options, ({ id }) => {
    const membership = { consumer_group: { id: group }, consumer: { id } };
    state.put(kind.collection, { ...membership, id: membershipId(kind, membership) });
  });
}

/** Credentials of consumers that were not read, and plugins of consumers that were skipped. */
function dropOrphans(state: KongEntities, options: ReadStateOptions): void {
  for (const kind of entityKinds) {
    if (kind.parentField !== 'consumer' && kind.isMembership !== true) continue;
    for (const entity of [...state.values(kind.collection)]) {
      const isKept =
        kind.isMembership === true
          ? isOurMembership(kind, entity, state, options.lookup)
          : isThere(state, 'consumers', entity.consumer);
      if (!isKept) state.delete(kind.collection, entity.id);
    }
  }
  if (options.skipsConsumers !== true) return;
  for (const plugin of [...state.values('plugins')]) {
    const isConsumers =
      referenceId(plugin.consumer) !== undefined ||
      referenceId(plugin.consumer_group) !== undefined;
    if (isConsumers) state.delete('plugins', plugin.id);
  }
}

function isThere(
  state: KongEntities | undefined,
  collection: CollectionName,
  reference: JsonValue | undefined,
): boolean {
  const id = referenceId(reference);
  return id !== undefined && state?.get(collection, id) !== undefined;
}

/** One side of it is ours, and the other ours or known: of strangers in our group nothing is said. */
function isOurMembership(
  kind: EntityKind,
  membership: StoredEntity,
  state: KongEntities,
  lookup: KongEntities | undefined,
): boolean {
  const sides = kind.references.map(({ field, collection }) => ({
    isOurs: isThere(state, collection, membership[field]),
    isKnown: isThere(lookup, collection, membership[field]),
  }));
  return sides.some(({ isOurs }) => isOurs) && sides.every((side) => side.isOurs || side.isKnown);
}
