import {
  type HandlerRegistration,
  SharedInformer,
  type SharedInformerOptions,
} from '@waygate/runtime';
import type { Outcome } from '../driver.ts';
import { type HandlerData, ScenarioHandler, type SeenEvent } from './client-go-handler.ts';
import {
  indexersFrom,
  type ObjectData,
  objectFrom,
  type ScenarioObject,
} from './client-go-object.ts';
import {
  differs,
  differsAsSet,
  differsInFields,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';
import { MemorySource } from './client-go-source.ts';

/** Runs one scenario of `shared_informer.json`. */
export function runSharedInformer(scenario: Scenario): Promise<Outcome> {
  return new SharedInformerRun(scenario).play(scenario.steps ?? []);
}

class SharedInformerRun extends ScenarioRun {
  private readonly source = new MemorySource(this.config.listError as string | undefined);
  private readonly watchErrors: string[] = [];
  private readonly informer: SharedInformer<ScenarioObject>;
  private readonly second: SharedInformer<ScenarioObject> | undefined;
  private readonly handlers = new Map<string, ScenarioHandler>();
  private readonly registrations = new Map<string, HandlerRegistration>();
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(scenario: Scenario) {
    super(scenario);
    this.informer = new SharedInformer(this.options());
    this.second = this.config.second === true ? new SharedInformer(this.options()) : undefined;
  }

  private options(): SharedInformerOptions<ScenarioObject> {
    const { indexers, resyncMs, transform } = this.config;
    return {
      listerWatcher: this.source,
      clock: this.clock,
      random: () => 0.5,
      onError: () => {},
      indexers: indexersFrom(indexers as never),
      ...(typeof resyncMs === 'number' ? { resyncPeriodMs: resyncMs } : {}),
      ...(transform === 'upperName' ? { transform: upperName } : {}),
    };
  }

  protected override perform(step: Step): unknown {
    if (step.op.startsWith('source.')) return this.performOnSource(step);
    const informer = step.on === 'second' ? this.second! : this.informer;
    switch (step.op) {
      case 'addHandler':
        return this.addHandler(step, informer);
      case 'removeHandler':
        return informer.removeEventHandler(this.registration(step));
      case 'shutDownHandler':
        return informer.shutDownEventHandler(this.registration(step));
      case 'run':
        return this.run();
      case 'stop':
        this.stopping.abort();
        return this.running.then(() => undefined);
      case 'concurrently':
        for (const inner of step.steps as Step[]) void this.perform(inner);
        return undefined;
      case 'unblock':
        return this.handler(step).unblock();
      case 'clearReceived':
        for (const handler of this.handlers.values()) handler.clearReceived();
        return undefined;
      case 'setWatchErrorHandler':
        return informer.setWatchErrorHandler((error) => this.watchErrors.push(messageOf(error)));
      case 'setTransform':
        return informer.setTransform(upperName);
      case 'addIndexers':
        return informer.addIndexers(indexersFrom(step.indexers as never));
      default:
        return this.ask(step, informer);
    }
  }

  private ask(step: Step, informer: SharedInformer<ScenarioObject>): unknown {
    switch (step.op) {
      case 'watchErrors':
        return this.watchErrors;
      case 'received':
        return this.handler(step).receivedNames();
      case 'events':
        return this.handler(step).events;
      case 'deleted':
        return this.handler(step).events.filter(({ action }) => action === 'delete');
      case 'initialFlags':
        return this.handler(step)
          .events.filter(({ action }) => action === 'add')
          .map(({ isInInitialList }) => isInInitialList);
      case 'hasSynced':
        return step.of === undefined ? informer.hasSynced : this.registration(step).hasSynced;
      case 'checkPeriod':
        return informer.resyncCheckPeriodMs;
      case 'handlerPeriod':
        return informer.handlerResyncPeriodMs(this.registration(step));
      case 'handlerCount':
        return informer.handlerCount;
      case 'registered':
        return informer.isRegistered(this.registration(step));
      case 'state':
        return { started: informer.isStarted, stopped: informer.isStopped };
      case 'byIndex':
        return informer.indexer
          .byIndex(step.index as string, step.value as string)
          .map(({ metadata }) => metadata.name);
      case 'storeKeys':
        return informer.indexer.listKeys();
      case 'finalState':
        return this.handler(step).state;
      case 'orderedNoOverlap':
        return this.whenQuiet(step).then(() => this.handler(step).isOrderedWithoutOverlap);
      case 'assertions':
        return this.handler(step).assertions() ?? 'ok';
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    switch (step.op) {
      case 'checkPeriod':
      case 'handlerPeriod':
        return differs(step.expectMs, result);
      case 'received':
      case 'byIndex':
      case 'storeKeys':
        return differsAsSet(step.expect, result as unknown[]);
      case 'watchErrors':
        return this.watchErrors.some((text) => text.includes(step.expectContains as string))
          ? undefined
          : `no error with ${String(step.expectContains)} among ${JSON.stringify(result)}`;
      case 'events':
      case 'deleted':
        return eventsDiffer(step, result as SeenEvent[]);
      default:
        return super.check(step, result);
    }
  }

  protected override movesClock(step: Step): boolean {
    return step.op === 'orderedNoOverlap';
  }

  private performOnSource(step: Step): unknown {
    const [, verb = ''] = step.op.split('.');
    const isSilent = verb.endsWith('Silently');
    const object = step.obj as ObjectData;
    switch (verb.replace('Silently', '')) {
      case 'add':
        return this.source.change('ADDED', object, isSilent);
      case 'modify':
        return this.source.change('MODIFIED', object, isSilent);
      case 'delete':
        return this.source.change('DELETED', object, isSilent);
      case 'resetWatch':
        return this.source.resetWatch();
      case 'burst':
        return this.burst(step.count as number);
      default:
        return unknownOp(step);
    }
  }

  /** Objects come, change and go, many at once. */
  private burst(count: number): void {
    for (let number = 0; number < count; number++) {
      const name = `burst-${number % Math.max(1, Math.floor(count / 3))}`;
      const isThere = this.source.names().includes(name);
      this.source.change(isThere ? 'MODIFIED' : 'ADDED', { name }, false);
    }
  }

  private addHandler(step: Step, informer: SharedInformer<ScenarioObject>): void {
    const name = step.as as string;
    const shared = step.handlerObject as string | undefined;
    const handler =
      (shared === undefined ? undefined : this.handlers.get(shared)) ??
      new ScenarioHandler(step as HandlerData, this.clock, () => this.informer.indexer);
    const registration = informer.addEventHandler(
      handler,
      typeof step.resyncMs === 'number' ? { resyncPeriodMs: step.resyncMs } : {},
    );
    this.handlers.set(name, handler);
    if (shared !== undefined) this.handlers.set(shared, handler);
    this.registrations.set(name, registration);
  }

  private async run(): Promise<unknown> {
    const run = this.informer.run(this.stopping.signal);
    const first = await Promise.race([run, this.clock.yield()]);
    if (first === 'ignored') return 'ignored';
    this.running = run;
    return undefined;
  }

  /** Lets time pass until the handler has handled everything. */
  private async whenQuiet(step: Step): Promise<void> {
    const registration = this.registration(step);
    do await this.clock.advance(100);
    while (registration.pendingCount > 0);
  }

  private handler(step: Step): ScenarioHandler {
    return this.handlers.get(step.of as string)!;
  }

  private registration(step: Step): HandlerRegistration {
    return this.registrations.get(step.of as string)!;
  }

  override async dispose(): Promise<void> {
    for (const handler of this.handlers.values()) handler.unblock();
    this.stopping.abort();
    await this.clock.settle();
  }
}

function upperName(object: ScenarioObject): ScenarioObject {
  return objectFrom({ ...object.data, name: object.metadata.name!.toUpperCase() });
}

/** An event is given by its fields, or in short: what happened, to what, and whether it was initial. */
type ExpectedEvent = object | readonly [action: string, name: string, isInInitialList?: boolean];

function eventsDiffer(step: Step, actual: readonly SeenEvent[]): Problem {
  const expected = (step.expect as ExpectedEvent[]).map((event) => {
    if (!Array.isArray(event)) return event;
    const [action, name, isInInitialList] = event as [string, string, boolean?];
    return { action, name, ...(isInInitialList === undefined ? {} : { isInInitialList }) };
  });
  if (expected.length !== actual.length) return differs(expected, actual);
  const left = [...actual];
  for (const [index, event] of expected.entries()) {
    const fitting = left.findIndex((one) => differsInFields(event, one) === undefined);
    const taken = step.unordered === true ? Math.max(fitting, 0) : 0;
    const problem = differsInFields(event, left.splice(taken, 1)[0]);
    if (problem !== undefined) return `event ${index}: ${problem}`;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
