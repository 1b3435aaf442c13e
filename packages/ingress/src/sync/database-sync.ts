import { randomUUID } from 'node:crypto';
import {
  type AdminClient,
  applyPlan,
  buildTargetSteps,
  createPlanSteps,
  type DeclarativeConfig,
  type EqualityOptions,
  guardRoutes,
  inTurns,
  type KongEntities,
  type Operation,
  type Plan,
  readState,
  type SolveResult,
  type TargetProblem,
} from '@waygate/kong';
import type { Clock } from '@waygate/runtime';
import { waitingServiceName } from '../fallback/held-config.ts';
import { toDeclarativeConfig } from '../translate/declarative-config.ts';
import type { ServiceResult } from '../translate/kong-service.ts';
import type {
  ServiceEntity,
  KongState as TranslatedState,
  UpstreamEntity,
} from '../translate/kong-state.ts';
import { refusalOf } from './admin-api.ts';
import {
  type GatewaySync,
  type Push,
  pushOf,
  type SyncOutcome,
  type SyncRequest,
} from './gateway-sync.ts';
import { ManagedEntities } from './managed-entities.ts';
import { PluginCheck } from './plugin-check.ts';
import { refusedOperation, rejectedBecause } from './refused-operation.ts';
import { type NarrowedSync, SyncedServices } from './synced-services.ts';

export interface DatabaseSyncOptions extends EqualityOptions {
  /** Asked for every pass: any gateway of the database will do, and it may be gone the next time. */
  readonly client: () => AdminClient | undefined;
  /** Every entity carries these tags, and only entities that do are ours to change. */
  readonly filterTags?: readonly string[];
  readonly concurrency?: number;
  /** How long to trust what we know of the database before reading it again. */
  readonly fullComparisonMs?: number;
  readonly skipsCaCertificates?: boolean;
  readonly clock: Clock;
  readonly newId?: () => string;
  readonly onPush?: (push: Push) => void;
  /** Told what was written, for those who want to see it. */
  readonly onWritten?: (operations: readonly Operation[]) => void;
}

const defaultFullComparisonMs = 10 * 60_000;

/** Collections of Kong Enterprise, and of newer versions. */
const mayBeAbsent: ReadonlySet<string> = new Set(['consumer_groups', 'vaults']);

/** So few are written one by one: it is not asked whether the gateway takes batches. */
const fewOperations = 50;
/** Writes under way at a time in batches: a few batches, so that the gateway need not wait for the next. */
const batchedOperations = 2_000;

/**
 * A Kong with a database: only entities that differ are written, each on its own, so that a bad one
 * harms nobody else. What the database holds is remembered, and read again now and then, which undoes
 * what others changed by hand.
 *
 * ```ts
 * const admin = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const sync = new DatabaseSync({ client: () => admin, filterTags: ['managed-by-waygate'], clock: systemClock });
 * ```
 */
export class DatabaseSync implements GatewaySync {
  readonly protocol = 'deck';
  readonly #options: DatabaseSyncOptions;
  #managed: ManagedEntities | undefined;
  /** What the database is known to have, while that is known. */
  #synced: SyncedServices | undefined;
  #readAtMs = 0;
  readonly #plugins = new PluginCheck();

  constructor(options: DatabaseSyncOptions) {
    this.#options = options;
  }

  forget(): void {
    this.#managed = undefined;
    this.#synced = undefined;
  }

