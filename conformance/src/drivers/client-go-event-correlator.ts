import { KubeError } from '@waygate/kube';
import {
  type Clock,
  CoreEventRecorder,
  type CorrelatedEvent,
  EventCorrelator,
  type EventSink,
  FakeClock,
  makeCoreEvent,
  writeEvent,
} from '@waygate/runtime';
import type { CoreEvent } from '@waygate/schema';
import { fail, type Outcome, pass } from '../driver.ts';

interface EventData {
  readonly reason?: string;
  readonly message?: string;
  readonly obj?: string;
  readonly fieldPath?: string;
  readonly type?: string;
}

type Played = EventData | 'unique' | readonly ['similar', EventData];
type Expected = Record<string, unknown>;
type Step = Record<string, unknown> & { readonly op: string };

export interface EventCorrelatorScenario {
  readonly config?: {
    readonly everyMs?: number;
    readonly burst?: number;
    readonly qps?: number;
    readonly maxEvents?: number;
    readonly maxIntervalMs?: number;
    readonly cacheSize?: number;
    readonly spamKey?: readonly string[];
  };
  readonly previous?: readonly (readonly [Played, number])[];
  readonly next?: EventData;
  readonly expect?: Expected;
  readonly steps?: readonly Step[];
}

const combined = '(combined from similar events): ';

/** Runs one scenario of `event_correlator.json`. */
export async function runEventCorrelator(scenario: EventCorrelatorScenario): Promise<Outcome> {
  const run = new EventCorrelatorRun(scenario);
  for (const [event, times] of scenario.previous ?? [])
    for (let index = 0; index < times; index++) run.play(eventFrom(event, index));
  if (scenario.next !== undefined) {
    const problem = check(run.play(eventFrom(scenario.next, 0)), scenario.expect ?? {});
    if (problem !== undefined) return fail(problem);
  }
  for (const [index, step] of (scenario.steps ?? []).entries()) {
    const problem = await run.step(step);
    if (problem !== undefined) return fail(`step ${index} (${step.op}): ${problem}`);
  }
  return pass;
}

class EventCorrelatorRun {
  private readonly clock: FakeClock;
  private readonly correlator: EventCorrelator;

  constructor({ config = {} }: EventCorrelatorScenario) {
    this.clock = new FakeClock();
    const { everyMs, spamKey, ...limits } = config;
    this.correlator = new EventCorrelator({
      ...limits,
      clock: everyMs === undefined ? this.clock : tickingClock(everyMs),
      ...(spamKey === undefined ? {} : { spamKey: (event) => spamKeyOf(event, spamKey) }),
    });
  }

  play(event: CoreEvent): CorrelatedEvent {
    const result = this.correlator.correlate(event);
    if (result.kind === 'write') this.correlator.updateState(result.event);
    return result;
  }

  async step(step: Step): Promise<string | undefined> {
    switch (step.op) {
      case 'advance':
        await this.clock.advance(step.ms as number);
        return undefined;
      case 'event':
        return check(
          this.play(eventFrom(step.event as EventData, 0)),
          (step.expect ?? {}) as Expected,
        );
      case 'make':
        return this.make(step);
      case 'record':
        return this.record(step);
      case 'recordMany':
        return this.recordMany(step);
      default:
        return `unknown op ${step.op}`;
    }
  }

  /** What a recorder makes of it, as it arrives where events are written. */
  private async make(step: Step): Promise<string | undefined> {
    const written: CoreEvent[] = [];
    const keep = async (event: CoreEvent) => {
      written.push(event);
      return event;
    };
    const recorder = new CoreEventRecorder({
      sink: { create: keep, patch: keep },
      source: { component: 'conformance' },
      clock: this.clock,
    });
    const stop = new AbortController();
    const running = recorder.run(stop.signal);
    recorder.event(
      step.obj as object,
      (step.type ?? 'Normal') as 'Normal',
      (step.reason ?? 'reason') as string,
      (step.message ?? 'message') as string,
    );
    await this.clock.settle();
    stop.abort();
    await running;
    const [made] = written;
    if (step.expect === 'dropped')
      return made === undefined ? undefined : `it was written as ${JSON.stringify(made)}`;
    if (made === undefined) return 'it was dropped';
    return step.expectNamespace === undefined || made.metadata.namespace === step.expectNamespace
      ? undefined
      : `namespace is ${made.metadata.namespace}, expected ${String(step.expectNamespace)}`;
  }

  private async record(step: Step): Promise<string | undefined> {
    const event = step.event as { count?: number; resourceVersion?: string } | undefined;
    const sink = new ScriptedSink(step);
    const { clock } = this;
    const base = eventFrom({ reason: 'r', message: 'm', obj: 'Pod ns/pod' }, 0);
    const count = event?.count ?? 1;
    const writing = writeEvent<CoreEvent>(
      sink,
      {
        ...base,
        count,
        metadata: { ...base.metadata, resourceVersion: event?.resourceVersion ?? '' },
      },
      count > 1 ? { count } : undefined,
      { clock, maxTries: 12, pauseMs: () => 10_000 },
    );
    await clock.advance(1_000_000);
    await writing;
    const { expectAttempts, expectCreate } = step;
    if (expectAttempts !== undefined && sink.attempts !== expectAttempts)
      return `${sink.attempts} attempts, expected ${String(expectAttempts)}`;
    if (expectCreate === undefined) return undefined;
    const wanted = (expectCreate as { resourceVersion?: string }).resourceVersion;
    if (sink.created === undefined) return 'nothing was created';
    const actual = sink.created.metadata.resourceVersion ?? '';
    return wanted === undefined || actual === wanted
      ? undefined
      : `created with resourceVersion ${actual}, expected ${wanted}`;
  }

