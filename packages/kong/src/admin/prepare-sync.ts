import { randomUUID } from 'node:crypto';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { entityKinds, findEntityKind } from '../entity/entity-kinds.ts';
import { buildTarget } from '../sync/build-target.ts';
import { createPlan } from '../sync/create-plan.ts';
import type { EqualityOptions } from '../sync/entity-equality.ts';
import { KongEntities } from '../sync/kong-entities.ts';
import type { Plan } from '../sync/operation.ts';
import { type SolveOptions, type SolveResult, solve } from '../sync/solve.ts';
import type { TargetProblem } from '../sync/target-problem.ts';
import type { AdminClient } from './admin-client.ts';
import { findForeignEntities } from './foreign-entities.ts';
import { type ReadStateOptions, readState } from './read-state.ts';
import { readServerSchemas } from './server-schemas.ts';
import { workspaceExists } from './workspace.ts';
import { writeOperation } from './write-operation.ts';

export interface PrepareOptions
  extends EqualityOptions,
    Omit<ReadStateOptions, 'tags' | 'only' | 'lookup'> {
  /** Tags that say which entities are ours, beside those that the configuration names. */
  readonly selectTags?: readonly string[];
  /** What `GET /` says: a Kong of another version is asked for the schemas of its plugins. */
  readonly version?: string;
  /** Makes ids of new entities. */
  readonly newId?: () => string;
  /** Whether what the configuration does not name stays as it is, and may be referred to. */
  readonly isPartial?: boolean;
  /** Whether the workspace is taken to be there, without asking. */
  readonly skipsWorkspaceCheck?: boolean;
}

/** A plan with what it was made from. */
export interface PreparedSync {
  readonly plan: Plan;
  readonly current: KongEntities;
  readonly target: KongEntities;
  /** What is wrong with the configuration: a plan with any is not to be carried out. */
  readonly problems: readonly TargetProblem[];
  /** Whether the workspace has to be made first. */
  readonly isWorkspaceMissing: boolean;
}

/** The tags that select what is ours, of the configuration and of the caller. */
function selectTagsOf(
  config: DeclarativeConfig,
  selectTags: readonly string[] = [],
): readonly string[] {
  return [...new Set([...(config._info?.select_tags ?? []), ...selectTags])];
}

/**
 * Reads what a Kong has and says what would make it as a configuration wants it. Writes nothing.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const { config } = await readFiles(['kong.yaml']);
 * const { plan } = await prepareSync(client, config);
 * for (const { op, label } of plan.operations) console.log(op, label);
 * ```
 */
export async function prepareSync(
  client: AdminClient,
  config: DeclarativeConfig,
  options: PrepareOptions = {},
): Promise<PreparedSync> {
  const selectTags = selectTagsOf(config, options.selectTags);
  const isWorkspaceMissing =
    options.skipsWorkspaceCheck !== true && !(await workspaceExists(client, options.signal));
  const others = isWorkspaceMissing ? undefined : await readLookup(client, config, options);
  const known = others === undefined ? {} : { lookup: others };
  const current = isWorkspaceMissing
    ? new KongEntities()
    : await readState(client, { ...options, ...known, tags: selectTags });
  const lookup = options.isPartial === true ? union(current, others) : others;
  const newId = options.newId ?? randomUUID;
  const made = new Set<string>();
  const { target: named, problems } = buildTarget(config, {
    current,
    ...(lookup === undefined ? {} : { lookup }),
    newId: () => {
      const id = newId();
      made.add(id);
      return id;
    },
    selectTags,
    ...(options.skipsConsumers === undefined ? {} : { skipsConsumers: options.skipsConsumers }),
    ...(options.skipsCaCertificates === undefined
      ? {}
      : { skipsCaCertificates: options.skipsCaCertificates }),
    ...(options.skipsMemberships === undefined
      ? {}
      : { skipsMemberships: options.skipsMemberships }),
  });
  const target = withWhatStays(named, current, options.isPartial === true ? current : others);
  const { version, signal, pluginSchema } = options;
  const schemas =
    version === undefined || pluginSchema !== undefined
      ? {}
      : await readServerSchemas(client, version, current, target, signal);
  const equality = { ...options, ...schemas };
  const plan = problems.length > 0 ? { operations: [] } : createPlan(current, target, equality);
  const chosen = plan.operations.filter(({ op, id }) => op === 'create' && !made.has(id));
  const isWhole = selectTags.length === 0 || isWorkspaceMissing;
  const foreign = isWhole ? [] : await findForeignEntities(client, chosen, options);
  return {
    plan: foreign.length > 0 ? { operations: [] } : plan,
    current,
    target,
    problems: [...problems, ...foreign],
    isWorkspaceMissing,
  };
}

