import {
  type Deleted,
  DeletedFinalStateUnknown,
  type Delta,
  filteringResourceEventHandler,
  Indexer,
  metaNamespaceKey,
  type ObjectDelta,
  processDeltas,
  processDeltasInBatch,
  processStoreDelta,
  RealFifo,
  type ResourceEventHandler,
  type StoreDelta,
  type StoreObserver,
  TurnKeeper,
} from '@waygate/runtime';
import { type Outcome, pass } from '../driver.ts';
import { type ObjectData, objectFrom, type ScenarioObject, valueAt } from './client-go-object.ts';
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

type EventData = Record<string, unknown> & { readonly action: string };
type DeltaData = Record<string, unknown> & { readonly type: string };

/** Runs one scenario of `process_deltas.json`; once for each mode of the queue that it names. */
export async function runProcessDeltas(scenario: Scenario): Promise<Outcome> {
  const { atomic } = scenario.config ?? {};
  const modes = atomic === 'both' ? [false, true] : [atomic === true];
  for (const isAtomic of modes) {
    const outcome = await new ProcessDeltasRun(scenario, isAtomic).play(scenario.steps ?? []);
    if (outcome.kind !== 'pass') return outcome;
  }
  return pass;
}

class ProcessDeltasRun extends ScenarioRun {
  private readonly isAtomic: boolean;
  private readonly store: Indexer<ScenarioObject>;
  private readonly handler: ResourceEventHandler<ScenarioObject>;
  private events: EventData[] = [];

  constructor(scenario: Scenario, isAtomic: boolean) {
    super(scenario);
    this.isAtomic = isAtomic;
    const failsFor = (this.config.storeFailsFor as string[] | undefined) ?? [];
    this.store = new Indexer({
      keyFunction: (object) => {
        if (failsFor.includes(object.metadata.name!)) throw new Error('the store refuses it');
        return metaNamespaceKey(object);
      },
    });
    for (const object of (this.config.store as ObjectData[] | undefined) ?? [])
      this.store.add(objectFrom(object));
    const { filter } = (this.config.handler ?? {}) as {
      filter?: { path: string; equals: unknown };
    };
    this.handler =
      filter === undefined
        ? this.observer
        : filteringResourceEventHandler<ScenarioObject>(
            ({ data }) => valueAt(data, filter.path) === filter.equals,
            this.observer,
          );
  }

  private get observer(): StoreObserver<ScenarioObject> {
    return {
      onAdd: (object, isInInitialList) => this.note('add', object, { isInInitialList }),
      onUpdate: (oldObject, object) =>
        this.note('update', object, {
          oldRV: oldObject.metadata.resourceVersion,
          newRV: object.metadata.resourceVersion,
        }),
      onDelete: (object) => this.note('delete', object, {}),
    };
  }

