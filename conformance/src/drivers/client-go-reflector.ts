import { KubeError } from '@waygate/kube';
import {
  Backoff,
  type BackoffOptions,
  FakeClock,
  Indexer,
  InitialEventsEndTicker,
  Reflector,
  RuntimeError,
  reflectorBackoff,
} from '@waygate/runtime';
import { fail, type Outcome, pass } from '../driver.ts';
import { objectFrom, type ScenarioObject } from './client-go-object.ts';
import {
  isRequest,
  type RequestData,
  ScriptedServer,
  type ServerData,
} from './client-go-reflector-server.ts';
import {
  differs,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

/** No script is longer than this; one that is does not end. */
const mostTimers = 10_000;

/** Runs one scenario of `reflector.json` or `watch_list.json`. */
export async function runReflector(scenario: Scenario): Promise<Outcome> {
  if (scenario.steps !== undefined) return new TickerRun(scenario).play(scenario.steps);
  const run = new ReflectorRun(scenario);
  for (let left = scenario.runs ?? 1; left > 0; left--) await run.runOnce();
  for (const [name, value] of Object.entries(scenario.expect ?? {})) {
    const problem = run.check(name, value);
    if (problem !== undefined) return fail(`${name}: ${problem}`);
  }
  return pass;
}

/** A back-off that counts. */
class CountedBackoff extends Backoff {
  waits = 0;

  override nextMs(): number {
    this.waits++;
    return super.nextMs();
  }
}

class ReflectorStoreProbe extends Indexer<ScenarioObject> {
  resyncs = 0;
  isSynced = false;
  transformCalls = 0;
  resyncError: string | undefined;
  /** Which resync fails, if it is one of them. */
  resyncFailsAt: number | undefined;
  transform: ((object: ScenarioObject) => ScenarioObject) | undefined;

  private transformed(object: ScenarioObject): ScenarioObject {
    return this.transform?.(object) ?? object;
  }

  override add(object: ScenarioObject): void {
    super.add(this.transformed(object));
  }

  override update(object: ScenarioObject): void {
    super.update(this.transformed(object));
  }

  override replace(objects: readonly ScenarioObject[], resourceVersion: string) {
    this.isSynced = true;
    return super.replace(
      objects.map((object) => this.transformed(object)),
      resourceVersion,
    );
  }

  override resync(): void {
    this.resyncs++;
    if (this.resyncError !== undefined) throw new Error(this.resyncError);
    if (this.resyncs === this.resyncFailsAt) throw new Error(`resync ${this.resyncs} fails`);
  }
}

class ReflectorRun {
  private readonly clock = new FakeClock();
  private readonly scenario: Scenario;
  private readonly server: ScriptedServer;
  private readonly backoff: CountedBackoff;
  private readonly store = new ReflectorStoreProbe();
  private reflector: Reflector<ScenarioObject>;
  private readonly reported: unknown[] = [];
  private readonly rvUpdates: string[] = [];
  private readonly storeSizes: number[] = [];
  private readonly storesAfterRun: Record<string, string>[] = [];
  private readonly returns: unknown[] = [];

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    const config = scenario.config ?? {};
    const { clock } = this;
    this.server = new ScriptedServer(
      (scenario.server ?? {}) as ServerData,
      clock,
      config.clientSupports !== false,
    );
    this.backoff = new CountedBackoff({
      ...reflectorBackoff,
      ...backoffFrom(config.backoff),
      clock,
      random: () => 0.5,
    });
    for (const [name, rv] of Object.entries((config.initialStore ?? {}) as Record<string, string>))
      this.store.add(objectFrom({ name, rv }));
    if (config.transform !== undefined)
      this.store.transform = (object) => {
        this.store.transformCalls++;
        return object;
      };
    if (typeof config.resyncFailsAt === 'number') {
      this.store.resyncFailsAt = config.resyncFailsAt;
      this.server.stopsAfter = 'none';
    }
    if (scenario.fresh !== undefined) this.server.stopsAfter = 'each';
    const resyncError = config.resyncError ?? config.resyncFails;
    if (resyncError !== undefined && resyncError !== false)
      this.store.resyncError = String(resyncError);
    this.reflector = this.newReflector();
    this.server.onEventTaken = () => this.rvUpdates.push(this.reflector.lastSyncResourceVersion);
  }

  private newReflector(): Reflector<ScenarioObject> {
    const { clock, scenario } = this;
    const { transform } = this.store;
    const config = scenario.config ?? {};
    const answers = [...((config.shouldResync as boolean[] | undefined) ?? [])];
    return new Reflector<ScenarioObject>(
      {
        listerWatcher: this.server,
        store: this.store,
        clock,
        backoff: this.backoff,
        random: () => 0.5,
        onError: (error) => this.reported.push(error),
        useWatchList: (config.watchList as boolean | undefined) ?? scenario.suite === 'watch_list',
        ...(transform === undefined ? {} : { transform }),
        ...(typeof config.expectedKind === 'string'
          ? { expectedType: { kind: config.expectedKind } }
          : {}),
        ...(typeof config.pageSize === 'number' ? { watchListPageSize: config.pageSize } : {}),
        ...(typeof config.minWatchTimeoutMs === 'number'
          ? { minWatchTimeoutMs: config.minWatchTimeoutMs }
          : {}),
        ...(typeof config.resyncMs === 'number' ? { resyncPeriodMs: config.resyncMs } : {}),
        ...(config.shouldResync === undefined
          ? {}
          : { shouldResync: () => answers.shift() ?? false }),
        ...(typeof config.maxInternalErrorRetryMs === 'number'
          ? { maxInternalErrorRetryMs: config.maxInternalErrorRetryMs }
          : {}),
      },
      config.lastRV as string | undefined,
    );
  }

  async runOnce(): Promise<void> {
    const { scenario } = this;
    if (scenario.server === undefined) return;
    if (scenario.fresh !== undefined) this.reflector = this.newReflector();
    const { reflector } = this;
    const stop = new AbortController();
    this.server.onStop = () => stop.abort();
    if (scenario.stopFirst) stop.abort();
    const { stopAfterMs } = scenario.server as ServerData;
    if (stopAfterMs !== undefined) this.clock.after(stopAfterMs, () => stop.abort());
    let isDone = false;
    const call = scenario.watchOnly
      ? reflector.watch(stop.signal)
      : reflector.listAndWatch(stop.signal);
    const done = call.then(
      () => this.returns.push(null),
      (error) => this.returns.push(error),
    );
    void done.then(() => {
      isDone = true;
    });
    await this.clock.settle();
    await this.clock.advance(this.untilResyncFailsMs());
    for (let timers = 0; !isDone && timers < mostTimers; timers++) {
      if (this.clock.nextTimerMs === undefined) break;
      await this.clock.advance(this.clock.nextTimerMs);
    }
    stop.abort();
    await done;
    this.storeSizes.push(this.store.size);
    this.storesAfterRun.push(this.contents());
  }

  /** Resyncs are in the background and keep no run going: time has to pass for them. */
  private untilResyncFailsMs(): number {
    const { resyncMs } = this.scenario.config ?? {};
    const { resyncFailsAt } = this.store;
    return typeof resyncMs === 'number' && resyncFailsAt !== undefined
      ? resyncMs * resyncFailsAt
      : 0;
  }

  check(name: string, expected: unknown): Problem {
    switch (name) {
      case 'requests':
        return requestsDiffer(expected as Record<string, unknown>[], this.server.requests);
      case 'returns':
        return returnDiffers(expected, this.returns[0]);
      case 'returnsPerRun':
        return (expected as unknown[])
          .map((one, run) => returnDiffers(one, this.returns[run]))
          .find((problem) => problem !== undefined);
      case 'watchTimeoutSecondsBetween': {
        const [least, most] = expected as [number, number];
        const seconds = this.ofVerb('watch').map((request) => Number(request.timeoutSeconds));
        const off = seconds.find((value) => !(value >= least && value <= most));
        return off === undefined ? undefined : `${off} is not in [${least}, ${most}]`;
      }
      case 'elapsedMsBetween': {
        const [least, most] = expected as [number, number];
        const elapsedMs = this.clock.monotonicMs();
        if (elapsedMs >= least && elapsedMs <= most) return undefined;
        return `${elapsedMs} is not in [${least}, ${most}]`;
      }
      case 'storeAfterRun':
        return this.storesDiffer(expected);
      case 'pagesAfterFirstCarryNoRV':
        return differs(
          expected,
          this.ofVerb('list').every((request) => !request.continue || !request.resourceVersion),
        );
      default:
        return this.checkFigure(name, expected);
    }
  }

  private checkFigure(name: string, expected: unknown): Problem {
    const figures: Record<string, () => unknown> = {
      store: () => this.contents(),
      storeSizes: () => this.storeSizes,
      lastRV: () => this.reflector.lastSyncResourceVersion,
      rvUpdates: () => this.rvUpdates,
      listRVs: () => this.ofVerb('list').map((request) => request.resourceVersion ?? ''),
      limits: () => this.ofVerb('list').map((request) => request.limit ?? 0),
      listCalls: () => this.ofVerb('list').length,
      watchCalls: () => this.ofVerb('watch').length,
      watchStops: () => this.server.watchStops,
      backoffs: () => this.backoff.waits,
      resyncs: () => this.store.resyncs,
      synced: () => this.store.isSynced,
      transformCalls: () => this.store.transformCalls,
      usesWatchList: () => this.reflector.usesWatchList,
      watchEnd: () => (this.reported.some(isVeryShortWatch) ? 'veryShortWatch' : null),
    };
    const figure = figures[name];
    return figure === undefined
      ? `the driver does not know the expectation ${name}`
      : differs(expected, figure());
  }

  /** A store for each run, in a list or by the number of the run; or one for the first. */
  private storesDiffer(expected: unknown): Problem {
    if (Array.isArray(expected)) return differs(expected, this.storesAfterRun);
    const entries = Object.entries(expected as Record<string, unknown>);
    if (!entries.every(([name, value]) => /^\d+$/.test(name) && typeof value === 'object'))
      return differs(expected, this.storesAfterRun[0]);
    return entries
      .map(([run, store]) => differs(store, this.storesAfterRun[Number(run) - 1]))
      .find((problem) => problem !== undefined);
  }

  private ofVerb(verb: 'list' | 'watch'): RequestData[] {
    return this.server.requests.filter((request) => request.verb === verb);
  }

  private contents(): Record<string, string> {
    return Object.fromEntries(
      this.store
        .list()
        .map(({ metadata }) => [metadata.name!, metadata.resourceVersion ?? ''])
        .sort(),
    );
  }
}

