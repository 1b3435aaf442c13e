import {
  type Deleted,
  DeletedFinalStateUnknown,
  type Delta,
  DeltaFifo,
  type KnownObjects,
  type ObjectDelta,
  RealFifo,
} from '@waygate/runtime';
import type { Outcome } from '../driver.ts';
import {
  differs,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

interface FifoObject {
  readonly key: string;
  readonly val: unknown;
  readonly transformed?: number;
}

type Tombstone = { readonly tombstone: { readonly key: string; readonly obj: FifoObject | null } };

interface DeltaData {
  readonly type: ObjectDelta<FifoObject>['type'];
  readonly object: FifoObject | Tombstone;
}

interface Popped {
  readonly deltas: readonly Delta<FifoObject>[];
  readonly isInInitialList: boolean;
  readonly hadSynced: boolean;
}

/** Runs one scenario of `delta_fifo.json` or `real_fifo.json`. */
export function runFifo(scenario: Scenario): Promise<Outcome> {
  return new FifoRun(scenario).play(scenario.steps ?? []);
}

class FifoRun extends ScenarioRun {
  private readonly fifo: DeltaFifo<FifoObject> | RealFifo<FifoObject>;
  /** Results of pops whose order is not promised, taken ahead. */
  private unordered: Popped[] = [];
  private isPopping = false;

  constructor(scenario: Scenario) {
    super(scenario);
    const { config } = this;
    const known = knownObjects(config, scenario.steps ?? []);
    const keyErrorFor = (config.keyErrorFor as string[] | undefined) ?? [];
    const shared = {
      keyFunction: (object: FifoObject) => {
        const isChecked = this.isPopping || config.bypassKeyCheckOnAdd !== true;
        if (isChecked && keyErrorFor.includes(object.key)) throw new Error('no key');
        return object.key;
      },
      ...(known === undefined ? {} : { knownObjects: known }),
      ...transformOf(config.transform),
    };
    this.fifo =
      scenario.suite === 'delta_fifo'
        ? new DeltaFifo({ ...shared, emitDeltaTypeReplaced: config.emitReplaced === true })
        : new RealFifo({
            ...shared,
            isAtomic: config.atomic === true,
            emitBookmarks: config.emitBookmark === true,
            ...(typeof config.batchSize === 'number' ? { batchSize: config.batchSize } : {}),
          });
  }

  protected override perform(step: Step): unknown {
    const { fifo } = this;
    switch (step.op) {
      case 'add':
        return fifo.add(step.obj as FifoObject);
      case 'update':
        return fifo.update(step.obj as FifoObject);
      case 'delete':
        return fifo.delete(objectFrom(step.obj as FifoObject | Tombstone) as FifoObject);
      case 'replace':
        return fifo.replace(step.list as FifoObject[], step.rv as string);
      case 'resync':
        return fifo.resync();
      case 'bookmark':
        return 'bookmark' in fifo ? fifo.bookmark(step.rv as string) : undefined;
      case 'pop':
      case 'popAny':
      case 'popDuring':
        return this.popNext(step, false);
      case 'popBatch':
        return this.popNext(step, true);
      case 'popAll':
        return this.popAll();
      case 'unorderedNext':
        return this.popAhead(step.count as number);
      case 'hasSynced':
        return fifo.hasSynced;
      case 'pendingKeys':
        return fifo.pendingKeys();
      case 'newest':
        return dataFrom(fifo.newest(step.key as string));
      case 'keyOf':
        return fifo.keyOf(
          step.deltas === undefined
            ? objectFrom(step.obj as FifoObject | Tombstone)
            : (step.deltas as DeltaData[]).map(deltaFrom),
        );
      case 'close':
        return fifo.close();
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    if (!isPopped(result)) return super.check(step, result);
    if (step.isInInitialList !== undefined) {
      const problem = differs(step.isInInitialList, result.isInInitialList);
      if (problem !== undefined) return `isInInitialList: ${problem}`;
    }
    if (step.expectSyncedDuring !== undefined)
      return differs(step.expectSyncedDuring, result.hadSynced);
    if (step.newest !== undefined) return differs(step.newest, newestOf(result.deltas));
    if (!('expect' in step)) return undefined;
    const deltas = result.deltas.map(deltaData);
    return Array.isArray(step.expect)
      ? differs(step.expect, deltas)
      : differs(step.expect, deltas[0]);
  }

  private async popNext(step: Step, isBatch: boolean): Promise<unknown> {
    if (this.unordered.length > 0) {
      const fitting = this.unordered.findIndex((popped) => this.check(step, popped) === undefined);
      return this.unordered.splice(Math.max(fitting, 0), 1)[0];
    }
    return (await this.pop(isBatch)) ?? { error: 'closed' };
  }

  private async pop(isBatch: boolean): Promise<Popped | undefined> {
    const { fifo } = this;
    let popped: Popped | undefined;
    const process = (deltas: readonly Delta<FifoObject>[], isInInitialList: boolean) => {
      popped = { deltas, isInInitialList, hadSynced: fifo.hasSynced };
    };
    this.isPopping = true;
    try {
      if (fifo instanceof DeltaFifo) await fifo.pop(process);
      else if (isBatch) await fifo.popBatch(process);
      else await fifo.pop(process);
    } finally {
      this.isPopping = false;
    }
    return popped;
  }

  private async popAhead(count: number): Promise<void> {
    for (let left = count; left > 0; left--) this.unordered.push((await this.pop(false))!);
  }

  private async popAll(): Promise<unknown[]> {
    const all: unknown[] = [];
    const isEmpty = () =>
      this.fifo instanceof DeltaFifo
        ? this.fifo.pendingKeys().length === 0
        : this.fifo.length === 0;
    while (!isEmpty()) all.push(...(await this.pop(false))!.deltas.map(deltaData));
    return all;
  }

  override async dispose(): Promise<void> {
    this.fifo.close();
  }
}

function isPopped(result: unknown): result is Popped {
  return typeof result === 'object' && result !== null && 'deltas' in result;
}

function knownObjects(
  config: Record<string, unknown>,
  steps: readonly Step[],
): KnownObjects<FifoObject> | undefined {
  const initial = steps.find(({ op }) => op === 'replace')?.list;
  const known = config.knownEqualsInitial === true ? initial : config.known;
  if (!Array.isArray(known)) return undefined;
  const byKey = new Map((known as FifoObject[]).map((object) => [object.key, object]));
  return { listKeys: () => [...byKey.keys()], getByKey: (key) => byKey.get(key) };
}

function transformOf(kind: unknown): { transform?: (object: FifoObject) => FifoObject } {
  if (kind === undefined) return {};
  if (kind === 'fail')
    return {
      transform: () => {
        throw new Error('this transform always fails');
      },
    };
  return { transform: (object) => ({ ...object, transformed: (object.transformed ?? 0) + 1 }) };
}

function objectFrom(data: FifoObject | Tombstone): Deleted<FifoObject> {
  if (!('tombstone' in data)) return data;
  return new DeletedFinalStateUnknown(data.tombstone.key, data.tombstone.obj ?? undefined);
}

function deltaFrom({ type, object }: DeltaData): ObjectDelta<FifoObject> {
  return { type, object: objectFrom(object) } as ObjectDelta<FifoObject>;
}

function dataFrom(object: Deleted<FifoObject> | undefined): unknown {
  if (object === undefined) return null;
  if (object instanceof DeletedFinalStateUnknown)
    return { tombstone: { key: object.key, obj: dataFrom(object.object) } };
  return { key: object.key, val: object.val };
}

function deltaData(delta: Delta<FifoObject>): unknown {
  switch (delta.type) {
    case 'ReplacedAll':
      return {
        type: delta.type,
        rv: delta.resourceVersion,
        objects: delta.objects.map(dataFrom),
      };
    case 'SyncAll':
      return { type: delta.type };
    case 'Bookmark':
      return { type: delta.type, rv: delta.resourceVersion };
    default:
      return { type: delta.type, object: dataFrom(delta.object) };
  }
}

function newestOf(deltas: readonly Delta<FifoObject>[]): unknown {
  const { type, object } = deltas.at(-1) as ObjectDelta<FifoObject>;
  const isTombstone = object instanceof DeletedFinalStateUnknown;
  const state = isTombstone ? object.object! : object;
  return {
    type,
    key: state.key,
    val: state.val,
    transformed: state.transformed ?? 0,
    ...(isTombstone ? { tombstone: true } : {}),
  };
}
