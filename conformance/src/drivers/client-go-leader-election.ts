import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  FakeClock,
  LeaderElector,
  LeaseLock,
  leaseSpecToRecord,
  RuntimeError,
  recordToLeaseSpec,
} from '@waygate/runtime';
import { fail, type Outcome, pass } from '../driver.ts';
import {
  type ApiAnswer,
  leaseFrom,
  MemoryLeaseServer,
  type RecordData,
  type RunServer,
  ScriptedLeaseClient,
} from './client-go-leader-election-server.ts';

type Step = Record<string, unknown> & { readonly op: string };

export interface LeaderElectionScenario {
  readonly config?: {
    readonly identity?: string;
    readonly name?: string;
    readonly leaseDurationMs?: number;
    readonly renewDeadlineMs?: number;
    readonly retryPeriodMs?: number;
    readonly releaseOnCancel?: boolean;
    readonly toleranceMs?: number;
    readonly labels?: Record<string, string>;
    readonly lock?: boolean | null;
    readonly callbacks?: { readonly started?: boolean; readonly stopped?: boolean };
  };
  readonly observed?: {
    readonly record: RecordData | null;
    /** A number is in milliseconds from now. */
    readonly at: 'now' | 'longAgo' | 'future' | number;
  } | null;
  readonly steps: readonly Step[];
}

const epochMs = Date.UTC(2024, 0, 1);
const longAgoMs = 1_000_000;

/** Runs one scenario of `leader_election.json`. */
export async function runLeaderElection(scenario: LeaderElectionScenario): Promise<Outcome> {
  const run = new LeaderElectionRun(scenario);
  await run.prepare();
  for (const [index, step] of scenario.steps.entries()) {
    const problem = await run.step(step);
    if (problem !== undefined) return fail(`step ${index} (${step.op}): ${problem}`);
  }
  return pass;
}

class LeaderElectionRun {
  private readonly clock = new FakeClock(epochMs);
  private readonly scenario: LeaderElectionScenario;
  private readonly client = new ScriptedLeaseClient(epochMs);
  private readonly newLeaders: string[] = [];
  private elector: LeaderElector | undefined;
  /** How far the elector's clock is ahead while it is shown what it is to have seen in the future. */
  private aheadMs = 0;

  constructor(scenario: LeaderElectionScenario) {
    this.scenario = scenario;
  }

  /** Brings the elector to what it is said to have observed, by letting it observe that. */
  async prepare(): Promise<void> {
    const { observed } = this.scenario;
    this.aheadMs = observed?.at === 'future' ? longAgoMs : 0;
    if (observed?.record) await this.show(observed.record);
    this.aheadMs = 0;
    if (observed?.at === 'longAgo') await this.clock.advance(longAgoMs);
    if (typeof observed?.at === 'number') await this.clock.advance(Math.max(-observed.at, 0));
  }

  async step(step: Step): Promise<string | undefined> {
    switch (step.op) {
      case 'advance':
        await this.clock.advance(step.ms as number);
        return undefined;
      case 'tryAcquireOrRenew':
        return this.scripted(step, (elector) => elector.tryAcquireOrRenew());
      case 'release':
        return this.scripted(step, (elector) => elector.release());
      case 'construct':
        return this.construct(step);
      case 'health':
        return this.health(step);
      case 'roundTrip':
        return mismatch(
          'spec',
          recordToLeaseSpec(leaseSpecToRecord(step.spec as object)),
          step.spec,
        );
      case 'lockUpdate':
        return this.lockUpdate(step);
      case 'lockUpdateLabels':
        return this.lockUpdateLabels(step);
      case 'run':
        return this.run(step);
      default:
        return `unknown op ${step.op}`;
    }
  }

  private lock(): LeaseLock {
    const { identity = 'baz', labels } = this.scenario.config ?? {};
    return new LeaseLock({
      client: this.client,
      namespace: 'default',
      name: this.scenario.config?.name ?? 'lease',
      identity,
      ...(labels === undefined ? {} : { labels }),
    });
  }

  private options() {
    const { config = {} } = this.scenario;
    const leaseDurationMs = config.leaseDurationMs ?? 15_000;
    return {
      lock: this.lock(),
      leaseDurationMs,
      renewDeadlineMs: config.renewDeadlineMs ?? (leaseDurationMs * 2) / 3,
      retryPeriodMs: config.retryPeriodMs ?? (leaseDurationMs * 2) / 15,
      releaseOnCancel: config.releaseOnCancel ?? false,
      clock: this.electorClock(),
      ...(config.name === undefined ? {} : { name: config.name }),
    };
  }

