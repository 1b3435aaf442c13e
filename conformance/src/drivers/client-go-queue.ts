import {
  DelayingQueue,
  parallelizeUntil,
  type QueueMetrics,
  type QueueMetricsProvider,
  type QueueStorage,
  RateLimitingQueue,
  WorkQueue,
  type WorkQueueOptions,
} from '@waygate/runtime';
import type { Outcome } from '../driver.ts';
import { collectGarbage } from './client-go-garbage.ts';
import { type LimiterData, limiterFrom } from './client-go-limiter.ts';
import { runQueueStress, type StressData } from './client-go-queue-stress.ts';
import {
  differs,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

type Item = string | object;

/** Runs one scenario of the suites workqueue, delaying_queue, rate_limiting_queue and queue_metrics. */
export function runQueue(scenario: Scenario): Promise<Outcome> {
  return new QueueRun(scenario).play(scenario.steps ?? []);
}

/** Remembers the delay that the last call came to. */
class ObservedQueue extends RateLimitingQueue<Item> {
  lastDelayMs = 0;

  override addAfter(item: Item, delayMs: number): void {
    this.lastDelayMs = delayMs;
    super.addAfter(item, delayMs);
  }
}

class QueueRun extends ScenarioRun {
  private readonly queue: WorkQueue<Item>;
  private readonly metrics = new RecordedMetrics();
  private readonly touched: Item[] = [];
  private readonly weak = new Map<string, { ref: WeakRef<object>; strong: object | undefined }>();
  private readonly suite: string;

  constructor(scenario: Scenario) {
    super(scenario);
    this.suite = scenario.suite;
    const options: WorkQueueOptions<Item> = {
      clock: this.clock,
      metricsProvider: this.metrics,
      ...(typeof this.config.name === 'string' ? { name: this.config.name } : {}),
      ...(typeof this.config.updatePeriodMs === 'number'
        ? { unfinishedWorkUpdateMs: this.config.updatePeriodMs }
        : {}),
    };
    const touches = scenario.steps?.some(({ op }) => op === 'touched') === true;
    const storage = touches ? { storage: observedStorage(this.touched) } : {};
    if (this.suite === 'rate_limiting_queue' || this.suite === 'queue_metrics')
      this.queue = new ObservedQueue({
        ...options,
        ...(this.config.limiter === undefined
          ? {}
          : { rateLimiter: limiterFrom(this.config.limiter as LimiterData, this.clock) }),
      });
    else if (this.suite === 'workqueue') this.queue = new WorkQueue({ ...options, ...storage });
    else this.queue = new DelayingQueue({ ...options, ...storage });
  }

  /** Metrics are read at the end of a step: the clock leaps there as client-go's fake clock does. */
  protected override advance(ms: number): Promise<void> {
    return this.suite === 'queue_metrics' ? this.clock.leap(ms) : this.clock.advance(ms);
  }

  protected override perform(step: Step): unknown {
    const { queue } = this;
    const item = step.item as Item;
    switch (step.op) {
      case 'add':
        return queue.add(item);
      case 'get':
        return queue.get().then((got) => got ?? { shutdown: true });
      case 'done':
        return queue.done(item);
      case 'len':
        return queue.length;
      case 'shutDown':
        return queue.shutDown();
      case 'shutDownWithDrain':
        return queue.shutDownWithDrain();
      case 'shuttingDown':
        return queue.isShuttingDown;
      case 'touched':
        return this.touched;
      case 'stress':
        return runQueueStress(step as unknown as StressData, this.clock);
      case 'parallelizeUntil':
        return visitPieces(step);
      case 'metric':
        return this.metrics.values[step.metric as string] ?? 0;
      case 'metricsRegistered':
        return this.metrics.isRegistered;
      case 'updates':
        return this.metrics.updates;
      case 'addWeak':
      case 'getDoneWeak':
      case 'collected':
        return this.performWeak(step);
      default:
        return this.performDelayed(step);
    }
  }

  private performDelayed(step: Step): unknown {
    const item = step.item as Item;
    const queue = this.queue as ObservedQueue;
    switch (step.op) {
      case 'addAfter':
        return queue.addAfter(item, step.ms as number);
      case 'addAfterRange':
        return forRange(step, (index) =>
          queue.addAfter(
            `${step.keyPrefix}${index}`,
            step.msEqualsIndex ? index : (step.ms as number),
          ),
        );
      case 'getRange':
        return this.getRange(step);
      case 'addRateLimited':
        queue.addRateLimited(item);
        return queue.lastDelayMs;
      case 'forget':
        return queue.forget(item);
      case 'numRequeues':
        return queue.numRequeues(item);
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    if (step.op === 'addRateLimited')
      return step.expectDelayMs === undefined ? undefined : differs(step.expectDelayMs, result);
    if (step.op === 'stress' || step.op === 'getRange') return result as Problem;
    return super.check(step, result);
  }

  private async getRange(step: Step): Promise<Problem> {
    const problems: string[] = [];
    await forRange(step, async (index) => {
      const problem = differs(`${step.keyPrefix}${index}`, await this.queue.get());
      if (problem !== undefined) problems.push(problem);
    });
    return problems[0];
  }

  private async performWeak(step: Step): Promise<unknown> {
    const name = (step.as ?? step.of) as string;
    if (step.op === 'addWeak') {
      const strong = { name };
      this.weak.set(name, { ref: new WeakRef(strong), strong });
      this.queue.add(strong);
      return undefined;
    }
    const held = this.weak.get(name)!;
    if (step.op === 'getDoneWeak') {
      this.queue.done((await this.queue.get())!);
      held.strong = undefined;
      return undefined;
    }
    await this.clock.yield();
    collectGarbage();
    return held.ref.deref() === undefined;
  }

  override async dispose(): Promise<void> {
    this.queue.shutDown();
  }
}

async function forRange(step: Step, visit: (index: number) => void | Promise<void>): Promise<void> {
  const from = step.from as number;
  const to = step.to as number;
  const by = (step.step as number | undefined) ?? (from <= to ? 1 : -1);
  for (let index = from; by > 0 ? index <= to : index >= to; index += by) await visit(index);
}

async function visitPieces(step: Step): Promise<unknown> {
  const pieces = step.pieces as number;
  const visits = new Array<number>(pieces).fill(0);
  const abort = new AbortController();
  await parallelizeUntil(
    {
      pieces,
      workers: step.workers as number,
      chunkSize: step.chunkSize as number,
      signal: abort.signal,
    },
    (piece) => {
      visits[piece] = visits[piece]! + 1;
      if (step.cancelAfter !== undefined && total(visits) >= (step.cancelAfter as number))
        abort.abort();
    },
  );
  const distinct = new Set(visits);
  const visitsPerPiece = distinct.size > 1 ? [...distinct] : (visits[0] ?? 0);
  const { visited } = (step.expect ?? {}) as { visited?: number };
  return visited === undefined ? { visitsPerPiece } : { visited: total(visits) };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function observedStorage(touched: Item[]): QueueStorage<Item> {
  const items: Item[] = [];
  return {
    get length() {
      return items.length;
    },
    push: (item) => void items.push(item),
    pop: () => items.shift()!,
    touch: (item) => void touched.push(item),
  };
}

/** Metrics as scenarios name them. */
class RecordedMetrics implements QueueMetricsProvider {
  readonly values: Record<string, unknown> = {};
  isRegistered = false;
  updates = 0;

  metricsOf(): QueueMetrics {
    this.isRegistered = true;
    const counter = (name: string) => ({
      increment: () => this.change(name, 1),
      decrement: () => this.change(name, -1),
    });
    const gauge = (name: string) => ({
      set: (value: number) => {
        this.values[name] = rounded(value);
      },
    });
    const histogram = (name: string) => ({
      observe: (value: number) => {
        const { count } = (this.values[name] ?? { count: 0 }) as { count: number };
        this.values[name] = { count: count + 1, last: rounded(value) };
      },
    });
    return {
      depth: counter('depth'),
      adds: counter('adds'),
      retries: counter('retries'),
      latency: histogram('latency'),
      workDuration: histogram('workDuration'),
      unfinishedWorkSeconds: {
        set: (value) => {
          this.updates++;
          gauge('unfinishedWorkSeconds').set(value);
        },
      },
      longestRunningProcessorSeconds: gauge('longestRunningProcessorSeconds'),
    };
  }

  private change(name: string, by: number): void {
    this.values[name] = ((this.values[name] as number | undefined) ?? 0) + by;
  }
}

/** To the nanosecond: the clock adds fractions of milliseconds. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e9) / 1e9;
}