/** A target with the entities that stay as they are: those of others, which the file only refers to. */
function withWhatStays(
  target: KongEntities,
  current: KongEntities,
  staying: KongEntities | undefined,
): KongEntities {
  if (staying === undefined) return target;
  const ours = new KongEntities();
  for (const { collection } of entityKinds) {
    for (const { id } of staying.values(collection)) {
      const entity = current.get(collection, id);
      if (entity !== undefined) ours.put(collection, entity);
    }
  }
  return union(target, ours);
}

/** Everything of both; of an entity that both have, the first one's. */
function union(first: KongEntities, second: KongEntities | undefined): KongEntities {
  const all = first.copy();
  for (const { collection } of second === undefined ? [] : entityKinds) {
    for (const entity of second!.values(collection)) {
      if (all.get(collection, entity.id) === undefined) all.put(collection, entity);
    }
  }
  return all;
}

/** The entities of other owners that a configuration may refer to. */
async function readLookup(
  client: AdminClient,
  config: DeclarativeConfig,
  options: PrepareOptions,
): Promise<KongEntities | undefined> {
  const tagLists = Object.entries(config._info?.default_lookup_tags ?? {});
  if (tagLists.length === 0) return undefined;
  const lookup = new KongEntities();
  for (const [name, tags] of tagLists) {
    const only = findEntityKind(name)?.collection;
    if (only === undefined) continue;
    const state = await readState(client, { ...options, skipsMemberships: true, only, tags });
    for (const entity of state.values(only)) lookup.put(only, entity);
  }
  return lookup;
}

/**
 * Carries out a plan on a Kong.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const { config } = await readFiles(['kong.yaml']);
 * const { plan } = await prepareSync(client, config);
 * const { done, failed, left } = await applyPlan(client, plan, { parallelism: 4 });
 * ```
 */
export function applyPlan(
  client: AdminClient,
  plan: Plan,
  options: SolveOptions = {},
): Promise<SolveResult> {
  return solve(plan, (operation, signal) => writeOperation(client, operation, signal), options);
}

/**
 * The way back from what a plan has done: what to do so that the Kong is as it was. A password that
 * Kong has hashed cannot be brought back; its credential is left as it is.
 *
 * ```ts
 * const before = new KongEntities();
 * const target = new KongEntities();
 * target.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * const { operations: done } = createPlan(before, target);
 * rollbackPlan(before, { done, outcomes: [], failed: [], left: [] }).operations.map(({ op, label }) => `${op} ${label}`); // ['delete shop']
 * ```
 */
export function rollbackPlan(current: KongEntities, result: SolveResult): Plan {
  const reached = current.copy();
  for (const operation of result.done) {
    if (operation.op === 'delete') reached.delete(operation.collection, operation.id);
    else if (operation.after !== undefined) reached.put(operation.collection, operation.after);
  }
  const isPassword = (collection: string) => collection === 'basicauth_credentials';
  const plan = createPlan(reached, current);
  const kept = plan.operations.filter(
    ({ op, collection }) => !isPassword(collection) || op === 'delete',
  );
  const indexes = new Map(kept.map((operation, index) => [operation.index, index]));
  return {
    operations: kept.map((operation, index) => ({
      ...operation,
      index,
      dependsOn: operation.dependsOn.flatMap((earlier) => indexes.get(earlier) ?? []),
    })),
  };
}