  async needsFullSync(signal: AbortSignal): Promise<boolean> {
    if (this.#managed === undefined) return false;
    const { clock, fullComparisonMs = defaultFullComparisonMs } = this.#options;
    const isDue = clock.monotonicMs() - this.#readAtMs >= fullComparisonMs;
    if (!isDue && !(await this.#isEmptied(signal))) return false;
    this.#managed = undefined;
    return true;
  }

  /** Whether a database that should have services of ours has none: somebody put an empty one there. */
  async #isEmptied(signal: AbortSignal): Promise<boolean> {
    const { filterTags = [] } = this.#options;
    const [known] = this.#managed?.state.values('services') ?? [];
    const client = this.#options.client();
    if (known === undefined || client === undefined) return false;
    const tags: Record<string, string> =
      filterTags.length > 0 ? { tags: filterTags.join(',') } : {};
    try {
      const query = { size: '1', ...tags };
      const page = (await client.send('GET', '/services', { query, signal })) as {
        data?: unknown[];
      };
      return page?.data?.length === 0;
    } catch {
      return false; // A gateway that is down is found out by the next write.
    }
  }

  async sync(request: SyncRequest, signal: AbortSignal): Promise<SyncOutcome> {
    try {
      const managed = await this.#read(signal);
      const { changedServices } = request;
      // What is not known, or has plugins that may have to go, is compared with all of them.
      const isFree =
        changedServices && this.#synced?.carriesPlugins(changedServices.keys()) === false;
      const part = isFree === true ? partialConfig(changedServices) : undefined;
      return part === undefined
        ? await this.#syncAll(managed, request.state(), signal)
        : await this.#syncPart(managed, part, signal);
    } catch (error) {
      this.#managed = undefined;
      return { kind: 'failed', error: asError(error) };
    }
  }

  async #syncPart(
    managed: ManagedEntities,
    { config, services, upstreams }: PartialConfig,
    signal: AbortSignal,
  ): Promise<SyncOutcome> {
    const hosts = new Map<string, UpstreamEntity | undefined>(upstreams);
    for (const name of services.keys()) {
      const host = managed.hostOf(name);
      if (host !== undefined && !hosts.has(host)) hosts.set(host, undefined);
    }
    const current = managed.partOf(services.keys(), hosts.keys());
    const outcome = await this.#bring(managed, { config, current }, signal);
    if (isWell(outcome)) this.#synced?.set(services, hosts);
    else this.#synced = undefined;
    return outcome;
  }

  /** Everything, but for services that are known to be there as they should. */
  async #syncAll(
    managed: ManagedEntities,
    state: TranslatedState,
    signal: AbortSignal,
  ): Promise<SyncOutcome> {
    const comparison = this.#synced?.narrow(state, managed) ?? {
      config: toDeclarativeConfig(state, { isDbless: false }) as DeclarativeConfig,
      current: managed.state,
    };
    this.#synced = undefined;
    const outcome = await this.#bring(managed, comparison, signal);
    if (isWell(outcome)) this.#synced = new SyncedServices(state);
    return outcome;
  }

  #client(): AdminClient {
    const client = this.#options.client();
    if (client === undefined) throw new Error('no gateway answers');
    return client;
  }

  async #read(signal: AbortSignal): Promise<ManagedEntities> {
    if (this.#managed !== undefined) return this.#managed;
    const { filterTags = [], skipsCaCertificates, clock } = this.#options;
    const readAtMs = clock.monotonicMs();
    const state = await readState(this.#client(), {
      tags: filterTags,
      signal,
      ...(skipsCaCertificates === undefined ? {} : { skipsCaCertificates }),
    });
    this.#managed = new ManagedEntities(state);
    this.#plugins.forget();
    this.#synced = undefined;
    this.#readAtMs = readAtMs;
    return this.#managed;
  }

  async #bring(
    managed: ManagedEntities,
    { config, current, lookup }: Pick<NarrowedSync, 'config' | 'current'> & Partial<NarrowedSync>,
    signal: AbortSignal,
  ): Promise<SyncOutcome> {
    const { filterTags = [], concurrency, skipsCaCertificates } = this.#options;
    const building = buildTargetSteps(config, {
      current,
      ...(lookup && { lookup }),
      newId: this.#options.newId ?? randomUUID,
      selectTags: filterTags,
      ...(skipsCaCertificates === undefined ? {} : { skipsCaCertificates }),
    });
    const { target, problems } = await inTurns(building, { signal });
    if (problems.length > 0) return rejectedByTarget(problems);
    const planning = createPlanSteps(current, target, this.#options);
    const plan: Plan = await inTurns(planning, { signal });
    if (plan.operations.length === 0) return { kind: 'unchanged' };
    const client = this.#client();
    const refused = await this.#plugins.check(client, plan.operations, signal);
    if (refused !== undefined) {
      const refusals = refused.map(({ operation, message }) => ({
        ...refusedOperation(operation, target),
        label: operation.label,
        message,
      }));
      return rejectedBecause(refusals, new Error(refused[0]!.message));
    }
    const startedMs = this.#options.clock.monotonicMs();
    const newId = this.#options.newId ?? randomUUID;
    const waiting = { name: waitingServiceName, id: newId(), tags: filterTags };
    const batching =
      plan.operations.length < fewOperations ? undefined : await client.batching(signal);
    const result = await applyPlan(batching ?? client, guardRoutes(plan, waiting), {
      signal,
      ...(concurrency === undefined ? {} : { parallelism: concurrency }),
      ...(batching && { parallelism: batchedOperations }),
    });
    for (const operation of result.done) managed.applied(operation);
    const outcome = outcomeOf(result, target);
    const durationMs = this.#options.clock.monotonicMs() - startedMs;
    this.#options.onPush?.(pushOf(client.url, durationMs, outcome));
    this.#options.onWritten?.(result.done);
    // Something that we took for granted is gone: what we know is no longer to be trusted.
    if (result.failed.some(({ error }) => refusalOf(error)?.status === 404))
      this.#managed = undefined;
    return outcome;
  }
}