/** Back-offs as scenarios write them. */
function backoffFrom(data: unknown): Partial<BackoffOptions> {
  const { initMs, ...same } = (data ?? {}) as { initMs?: number } & Partial<BackoffOptions>;
  return { ...same, ...(initMs === undefined ? {} : { initialMs: initMs }) };
}

function isVeryShortWatch(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === 'WG_RUNTIME_VERY_SHORT_WATCH';
}

function requestsDiffer(
  expected: readonly Record<string, unknown>[],
  actual: readonly RequestData[],
): Problem {
  const isSame =
    expected.length === actual.length &&
    expected.every((request, index) => isRequest(request, actual[index]!));
  return isSame ? undefined : differs(expected, actual);
}

/** Null is no error; so is a stop, which the call itself does not tell apart. */
function returnDiffers(expected: unknown, actual: unknown): Problem {
  if (expected === null || expected === 'stopRequested') return differs(null, actual);
  const wanted = (expected as { error: string }).error;
  for (let error: unknown = actual; error instanceof Error; error = error.cause) {
    if (error.message.includes(wanted)) return undefined;
    if (error instanceof KubeError && error.status?.reason === wanted) return undefined;
  }
  return `expected an error with ${wanted}, got ${actual instanceof Error ? actual.message : actual}`;
}

/** Steps on the warning of a streaming list that does not end. */
class TickerRun extends ScenarioRun {
  private readonly ticker = new InitialEventsEndTicker(
    this.clock,
    this.config.tickMs as number | undefined,
  );
  private warning: string | undefined;

  protected override perform(step: Step): unknown {
    if (step.op === 'event') return this.ticker.observeEvent();
    if (step.op !== 'tick') return unknownOp(step);
    this.warning = this.ticker.warning();
    return this.warning !== undefined;
  }

  protected override check(step: Step, result: unknown): Problem {
    const problem = super.check(step, result);
    if (problem !== undefined || typeof step.warning !== 'string') return problem;
    return this.warning?.includes(step.warning) ? undefined : differs(step.warning, this.warning);
  }
}