  private electorClock(): Clock {
    const { clock } = this;
    return {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() + this.aheadMs,
      after: (delayMs, callback) => clock.after(delayMs, callback),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
      yield: () => clock.yield(),
    };
  }

  private theElector(): LeaderElector {
    this.elector ??= new LeaderElector({
      ...this.options(),
      callbacks: {
        onStartedLeading: () => {},
        onStoppedLeading: () => {},
        onNewLeader: (identity) => this.newLeaders.push(identity),
      },
    });
    return this.elector;
  }

  private async show(record: RecordData): Promise<void> {
    this.client.script([
      ['get', record],
      ['update', 'conflict'],
    ]);
    await this.theElector().tryAcquireOrRenew();
    this.client.script([]);
  }

  private async scripted(
    step: Step,
    act: (elector: LeaderElector) => Promise<boolean>,
  ): Promise<string | undefined> {
    const elector = this.theElector();
    this.client.script((step.api ?? []) as ApiAnswer[]);
    this.newLeaders.length = 0;
    const startMs = this.clock.now();
    const success = await settled(act(elector), this.clock);
    elector.reportTransition();
    const { holderIdentity, leaderTransitions } = elector.getObservedRecord();
    const expected = (step.expect ?? {}) as Record<string, unknown>;
    const actual: Record<string, unknown> = {
      success,
      holder: holderIdentity,
      transitions: leaderTransitions,
      newLeader: this.newLeaders.at(-1) ?? null,
    };
    return (
      this.client.problem() ??
      Object.keys(expected)
        .map((key) => mismatch(key, actual[key], expected[key]))
        .find((problem) => problem !== undefined) ??
      this.checkWrite(step.expectWrite as Record<string, unknown> | undefined, startMs)
    );
  }

