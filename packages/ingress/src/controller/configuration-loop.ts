import type { Clock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { FallbackReport } from '../fallback/fallback-report.ts';
import { type HeldConfig, withLastValid } from '../fallback/last-valid.ts';
import { locateInvalid } from '../fallback/locate-invalid.ts';
import { locateUnknown } from '../fallback/locate-unknown.ts';
import { idOf, type ObjectId, objectId } from '../fallback/object-graph.ts';
import { ObjectQuarantine } from '../fallback/object-quarantine.ts';
import { LegacyTranslator } from '../legacy/legacy-translator.ts';
import { type KindId, kindIdOf } from '../objects/kind-id.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { isSameWish, type ReadKey } from '../store/object-store.ts';
import type { GatewaySync, SyncOutcome, SyncRequest } from '../sync/gateway-sync.ts';
import type {
  ClusterTranslator,
  ObjectChange,
} from '../translate/incremental/cluster-translator.ts';
import { IncrementalTranslator } from '../translate/incremental/incremental-translator.ts';
import type { Snapshot } from '../translate/incremental/snapshot.ts';
import type { ServiceResult } from '../translate/kong-service.ts';
import type { KongState } from '../translate/kong-state.ts';
import type { ResolvedOptions } from '../translate/options.ts';
import type { Problem } from '../translate/problem.ts';
import { ChangeGate } from './change-gate.ts';

/** One pass of the loop, for those who report on it. */
export interface PassReport {
  readonly outcome: SyncOutcome;
  /** Everything, when this pass looked at everything. */
  readonly snapshot: Snapshot | undefined;
  /** Else the services that changed. */
  readonly services: readonly ServiceResult[];
  readonly rejected: readonly Problem[];
  /** Objects that changed since the pass before. */
  readonly changed: readonly KubeObject[];
  /** Objects that went since the pass before. */
  readonly removed: readonly KubeObject[];
  readonly translationMs: number;
  readonly syncMs: number;
}

export interface ConfigurationLoopOptions {
  readonly options: ResolvedOptions;
  readonly sync: GatewaySync;
  readonly clock: Clock;
  readonly settleMs: number;
  readonly maxPauseMs: number;
  readonly resyncCheckMs: number;
  /** Whether this replica writes to the gateways now. */
  readonly isActive: () => boolean;
  /** Brings objects that look-ups did not find, where they exist; says whether it brought any. */
  readonly fetch?: (keys: ReadonlySet<ReadKey>, signal: AbortSignal) => Promise<boolean>;
  /** What the gateway holds, asked for when the first configuration of this process is refused. */
  readonly readHeld?: (signal: AbortSignal) => Promise<HeldConfig | undefined>;
  readonly onPass: (report: PassReport) => void;
  /** Told how long it took to work out what to leave out, when a gateway refused something. */
  readonly onFallback?: (durationMs: number) => void;
  readonly onError: (error: unknown) => void;
}

const firstRetryMs = 100;
/** A gateway that cannot be reached is back without a word; one that refuses has its reasons. */
const longestRetryMs = { failed: 3_000, rejected: 30_000 } as const;
/** An object that was fetched may refer to another one, but not for long. */
const mostFetchRounds = 4;

/**
 * The heart of the controller: takes changes of the cluster in, keeps the translation true, and
 * brings the gateways to it. What a gateway refuses is held back, and the rest goes on at once.
 */
export class ConfigurationLoop {
  readonly #options: ConfigurationLoopOptions;
  readonly #translator: ClusterTranslator;
  readonly #quarantine: ObjectQuarantine;
  readonly #gate: ChangeGate;
  /** Names of services that changed since gateways last took all. */
  #changed = new Set<string>();
  /** Something else changed too, or the gateways may not have what they were given. */
  #needsFullPass = true;
  #failures = 0;
  readonly #touched = new Map<ObjectId, KubeObject>();
  readonly #removed = new Map<ObjectId, KubeObject>();
  /** Whether gateways took a configuration of ours; until then they hold one from before. */
  #hasSucceeded = false;
  #held: HeldConfig | undefined;

  constructor(options: ConfigurationLoopOptions) {
    this.#options = options;
    this.#translator =
      options.options.naming === 'legacy'
        ? new LegacyTranslator(options.options)
        : new IncrementalTranslator(options.options);
    this.#quarantine = new ObjectQuarantine(options.options.ingressClass);
    this.#gate = new ChangeGate(options);
  }

  /** The objects as the translation has them. */
  get objects(): ClusterTranslator['objects'] {
    return this.#translator.objects;
  }

  /** The objects as the cluster has them, those too that are held back. */
  clusterObjects(): Iterable<KubeObject> {
    return this.#quarantine.objects();
  }

  /** An object as it is in the cluster now; parts of a translation may hold an older status of it. */
  current(object: KubeObject): KubeObject {
    const id = idOf(object);
    return (id === undefined ? undefined : this.#quarantine.objectOf(id)) ?? object;
  }

  get options(): ResolvedOptions {
    return this.#options.options;
  }

  /** Whether something that a gateway refused is held back: left out, or in its last good version. */
  get isFallback(): boolean {
    return this.#quarantine.brokenCount > 0;
  }

  /** What is held back because a gateway refused it. */
  fallbackReport(): FallbackReport {
    return this.#quarantine.report();
  }

  change(change: ObjectChange): void {
    const id = idOf(change.object);
    const kind = kindIdOf(change.object);
    if (id === undefined || kind === undefined) return;
    if (change.type === 'delete') {
      this.#touched.delete(id);
      this.#removed.set(id, change.object);
    } else {
      this.#removed.delete(id);
      const { namespace = '', name = '' } = change.object.metadata;
      const before = this.objects.get(kind, namespace, name);
      const isNews = before === undefined || !isSameWish(kind, before, change.object);
      if (isNews || this.#touched.has(id)) this.#touched.set(id, change.object);
    }
    const told = this.#quarantine.admit(change);
    if (told.length === 0) return;
    this.#translator.apply(told);
    this.#gate.notify();
  }

  /** Translates what there is so far, so that it is known what is referred to. */
  prepare(): void {
    this.#translator.settle();
    this.#translator.takeMissing();
  }

  /** Whether anything in the configuration follows from this look-up. */
  isRead(key: ReadKey): boolean {
    return this.#translator.isRead(key);
  }

  /** Asks for a pass over everything, e.g. after becoming the leader. */
  requestFullPass(): void {
    this.#needsFullPass = true;
    this.#gate.notify();
  }

  snapshot(): Snapshot {
    return this.#translator.snapshot();
  }

  /** Something else that follows from the objects; made again only when what it read changed. */
  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result {
    return this.#translator.derived(name, make);
  }

  /** The configuration alone, which is cheaper. */
  state(): KongState {
    return this.#translator.state();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#passes(signal), this.#checks(signal)]);
  }

  async #passes(signal: AbortSignal): Promise<void> {
    this.requestFullPass();
    while (await this.#gate.wait(signal)) {
      if (!this.#options.isActive()) continue;
      const startedMs = this.#options.clock.monotonicMs();
      let outcome: SyncOutcome;
      try {
        outcome = await this.#pass(signal);
      } catch (error) {
        this.#options.onError(error);
        outcome = { kind: 'failed', error: error as Error };
      }
      if (outcome.kind === 'applied' || outcome.kind === 'unchanged') {
        this.#failures = 0;
        this.#gate.finished(startedMs);
      } else {
        this.#failures += 1;
        const longestMs = longestRetryMs[outcome.kind];
        const pauseMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestMs);
        this.#gate.finished(startedMs, pauseMs);
        this.#gate.notify();
      }
    }
  }

  async #checks(signal: AbortSignal): Promise<void> {
    const { clock, resyncCheckMs, sync, isActive, onError } = this.#options;
    while (await clock.sleep(resyncCheckMs, signal)) {
      try {
        if (isActive() && (await sync.needsFullSync(signal))) this.requestFullPass();
      } catch (error) {
        onError(error);
      }
    }
  }

  async #pass(signal: AbortSignal): Promise<SyncOutcome> {
    const { clock, sync, onPass } = this.#options;
    for (;;) {
      const startedMs = clock.monotonicMs();
      await this.#settle(signal);
      const changed = [...this.#touched.values()];
      const removed = [...this.#removed.values()];
      this.#touched.clear();
      this.#removed.clear();
      this.#quarantine.begin();
      const work = this.#takeWork();
      const translatedMs = clock.monotonicMs();
      const outcome = await sync.sync(work.request, signal);
      const rejected = outcome.kind === 'rejected' ? this.#blame(outcome, work.request) : [];
      const isWell = outcome.kind === 'applied' || outcome.kind === 'unchanged';
      if (isWell) this.#accepted();
      else this.#putBack(work.request);
      onPass({
        outcome,
        snapshot: work.snapshot,
        services: [...(work.request.changedServices?.values() ?? [])].flat(),
        rejected,
        changed,
        removed,
        translationMs: translatedMs - startedMs,
        syncMs: clock.monotonicMs() - translatedMs,
      });
      if (isWell || rejected.length === 0 || signal.aborted) return outcome;
      await this.#remember(signal);
      const refusedMs = clock.monotonicMs();
      const told = this.#quarantine.reject(rejected.map(idOfProblem));
      this.#options.onFallback?.(clock.monotonicMs() - refusedMs);
      if (told.length > 0) this.#translator.apply(told);
      else if (this.#held === undefined) return outcome;
      // What stood in for objects that are held back was refused too.
      else this.#held = undefined;
    }
  }

  #accepted(): void {
    this.#hasSucceeded = true;
    this.#quarantine.accepted();
    if (this.#quarantine.excludedCount === 0) this.#held = undefined;
  }

  /** Before the first success the gateways know more than we do: what was good before we started. */
  async #remember(signal: AbortSignal): Promise<void> {
    if (this.#hasSucceeded || this.#held !== undefined) return;
    this.#hasSucceeded = true;
    try {
      this.#held = await this.#options.readHeld?.(signal);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #withHeld(state: KongState): KongState {
    const held = this.#held;
    if (held === undefined || this.#quarantine.excludedCount === 0) return state;
    return withLastValid(state, held, (id) => this.#quarantine.isExcluded(id));
  }

  /** Translates what changed; what turns out to be referred to is brought first. */
  async #settle(signal: AbortSignal): Promise<void> {
    for (let round = 0; round < mostFetchRounds; round += 1) {
      this.#translator.settle();
      const missing = this.#translator.takeMissing();
      if (missing.size === 0 || this.#options.fetch === undefined) return;
      if (!(await this.#options.fetch(missing, signal))) break;
    }
    this.#translator.settle();
  }

  /** Whom a refusal is about: by the gateway's word, or else by our own schemas. */
  #blame(
    { rejection }: Extract<SyncOutcome, { kind: 'rejected' }>,
    { state }: SyncRequest,
  ): readonly Problem[] {
    const { problems, unknownCollections = [] } = rejection;
    const unknown = locateUnknown(unknownCollections, state(), this.objects);
    if (problems.length + unknown.length > 0) return [...problems, ...unknown];
    const flavor = this.options.isExpressions ? 'expressions' : 'traditional_compatible';
    return locateInvalid(state(), flavor);
  }

  /** What to sync: the changed services when nothing else changed, or everything. */
  #takeWork(): { readonly request: SyncRequest; readonly snapshot: Snapshot | undefined } {
    const { services, isServicesOnly } = this.#translator.takeChanges();
    for (const name of services) this.#changed.add(name);
    const names = this.#changed;
    const isFull =
      this.#needsFullPass ||
      !isServicesOnly ||
      this.#held !== undefined ||
      this.#hasSharedHost(names);
    this.#changed = new Set();
    this.#needsFullPass = false;
    const changedServices = isFull
      ? undefined
      : new Map([...names].map((name) => [name, this.#translator.servicesNamed(name)]));
    // Taken before anything is awaited, so that later changes belong to the next pass.
    const whole = isFull ? this.#translator.snapshot() : undefined;
    const state = (): KongState => this.#withHeld(whole?.state ?? this.#translator.state());
    return { request: { state, changedServices }, snapshot: whole };
  }

  #putBack({ changedServices }: SyncRequest): void {
    if (changedServices === undefined) this.#needsFullPass = true;
    else for (const name of changedServices.keys()) this.#changed.add(name);
  }

  #hasSharedHost(names: ReadonlySet<string>): boolean {
    for (const name of names) {
      for (const { upstream } of this.#translator.servicesNamed(name))
        if (upstream !== undefined && this.#translator.isHostShared(upstream.name)) return true;
    }
    return false;
  }
}

function idOfProblem({ object }: Problem): ObjectId {
  const { apiVersion, kind, namespace, name } = object;
  const reference = { apiVersion, kind, metadata: { namespace, name } };
  return idOf(reference) ?? objectId(kind as KindId, namespace, name);
}
