import { ProcessorListener } from '@waygate/runtime';
import type { Outcome } from '../driver.ts';
import { collectGarbage } from './client-go-garbage.ts';
import {
  differs,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

interface Numbered {
  readonly number: number;
}

/** Of many objects one in so many is followed to see whether it is let go. */
const sampling = 1_000;

/** Runs one scenario of `processor_listener.json`. */
export function runProcessorListener(scenario: Scenario): Promise<Outcome> {
  return new ListenerRun(scenario).play(scenario.steps ?? []);
}

class ListenerRun extends ScenarioRun {
  private readonly handled: number[] = [];
  private readonly samples: WeakRef<Numbered>[] = [];
  private pushed = 0;
  private hasUpstreamSynced = false;
  /** How many events may be handled; what is beyond waits. */
  private permits = 0;
  private wake = () => {};
  private readonly listener = new ProcessorListener<Numbered>(
    { onAdd: (object) => this.handle(object), onUpdate: (_, object) => this.handle(object) },
    {
      clock: this.clock,
      upstreamHasSynced: () => this.hasUpstreamSynced,
      onError: (error) => {
        throw error;
      },
    },
  );

  constructor(scenario: Scenario) {
    super(scenario);
    this.listener.start();
  }

  protected override async perform(step: Step): Promise<unknown> {
    switch (step.op) {
      case 'push':
        return this.push(step.count as number, false);
      case 'pushInitial':
        return this.push(step.count as number, true);
      case 'blockHandler':
        this.permits = 0;
        return undefined;
      case 'unblockHandler':
        return this.permit(Number.POSITIVE_INFINITY);
      case 'pushBlocked':
        return false;
      case 'handle':
        return this.permit(step.count as number);
      case 'drain':
        this.permit(Number.POSITIVE_INFINITY);
        await this.listener.idle();
        this.permits = 0;
        return undefined;
      case 'close':
        return this.listener.stop();
      case 'deliveredAtMost':
        await this.listener.idle();
        return this.handled.length;
      case 'upstreamSynced':
        this.hasUpstreamSynced = true;
        return undefined;
      case 'hasSynced':
        return this.listener.hasSynced;
      case 'retained':
        await this.clock.yield();
        collectGarbage();
        return this.samples.filter((sample) => sample.deref() !== undefined).length;
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    if (step.op === 'deliveredAtMost')
      return this.handled.length <= (step.expect as number)
        ? undefined
        : `${this.handled.length} were delivered, expected at most ${String(step.expect)}`;
    if (step.op !== 'drain' || step.expectOrdered === undefined) return super.check(step, result);
    const isOrdered = this.handled.every((number, index) => number === index);
    return isOrdered ? differs(step.expectOrdered, this.handled.length) : 'not in order';
  }

  private push(count: number, isInInitialList: boolean): void {
    for (let left = count; left > 0; left--) {
      const object = { number: this.pushed++ };
      if (object.number % sampling === 0) this.samples.push(new WeakRef(object));
      this.listener.push({ type: 'add', object, isInInitialList });
    }
  }

  private permit(count: number): void {
    this.permits += count;
    this.wake();
  }

  private handle(object: Numbered): void | Promise<void> {
    if (this.permits === 0) return this.handleLater(object);
    this.permits--;
    this.handled.push(object.number);
    return undefined;
  }

  private async handleLater(object: Numbered): Promise<void> {
    while (this.permits === 0)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    this.permits--;
    this.handled.push(object.number);
  }

  override async dispose(): Promise<void> {
    this.listener.stop();
    this.permit(Number.POSITIVE_INFINITY);
  }
}
