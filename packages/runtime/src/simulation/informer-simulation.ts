import type { KubeObject } from '@waygate/schema';
import { type HandlerRegistration, SharedInformer } from '../cache/shared-informer.ts';
import type { FakeClock } from '../time/fake-clock.ts';
import { BusyClock } from './busy-clock.ts';
import { type FaultRates, ModelServer } from './model-server.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedController } from './simulated-controller.ts';
import { Witness } from './witness.ts';

/** What one simulated informer came to. It held when `violations` is empty. */
interface InformerSimulationResult {
  readonly seed: number;
  readonly changes: number;
  readonly faults: number;
  readonly violations: readonly string[];
}

const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
/** Longer than a half-open watch, the longest back-off and the slowest handler need. */
const healingMs = 900_000;

/**
 * Runs an informer with several handlers and a controller against a model API server that fails in
 * every way it may, then lets the server heal. It checks that
 * - at quiescence the store, and every handler's view, are what the server has;
 * - each handler has been told a legal history;
 * - the controller has acted on the final state of every key;
 * - after the stop no timer and no watch is left.
 *
 * The same seed gives the same run.
 */
export function simulateInformer(seed: number): Promise<InformerSimulationResult> {
  return new InformerSimulation(seed).run();
}

class InformerSimulation {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #clock: FakeClock;
  readonly #server: ModelServer;
  readonly #informer: SharedInformer<KubeObject>;
  readonly #controller: SimulatedController;
  readonly #witnesses = new Map<HandlerRegistration, Witness>();
  readonly #violations: string[] = [];
  #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    const random = this.#random;
    const clock = new BusyClock(
      Date.UTC(2026, 0, 1),
      random,
      random.chance(0.5) ? 0 : random.next() * 0.5,
    );
    this.#clock = clock;
    this.#server = new ModelServer(clock, random, ratesOf(random));
    this.#informer = new SharedInformer<KubeObject>({
      listerWatcher: this.#server,
      clock,
      random: random.next,
      useWatchList: random.chance(0.5),
      onError: () => {},
      resyncPeriodMs: random.chance(0.3) ? random.between(5_000, 60_000) : 0,
      ...(random.chance(0.3) ? { watchListPageSize: 2 } : {}),
      ...(random.chance(0.3) ? { maxInternalErrorRetryMs: 10_000 } : {}),
      indexers: { initial: (object) => [object.metadata.name!] },
    });
    this.#controller = new SimulatedController(
      clock,
      random,
      (key) => this.#informer.indexer.getByKey(key)?.metadata.resourceVersion,
    );
  }

  async run(): Promise<InformerSimulationResult> {
    const random = this.#random;
    const server = this.#server;
    const clock = this.#clock;
    for (let count = random.between(0, 5); count > 0; count--)
      server.history.put(random.pick(names));
    this.#addWitness();
    this.#start();
    const working = this.#controller.run(random.between(1, 3));
    for (let step = random.between(8, 40); step > 0; step--) await this.#disturb();
    server.isFaulty = false;
    await clock.advance(healingMs);
    // A resync may just have begun; its work takes a moment.
    for (let left = 100; left > 0 && !this.#isQuiescent; left--) await clock.advance(100);
    this.#checkQuiescence();
    this.#controller.queue.shutDown();
    await this.#stop();
    await clock.settle();
    await working;
    this.#checkStopped();
    return {
      seed: this.#seed,
      changes: server.history.version,
      faults: server.faults,
      violations: this.#violations,
    };
  }

  async #disturb(): Promise<void> {
    const random = this.#random;
    const server = this.#server;
    const clock = this.#clock;
    const roll = random.next();
    if (roll < 0.45) server.history.put(random.pick(names));
    else if (roll < 0.65) server.history.delete(random.pick(names));
    else if (roll < 0.7) server.history.compactedVersion = server.history.version;
    else if (roll < 0.75) this.#addWitness();
    else if (roll < 0.78) this.#removeWitness();
    else if (roll < 0.8) {
      await this.#stop();
      this.#start();
    } else if (roll < 0.83) clock.jumpWallClock(random.between(-3_600_000, 3_600_000));
    else if (roll < 0.86) await clock.leap(random.between(0, 30_000));
    if (random.chance(0.5)) await clock.advance(random.between(0, 2_000));
    if (random.chance(0.1)) await clock.advance(random.between(0, 30_000));
  }

  #start(): void {
    this.#stopping = new AbortController();
    this.#running = this.#informer.run(this.#stopping.signal);
  }

  async #stop(): Promise<void> {
    let isStopped = false;
    void this.#running.then(() => {
      isStopped = true;
    });
    this.#stopping.abort();
    // A handler that is slow is waited for, and its time has to pass.
    while (!isStopped) await this.#clock.advance(500);
  }

  #addWitness(): void {
    const random = this.#random;
    const clock = this.#clock;
    const isSlow = random.chance(0.3);
    const witness = new Witness({
      name: `handler ${this.#witnesses.size}`,
      clock,
      random,
      isSlow,
      isFaulty: random.chance(0.2),
      onKey: (key) => this.#controller.queue.add(key),
    });
    // What takes longer than the time between two resyncs would never come to an end.
    const wantsResync = !isSlow && random.chance(0.5);
    const resyncPeriodMs = wantsResync ? random.between(5_000, 60_000) : 0;
    this.#witnesses.set(this.#informer.addEventHandler(witness, { resyncPeriodMs }), witness);
  }

  /** The first stays: it is the one that feeds the controller without a gap. */
  #removeWitness(): void {
    const [, ...others] = this.#witnesses.keys();
    if (others.length === 0) return;
    const registration = this.#random.pick(others);
    this.#informer.removeEventHandler(registration);
    this.#violations.push(...this.#witnesses.get(registration)!.violations);
    this.#witnesses.delete(registration);
  }

  get #isQuiescent(): boolean {
    const isTold = [...this.#witnesses.keys()].every(({ pendingCount }) => pendingCount === 0);
    return isTold && this.#controller.isIdle;
  }

  #checkQuiescence(): void {
    const truth = versions(this.#server.history.objects().values());
    this.#expectSame('the store', truth, versions(this.#informer.indexer.list()));
    if (!this.#informer.hasSynced) this.#violations.push('the informer has not synced');
    for (const [registration, witness] of this.#witnesses) {
      this.#violations.push(...witness.violations);
      this.#expectSame('a handler', truth, Object.fromEntries([...witness.view].sort()));
      if (registration.pendingCount > 0) this.#violations.push('a handler has not been told all');
    }
    for (const name of names) {
      const acted = this.#controller.actedOn.get(name);
      if (acted !== truth[name])
        this.#violations.push(
          `the controller acted on ${name} at ${acted}, it is at ${truth[name]}`,
        );
    }
    this.#violations.push(...this.#controller.violations);
    if (!this.#controller.isIdle) this.#violations.push('the controller does not come to rest');
    for (const name of this.#informer.indexer.listIndexFuncValues('initial'))
      if (truth[name] === undefined) this.#violations.push(`the index still has ${name}`);
  }

  #checkStopped(): void {
    if (this.#clock.timerCount > 0)
      this.#violations.push(`${this.#clock.timerCount} timers are left`);
    if (this.#server.openWatches > 0)
      this.#violations.push(`${this.#server.openWatches} watches are left`);
  }

  #expectSame(
    what: string,
    expected: Record<string, string>,
    actual: Record<string, string>,
  ): void {
    const [left, right] = [JSON.stringify(expected), JSON.stringify(actual)];
    if (left !== right) this.#violations.push(`${what} has ${right}, the server has ${left}`);
  }
}

function versions(objects: Iterable<KubeObject>): Record<string, string> {
  return Object.fromEntries(
    Array.from(objects, ({ metadata }) => [metadata.name!, metadata.resourceVersion!]).sort(),
  );
}

/** Every run has faults of its own; some have none of most sorts, so that others get their chance. */
function ratesOf(random: SeededRandom): FaultRates {
  const rate = (most: number) => (random.chance(0.4) ? 0 : random.next() * most);
  return {
    refuse: rate(0.2),
    tooManyRequests: rate(0.2),
    internal: rate(0.2),
    expired: rate(0.05),
    tooLarge: rate(0.2),
    stale: rate(0.8),
    delay: rate(0.5),
    cut: rate(0.15),
    garble: rate(0.1),
    silence: rate(0.05),
    repeat: rate(0.2),
    noStreaming: rate(0.5),
  };
}