  private checkWrite(
    expected: Record<string, unknown> | undefined,
    nowMs: number,
  ): string | undefined {
    if (expected === undefined) return undefined;
    const spec = this.client.lastWrite?.spec as Record<string, unknown> | undefined;
    if (spec === undefined) return 'nothing was written';
    for (const [key, value] of Object.entries(expected)) {
      const wanted = key.endsWith('Time') ? microTimeOf(String(value), nowMs) : value;
      const problem = mismatch(key, spec[key], wanted);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  private construct(step: Step): string | undefined {
    const { callbacks = {} } = this.scenario.config ?? {};
    const given = {
      ...(callbacks.started === false ? {} : { onStartedLeading: () => {} }),
      ...(callbacks.stopped === false ? {} : { onStoppedLeading: () => {} }),
    };
    try {
      // A caller in JavaScript can leave a callback, or the lock, out, whatever the type says.
      const options = { ...this.options(), callbacks: given as never };
      const { lock } = this.scenario.config ?? {};
      new LeaderElector(
        lock === false || lock === null ? { ...options, lock: undefined as never } : options,
      );
    } catch (error) {
      return checkError(error, step.expectError);
    }
    return checkError(undefined, step.expectError);
  }

  private async health(step: Step): Promise<string | undefined> {
    const state = step.elector as { holder?: string; observedMsAgo?: number } | null | undefined;
    if (state) {
      const leaseSeconds = (this.scenario.config?.leaseDurationMs ?? 15_000) / 1000;
      await this.show({ holder: state.holder ?? '', durationSeconds: leaseSeconds });
      await this.clock.advance(state.observedMsAgo ?? 0);
    }
    const error = this.theElector().check(this.scenario.config?.toleranceMs ?? 0);
    return checkError(error, step.expectError);
  }

  private async lockUpdate(step: Step): Promise<string | undefined> {
    this.client.script([['update', 'ok']]);
    try {
      await this.lock().update(leaseSpecToRecord(undefined));
    } catch (error) {
      return checkError(error, step.expectError);
    }
    return checkError(undefined, step.expectError);
  }

  private async lockUpdateLabels(step: Step): Promise<string | undefined> {
    const existing = step.existing as Record<string, string> | null | undefined;
    const lease = leaseFrom({ holder: '' }, epochMs);
    if (existing) lease.metadata.labels = existing;
    this.client.script([
      ['get', lease],
      ['update', 'ok'],
    ]);
    const lock = this.lock();
    await lock.get();
    await lock.update(leaseSpecToRecord(undefined));
    return mismatch('labels', this.client.lastWrite?.metadata.labels ?? {}, step.expect);
  }

  private async run(step: Step): Promise<string | undefined> {
    const server = new MemoryLeaseServer(this.clock, step.server as RunServer);
    const told = { startedLeading: 0, stoppedLeading: 0, newLeader: [] as string[] };
    const options = this.options();
    const elector = new LeaderElector({
      ...options,
      lock: new LeaseLock({
        client: server,
        namespace: 'default',
        name: 'lease',
        identity: options.lock.identity,
      }),
      callbacks: {
        onStartedLeading: () => {
          told.startedLeading++;
        },
        onStoppedLeading: () => {
          told.stoppedLeading++;
        },
        onNewLeader: (identity) => {
          told.newLeader.push(identity);
        },
      },
    });
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    await this.cancelAsTold(step, server, stop, options.retryPeriodMs);
    await settled(running, this.clock);
    return checkRun(step, server, told);
  }

  private async cancelAsTold(
    step: Step,
    server: MemoryLeaseServer,
    stop: AbortController,
    retryPeriodMs: number,
  ): Promise<void> {
    const during = step.cancelDuring as string | undefined;
    await this.clock.advance((step.cancelAfterMs as number | undefined) ?? retryPeriodMs / 2);
    if (during !== undefined && during !== 'idle') {
      server.hold(during === 'renew' ? 'update' : (during as 'get' | 'create' | 'update'));
      await this.clock.advance(retryPeriodMs);
    }
    stop.abort();
    await this.clock.settle();
    server.letGo();
  }
}

function checkRun(
  step: Step,
  server: MemoryLeaseServer,
  told: { startedLeading: number; stoppedLeading: number; newLeader: string[] },
): string | undefined {
  const { expectFinalHolder, expectCallbacks, expectGapMsBetween } = step;
  if (expectFinalHolder !== undefined) {
    const problem = mismatch('final holder', server.holder, expectFinalHolder);
    if (problem !== undefined) return problem;
  }
  const callbacks = (expectCallbacks ?? {}) as Partial<typeof told>;
  for (const key of Object.keys(callbacks) as (keyof typeof told)[]) {
    const problem = mismatch(key, told[key], callbacks[key]);
    if (problem !== undefined) return problem;
  }
  if (expectGapMsBetween === undefined) return undefined;
  const [least, most] = expectGapMsBetween as [number, number];
  const gaps = server.tryTimesMs.slice(1).map((atMs, index) => atMs - server.tryTimesMs[index]!);
  const odd = gaps.find((gap) => gap < least || gap > most);
  if (gaps.length === 0) return 'there was only one try';
  return odd === undefined ? undefined : `a gap of ${odd} ms is not in [${least}, ${most}]`;
}

/** Moves the clock until the promise settles. */
async function settled<T>(promise: Promise<T>, clock: FakeClock): Promise<T> {
  let isPending = true;
  const watched = promise.finally(() => {
    isPending = false;
  });
  watched.catch(() => {});
  await clock.settle();
  for (let turn = 0; isPending && turn < 10_000; turn++)
    await clock.advance(clock.nextTimerMs ?? 0);
  return watched;
}

/** `now` or `-2000ms`, seen from `nowMs`. */
function microTimeOf(text: string, nowMs: number): string {
  const offsetMs = text === 'now' ? 0 : Number.parseFloat(text);
  return new Date(nowMs + offsetMs).toISOString().replace('Z', '000Z');
}

function mismatch(what: string, actual: unknown, expected: unknown): string | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  return `${what} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
}

function checkError(error: unknown, expected: unknown): string | undefined {
  if (expected === null || expected === undefined)
    return error === undefined ? undefined : `unexpected error: ${String(error)}`;
  if (error === undefined) return `no error, expected: ${String(expected)}`;
  if (!(error instanceof RuntimeError)) return `an error of another kind: ${String(error)}`;
  const isIt = error.message.toLowerCase().includes(String(expected).toLowerCase());
  return isIt ? undefined : `error is: ${error.message}, expected: ${String(expected)}`;
}