  private async recordMany(step: Step): Promise<string | undefined> {
    const stop = new AbortController();
    const sink: EventSink<CoreEvent> = {
      create: step.sinkBlocked ? () => new Promise(() => {}) : async (event) => event,
      patch: async (event) => event,
    };
    const recorder = new CoreEventRecorder({
      sink,
      source: { component: 'conformance' },
      clock: this.clock,
    });
    const running = recorder.run(stop.signal);
    // `event` returns before anything else can run: a caller cannot be blocked by a sink.
    for (let index = 0; index < (step.count as number); index++)
      recorder.event({ kind: 'Pod', name: `pod-${index}` }, 'Normal', 'reason', 'message');
    await this.clock.settle();
    const { dropped } = recorder;
    stop.abort();
    await this.clock.advance(60_000);
    await running;
    const expected = (step.expect ?? {}) as {
      callerBlocked?: boolean;
      droppedAtLeast?: number;
      dropped?: number;
    };
    if (expected.callerBlocked === true) return 'a caller is never blocked';
    if (dropped < (expected.droppedAtLeast ?? 0)) return `only ${dropped} were dropped`;
    if (expected.dropped !== undefined && dropped !== expected.dropped)
      return `${dropped} were dropped, expected ${expected.dropped}`;
    return undefined;
  }
}

/** Fails as told: always, or the first few times. */
class ScriptedSink implements EventSink<CoreEvent> {
  attempts = 0;
  created: CoreEvent | undefined;
  private readonly sinkError: string | undefined;
  private readonly patchError: string | undefined;
  private readonly failures: number;

  constructor(step: Step) {
    this.sinkError = step.sinkError as string | undefined;
    this.patchError = step.patchError as string | undefined;
    this.failures = step.always
      ? Number.POSITIVE_INFINITY
      : ((step.failTimes as number | undefined) ?? 0);
  }

  async create(event: CoreEvent): Promise<CoreEvent> {
    this.attempts++;
    if (this.sinkError !== undefined && this.attempts <= this.failures)
      throw sinkError(this.sinkError);
    this.created = event;
    return event;
  }

  async patch(event: CoreEvent): Promise<CoreEvent> {
    if (this.patchError !== undefined) throw sinkError(this.patchError);
    return event;
  }
}

function sinkError(kind: string): Error {
  if (/construct/i.test(kind)) return new KubeError('WG_KUBE_CONFIG', 'no request could be made');
  switch (kind) {
    case 'notFound':
      return new KubeError('WG_KUBE_API', 'not found', { statusCode: 404 });
    case 'statusError':
      return new KubeError('WG_KUBE_API', 'refused', { statusCode: 403 });
    case 'unexpectedObject':
      return new KubeError('WG_KUBE_DECODE', 'not an Event');
    default:
      return new KubeError('WG_KUBE_CONNECTION', kind);
  }
}

/** Time passes with each look at it, as in the test clock that the scenarios were written for. */
function tickingClock(everyMs: number): Clock {
  const clock = new FakeClock();
  let lookedMs = 0;
  return {
    now: () => lookedMs,
    monotonicMs: () => {
      lookedMs += everyMs;
      return lookedMs;
    },
    after: (delayMs, callback) => clock.after(delayMs, callback),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    yield: () => clock.yield(),
  };
}

function eventFrom(played: Played, index: number): CoreEvent {
  if (played === 'unique')
    return eventFrom(
      { reason: `unique-${index}`, message: `unique ${index}`, obj: `Pod my-ns/pod-${index}` },
      0,
    );
  if (isSimilar(played)) {
    const [, base] = played;
    return eventFrom({ ...base, message: `${base.message ?? ''}${index}` }, 0);
  }
  const { reason = '', message = '', obj = 'Pod default/pod', fieldPath, type = 'Normal' } = played;
  const [kind = '', path = ''] = obj.split(' ');
  const [namespace, name] = path.includes('/') ? path.split('/') : ['', path];
  const reference = {
    kind,
    apiVersion: 'v1',
    namespace: namespace ?? '',
    name: name ?? '',
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
  return {
    ...makeCoreEvent(reference, type as 'Normal', reason, message, 0),
    source: { component: 'kubelet', host: 'kublet.node1' },
  };
}

function isSimilar(played: Played): played is readonly ['similar', EventData] {
  return Array.isArray(played);
}

function spamKeyOf(event: CoreEvent, parts: readonly string[]): string {
  const { kind, namespace, name } = event.involvedObject;
  const known: Record<string, unknown> = {
    source: [event.source?.component, event.source?.host],
    object: [kind, namespace, name],
    reason: event.reason,
    message: event.message,
    type: event.type,
  };
  return JSON.stringify(parts.map((part) => known[part]));
}

function check(result: CorrelatedEvent, expected: Expected): string | undefined {
  const isWrite = result.kind === 'write';
  const message = isWrite ? (result.event.message ?? '') : '';
  const actual: Expected = {
    skip: !isWrite,
    count: isWrite ? result.event.count : undefined,
    message,
    aggregated: message.startsWith(combined),
    patch: isWrite && result.patch !== undefined,
  };
  for (const [key, value] of Object.entries(expected))
    if (actual[key] !== value)
      return `${key} is ${JSON.stringify(actual[key])}, expected ${JSON.stringify(value)}`;
  return undefined;
}