  protected override async perform(step: Step): Promise<unknown> {
    this.events = [];
    const isInInitialList = step.isInInitialList === true;
    switch (step.op) {
      case 'process':
        for (const delta of (step.deltas as DeltaData[]).map(deltaFrom))
          await this.process(delta, isInInitialList);
        return this.events;
      case 'processBatch': {
        const failure = processDeltasInBatch(
          this.observer,
          this.store,
          (step.deltas as DeltaData[]).map(deltaFrom) as ObjectDelta<ScenarioObject>[],
          isInInitialList,
        );
        return failure === undefined ? null : `${failure.errors.length}/${failure.total}`;
      }
      case 'replaceThroughQueue':
        await this.replaceThroughQueue(step);
        return this.events;
      case 'notifyAdd':
        await this.handler.onAdd?.(objectFrom(step.obj as ObjectData), isInInitialList);
        return this.events;
      case 'notifyUpdate':
        await this.handler.onUpdate?.(
          objectFrom(step.old as ObjectData),
          objectFrom(step.obj as ObjectData),
        );
        return this.events;
      case 'notifyDelete':
        await this.handler.onDelete?.(deletedFrom(step.obj as ObjectData));
        return this.events;
      case 'storeKeys':
        return this.store.listKeys().sort();
      case 'storeRV':
        return this.store.lastStoreSyncResourceVersion;
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    if (step.op === 'processBatch') {
      const handled = this.events.map(({ name }) => name);
      return (
        differs(step.expectError, result) ?? differsAsSet(step.expectHandled ?? handled, handled)
      );
    }
    if (step.expectEvents === undefined)
      return Array.isArray(result) && step.op === 'storeKeys'
        ? differsAsSet(step.expect, result)
        : super.check(step, result);
    return eventsDiffer(
      step.expectEvents as EventData[],
      this.events,
      step.deletesUnordered === true,
    );
  }

  private async process(delta: Delta<ScenarioObject>, isInInitialList: boolean): Promise<void> {
    if (isStoreDelta(delta))
      await processStoreDelta(this.observer, this.store, delta, isInInitialList, {
        turns: new TurnKeeper(this.clock),
        onError: (error) => {
          throw error;
        },
      });
    else processDeltas(this.observer, this.store, [delta], isInInitialList);
  }

  private async replaceThroughQueue(step: Step): Promise<void> {
    const fifo = new RealFifo<ScenarioObject>({
      keyFunction: metaNamespaceKey,
      knownObjects: this.store,
      isAtomic: this.isAtomic,
    });
    fifo.replace((step.list as ObjectData[]).map(objectFrom), step.rv as string);
    while (fifo.length > 0)
      await fifo.pop(async ([delta], isInInitialList) => this.process(delta!, isInInitialList));
  }

  private note(action: string, object: Deleted<ScenarioObject>, more: object): void {
    const isTombstone = object instanceof DeletedFinalStateUnknown;
    const key = isTombstone ? object.key : metaNamespaceKey(object);
    const state = isTombstone ? object.object : object;
    this.events.push({
      action,
      key,
      name: state?.metadata.name,
      rv: state?.metadata.resourceVersion,
      storeRV: this.store.getByKey(key)?.metadata.resourceVersion ?? '',
      tombstone: isTombstone,
      ...more,
    });
  }
}

function isStoreDelta(delta: Delta<ScenarioObject>): delta is StoreDelta<ScenarioObject> {
  return delta.type === 'ReplacedAll' || delta.type === 'SyncAll' || delta.type === 'Bookmark';
}

function deltaFrom(data: DeltaData): Delta<ScenarioObject> {
  switch (data.type) {
    case 'ReplacedAll':
      return {
        type: data.type,
        resourceVersion: data.rv as string,
        objects: (data.objects as ObjectData[]).map(objectFrom),
      };
    case 'SyncAll':
      return { type: data.type };
    case 'Bookmark':
      return { type: data.type, resourceVersion: data.rv as string };
    default: {
      const object = deletedFrom(data.object as ObjectData);
      return { type: data.type, object } as ObjectDelta<ScenarioObject>;
    }
  }
}

function deletedFrom(data: ObjectData): Deleted<ScenarioObject> {
  const tombstone = data.tombstone as { key: string; obj?: ObjectData | null } | undefined;
  if (tombstone === undefined) return objectFrom(data);
  return new DeletedFinalStateUnknown(
    tombstone.key,
    tombstone.obj ? objectFrom(tombstone.obj) : undefined,
  );
}

function eventsDiffer(
  expected: readonly EventData[],
  actual: readonly EventData[],
  areDeletesUnordered: boolean,
): Problem {
  if (expected.length !== actual.length) return differs(expected, actual);
  const ordered = (events: readonly EventData[]) => {
    if (!areDeletesUnordered) return events;
    const firstOther = events.findIndex(({ action }) => action !== 'delete');
    const end = firstOther < 0 ? events.length : firstOther;
    const deletes = events
      .slice(0, end)
      .sort((one, other) => (String(one.key) < String(other.key) ? -1 : 1));
    return [...deletes, ...events.slice(end)];
  };
  const [wanted, got] = [ordered(expected), ordered(actual)];
  for (const [index, event] of wanted.entries()) {
    const problem = differsInFields(event, got[index]);
    if (problem !== undefined) return `event ${index}: ${problem}`;
  }
  return undefined;
}