/** Changed services alone, with their upstreams; without an entity for those that are gone. */
interface PartialConfig {
  readonly config: DeclarativeConfig;
  readonly services: ReadonlyMap<string, ServiceEntity | undefined>;
  readonly upstreams: ReadonlyMap<string, UpstreamEntity>;
}

/**
 * The configuration of the changed services alone; undefined when they are tied to more than their
 * own routes and targets, so that what they are tied to has to be compared as well.
 */
function partialConfig(
  changed: ReadonlyMap<string, readonly ServiceResult[]>,
): PartialConfig | undefined {
  const services = new Map<string, ServiceEntity | undefined>();
  const upstreams = new Map<string, UpstreamEntity>();
  for (const [name, results] of changed) {
    if (results.length > 1) return undefined;
    services.set(name, undefined);
    for (const { service, upstream } of results) {
      const isTied =
        service?.client_certificate !== undefined ||
        service?.ca_certificates !== undefined ||
        service?.plugins !== undefined ||
        service?.routes?.some(({ plugins }) => plugins !== undefined);
      if (isTied) return undefined;
      if (service !== undefined) services.set(name, service);
      if (upstream === undefined) continue;
      if (upstreams.has(upstream.name)) return undefined;
      upstreams.set(upstream.name, upstream);
    }
  }
  const config = {
    _format_version: '3.0',
    services: [...services.values()].filter((service) => service !== undefined),
    upstreams: [...upstreams.values()],
  } as unknown as DeclarativeConfig;
  return { config, services, upstreams };
}

function isWell({ kind }: SyncOutcome): boolean {
  return kind === 'applied' || kind === 'unchanged';
}

function outcomeOf({ done, failed }: SolveResult, target: KongEntities): SyncOutcome {
  const [first] = failed;
  if (first === undefined) return { kind: 'applied', writes: done.length, bytes: 0 };
  const refused = failed.filter(({ error, operation }) => {
    const status = refusalOf(error)?.status ?? 0;
    if (status === 400 || status === 409) return true;
    // Not every Kong has these; what is missing elsewhere may only be on its way.
    return status === 404 && mayBeAbsent.has(operation.collection);
  });
  if (refused.length < failed.length || refused.length === 0)
    return { kind: 'failed', error: first.error };
  const refusals = refused.map(({ operation, error }) => ({
    ...refusedOperation(operation, target),
    label: operation.label,
    message: error.message,
  }));
  return rejectedBecause(refusals, first.error);
}

function rejectedByTarget(problems: readonly TargetProblem[]): SyncOutcome {
  const unexplained = problems.map(({ collection, object }) => `${collection} ${object}`);
  const error = new Error(problems.map(({ message }) => message).join('; '));
  return { kind: 'rejected', rejection: { problems: [], refused: [], unexplained }, error };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
