import type { Clock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { ConfigurationGate } from '../fallback/configuration-gate.ts';
import type { FallbackReport } from '../fallback/fallback-report.ts';
import { type HeldConfig, withPasswords } from '../fallback/held-config.ts';
import { type Located, locateInvalid } from '../fallback/locate-invalid.ts';
import { locateUnknown } from '../fallback/locate-unknown.ts';
import { upstreamCauses } from '../fallback/upstream-causes.ts';
import { kindIdOf } from '../objects/kind-id.ts';
import { idOf, type ObjectId, type ObjectName } from '../objects/object-id.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { isSameWish, type ReadKey } from '../store/object-store.ts';
import type { GatewaySync, SyncOutcome, SyncRequest } from '../sync/gateway-sync.ts';
import type { PassReport } from '../sync/pass-report.ts';
import type {
  ClusterTranslator,
  ObjectChange,
} from '../translate/incremental/cluster-translator.ts';
import { IncrementalTranslator } from '../translate/incremental/incremental-translator.ts';
import type { Snapshot } from '../translate/incremental/snapshot.ts';
import type { KongState } from '../translate/kong-state.ts';
import { LegacyTranslator } from '../translate/legacy/legacy-translator.ts';
import type { ResolvedOptions } from '../translate/options.ts';
import type { Problem } from '../translate/problem.ts';
import { ChangeGate } from './change-gate.ts';
import { StandbyLook } from './standby-look.ts';

interface ConfigurationLoopOptions {
  readonly options: ResolvedOptions;
  readonly sync: GatewaySync;
  readonly clock: Clock;
  readonly settleMs: number;
  readonly maxPauseMs: number;
  readonly resyncCheckMs: number;
  /** Whether this replica writes to the gateways now. */
  readonly isActive: () => boolean;
  /** Brings objects that look-ups did not find, where they exist; says whether it brought any. */
  readonly fetch?: (names: readonly ObjectName[], signal: AbortSignal) => Promise<boolean>;
  /** What the gateway holds, asked for when the first configuration of this process is refused. */
  readonly readHeld?: (signal: AbortSignal) => Promise<HeldConfig | undefined>;
  readonly onPass: (report: PassReport) => void;
  /** Told, while another replica writes, what cannot be translated; absent, nobody looks meanwhile. */
  readonly onLook?: ((problems: readonly Problem[]) => void) | undefined;
  /** Told how long it took to work out what to leave out, when a gateway refused something. */
  readonly onFallback?: (durationMs: number) => void;
  readonly onError: (error: unknown) => void;
}

const firstRetryMs = 100;
/** A gateway that cannot be reached is back without a word; one that refuses has its reasons. */
const longestRetryMs = { failed: 3_000, rejected: 30_000 } as const;
/** An object that was fetched may refer to another one, but not for long. */
export const mostFetchRounds = 4;

/**
 * The heart of the controller: takes changes of the cluster in, keeps the translation true, and
 * brings the gateways to it. What a gateway refuses is held back, and the rest goes on at once.
 */
export class ConfigurationLoop {
  readonly #options: ConfigurationLoopOptions;
  readonly #translator: ClusterTranslator;
  readonly #gate = new ConfigurationGate();
  readonly #changes: ChangeGate;
  /** Names of services that changed since gateways last took all. */
  #changed = new Set<string>();
  /** Something else changed too, or the gateways may not have what they were given. */
  #needsFullPass = true;
  /** Another process may have written to the gateways since the last pass. */
  #hasTakenOver = false;
  #failures = 0;
  readonly #touched = new Map<ObjectId, KubeObject>();
  readonly #removed = new Map<ObjectId, KubeObject>();
  /** Whether it was asked what gateways hold from before. */
  #hasAsked = false;
  /** What was told last came of a pass: when another writes it is told anew. */
  #isOfPass = false;
  readonly #standby: StandbyLook | undefined;

  constructor(options: ConfigurationLoopOptions) {
    this.#options = options;
    this.#translator =
      options.options.naming === 'legacy'
        ? new LegacyTranslator(options.options)
        : new IncrementalTranslator(options.options);
    this.#translator.setIncumbents(this.#gate.incumbents);
    this.#changes = new ChangeGate(options);
    const { clock, onLook, onError } = options;
    this.#standby =
      onLook &&
      new StandbyLook({
        clock,
        look: (signal) => this.#look(signal),
        again: () => this.#changes.notify(),
        onError,
      });
  }

  /** The objects as the translation has them. */
  get objects(): ClusterTranslator['objects'] {
    return this.#translator.objects;
  }

  /** All objects, those too that nothing follows from. */
  clusterObjects(): Iterable<KubeObject> {
    return this.#translator.objects.all();
  }

  /** An object as it is in the cluster now; parts of a translation may hold an older status of it. */
  current(object: KubeObject): KubeObject {
    const kind = kindIdOf(object);
    if (kind === undefined) return object;
    const { namespace = '', name = '' } = object.metadata;
    return this.objects.get(kind, namespace, name) ?? object;
  }

  get options(): ResolvedOptions {
    return this.#options.options;
  }

  /** Whether something is held back: left out, or in its last good version. */
  get isFallback(): boolean {
    return this.#gate.isFallback;
  }

  /** What is held back, and because of what. */
  fallbackReport(): FallbackReport {
    return this.#gate.report([...this.snapshot().problems, ...this.refused()]);
  }

  /** What gateways refuse of what the cluster asks for now. */
  refused(): readonly Problem[] {
    return this.#gate.problems(() => this.#translator.state());
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
    this.#translator.apply([change]);
    this.#changes.notify();
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

  /** Asks for a pass over everything, e.g. after becoming the leader; what was refused is tried again. */
  requestFullPass(): void {
    this.#needsFullPass = true;
    this.#changes.notify();
  }

  /** The same when others may have written to the gateways meanwhile: what they have is read anew. */
  takeOver(): void {
    this.#hasTakenOver = true;
    this.requestFullPass();
  }

  snapshot(): Snapshot {
    return this.#translator.snapshot();
  }

  /** Something else that follows from the objects; made again only when what it read changed. */
  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result {
    return this.#translator.derived(name, make);
  }

  /** Whether something that it was made from changed. */
  isStale(name: string): boolean {
    return this.#translator.isStale(name);
  }

  /** The configuration alone, which is cheaper. */
  state(): KongState {
    return this.#translator.state();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([this.#passes(signal), this.#checks(signal)]);
    } finally {
      this.#standby?.stop();
    }
  }

  async #passes(signal: AbortSignal): Promise<void> {
    this.requestFullPass();
    while (await this.#changes.wait(signal)) {
      if (!this.#options.isActive()) {
        await this.#standby?.turn(signal);
        continue;
      }
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
        this.#changes.finished(startedMs);
      } else {
        this.#failures += 1;
        const longestMs = longestRetryMs[outcome.kind];
        const pauseMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestMs);
        this.#changes.finished(startedMs, pauseMs);
        this.#changes.notify();
      }
    }
  }

  /** Translates for those who want to know. A turn of the loop, so that no pass begins meanwhile. */
  async #look(signal: AbortSignal): Promise<void> {
    this.#isOfPass = false;
    await this.#settle(signal);
    if (!signal.aborted) this.#options.onLook?.(this.#translator.snapshot().problems);
  }

  async #checks(signal: AbortSignal): Promise<void> {
    const { clock, resyncCheckMs, sync, isActive, onError } = this.#options;
    while (await clock.sleep(resyncCheckMs, signal)) {
      try {
        // Who lost its turn says what it sees, and not what it last knew.
        if (!isActive() && this.#isOfPass && this.#standby) this.#changes.notify();
        if (!isActive() || !(await sync.needsFullSync(signal))) continue;
        this.#gate.forgive();
        this.requestFullPass();
      } catch (error) {
        onError(error);
      }
    }
  }

  async #pass(signal: AbortSignal): Promise<SyncOutcome> {
    const { clock, sync, onPass } = this.#options;
    // Here, where no other pass is under way that would note what it knew before.
    if (this.#hasTakenOver) sync.forget();
    this.#hasTakenOver = false;
    this.#isOfPass = true;
    for (;;) {
      const startedMs = clock.monotonicMs();
      await this.#settle(signal);
      await this.#askGateways(signal);
      const changed = [...this.#touched.values()];
      const removed = [...this.#removed.values()];
      this.#touched.clear();
      this.#removed.clear();
      const work = this.#takeWork();
      const translatedMs = clock.monotonicMs();
      const outcome = await sync.sync(work.request, signal);
      const located = outcome.kind === 'rejected' ? this.#blame(outcome, work.request) : undefined;
      const isWell = outcome.kind === 'applied' || outcome.kind === 'unchanged';
      if (isWell) this.#accepted(work.request);
      else this.#putBack(work.request);
      onPass({
        outcome,
        snapshot: work.snapshot,
        services: [...(work.request.changedServices?.values() ?? [])].flat(),
        rejected: located?.problems ?? [],
        changed,
        removed,
        translationMs: translatedMs - startedMs,
        syncMs: clock.monotonicMs() - translatedMs,
      });
      if (isWell || located === undefined || signal.aborted) return outcome;
      await this.#remember(signal);
      const refusedMs = clock.monotonicMs();
      const { refused, problems } = located;
      const news = this.#gate.reject(work.request.state(), refused, problems);
      this.#options.onFallback?.(clock.monotonicMs() - refusedMs);
      // Nothing new to hold back: it is the gateway's turn to change its mind.
      if (news === 0) return outcome;
      this.#needsFullPass = true;
    }
  }

  #accepted({ changedServices, state }: SyncRequest): void {
    if (changedServices === undefined) this.#gate.accepted(state());
    else this.#gate.acceptedServices(changedServices);
  }

  /**
   * Before anything is sent, gateways know more than we do of what was good before we started. That
   * counts when something cannot be as it is asked for, or when two ask for the same.
   */
  async #askGateways(signal: AbortSignal): Promise<void> {
    if (this.#hasAsked || this.#gate.knowsGateways) return;
    const { faults, problems } = this.#translator.snapshot();
    const hasConflicts = problems.some(({ isConflict }) => isConflict);
    if (faults.incomplete.size + faults.objects.size === 0 && !hasConflicts) return;
    await this.#remember(signal);
    this.#translator.setIncumbents(this.#gate.incumbents);
    this.#translator.settle();
  }

  async #remember(signal: AbortSignal): Promise<void> {
    if (this.#hasAsked || this.#gate.knowsGateways) return;
    const held = await this.#options.readHeld?.(signal);
    this.#gate.remember(held && withPasswords(held, this.objects));
    this.#hasAsked = true;
  }

  /** Translates what changed; what turns out to be referred to is brought first. */
  async #settle(signal: AbortSignal): Promise<void> {
    for (let round = 0; round < mostFetchRounds; round += 1) {
      this.#translator.settle();
      const missing = this.#translator.takeMissing();
      if (missing.length === 0 || this.#options.fetch === undefined) return;
      if (!(await this.#options.fetch(missing, signal))) break;
    }
    this.#translator.settle();
  }

  /** Whom a refusal is about: by the gateway's word, or else by our own schemas. */
  #blame(
    { rejection }: Extract<SyncOutcome, { kind: 'rejected' }>,
    { state }: SyncRequest,
  ): Located {
    const { problems, refused, unknownCollections = [] } = rejection;
    const unknown = locateUnknown(unknownCollections, state(), this.objects);
    if (refused.length + unknown.refused.length > 0)
      return {
        problems: [...problems, ...unknown.problems, ...upstreamCauses(refused, this.objects)],
        refused: [...refused, ...unknown.refused],
      };
    const flavor = this.options.isExpressions ? 'expressions' : 'traditional_compatible';
    return locateInvalid(state(), flavor);
  }

  /** What to sync: the changed services when nothing else changed, or everything. */
  #takeWork(): { readonly request: SyncRequest; readonly snapshot: Snapshot | undefined } {
    const { services, isServicesOnly } = this.#translator.takeChanges();
    for (const name of services) this.#changed.add(name);
    const names = this.#changed;
    const changed = new Map([...names].map((name) => [name, this.#translator.servicesNamed(name)]));
    const isFull =
      this.#needsFullPass ||
      !isServicesOnly ||
      this.#hasSharedHost(names) ||
      !this.#gate.isClear(changed);
    this.#changed = new Set();
    this.#needsFullPass = false;
    // Taken before anything is awaited, so that later changes belong to the next pass.
    const snapshot = isFull ? this.#translator.snapshot() : undefined;
    let whole = snapshot && this.#gate.admit(snapshot.state, snapshot.faults);
    const state = (): KongState => {
      whole ??= this.#gate.readmit(this.#translator.state());
      return whole;
    };
    const changedServices = isFull ? undefined : changed;
    return { request: { state, changedServices }, snapshot };
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
