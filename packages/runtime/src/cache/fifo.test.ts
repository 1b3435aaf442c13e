import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import type { ObjectDelta, StoreDelta } from './delta.ts';
import { DeltaFifo } from './delta-fifo.ts';
import { Indexer } from './indexer.ts';
import {
  isObjectBatch,
  processDeltas,
  processDeltasInBatch,
  processStoreDelta,
  type StoreObserver,
} from './process-deltas.ts';
import { RealFifo } from './real-fifo.ts';

interface Thing {
  readonly key: string;
  readonly version: number;
}

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('put' as const), key: fc.constantFrom('a', 'b', 'c') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('delete' as const),
      key: fc.constantFrom('a', 'b', 'c'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('lose' as const), key: fc.constantFrom('a', 'b', 'c') }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('relist' as const), key: fc.constant('') }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('resync' as const), key: fc.constant('') }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('pop' as const), key: fc.constant('') }) },
);

/** Follows what an observer of a store is told, and holds it to what may be told. */
class Follower implements StoreObserver<Thing> {
  readonly view = new Map<string, number>();

  onAdd({ key, version }: Thing): void {
    expect(this.view.has(key)).toBe(false);
    this.view.set(key, version);
  }

  onUpdate(oldThing: Thing, { key, version }: Thing): void {
    expect(this.view.get(key)).toBe(oldThing.version);
    expect(version).toBeGreaterThanOrEqual(oldThing.version);
    this.view.set(key, version);
  }

  onDelete(deleted: Deleted<Thing>): void {
    this.view.delete(deleted.key);
  }
}

interface Fifo {
  add(thing: Thing): void;
  update(thing: Thing): void;
  delete(thing: Thing): void;
  replace(things: readonly Thing[], resourceVersion: string): void;
  resync(): void;
}

interface Setup {
  readonly fifo: Fifo;
  /** Takes one delta, or batch, if there is one. */
  readonly pop: () => Promise<boolean>;
}

type MakeSetup = (store: Indexer<Thing>, follower: Follower) => Setup;

const keyFunction = ({ key }: Thing) => key;

const setups: Record<string, MakeSetup> = {
  DeltaFifo(store, follower) {
    const fifo = new DeltaFifo<Thing>({ keyFunction, knownObjects: store });
    const pop = async () =>
      fifo.tryPop((deltas, isInitial) => processDeltas(follower, store, deltas, isInitial)) !==
      undefined;
    return { fifo, pop };
  },
  'RealFifo, one by one': (store, follower) =>
    realSetup(new RealFifo({ keyFunction, knownObjects: store }), store, follower, false),
  'RealFifo, batches': (store, follower) =>
    realSetup(
      new RealFifo({ keyFunction, knownObjects: store, batchSize: 3 }),
      store,
      follower,
      true,
    ),
  'RealFifo, atomic': (store, follower) =>
    realSetup(
      new RealFifo({ keyFunction, isAtomic: true, emitBookmarks: true }),
      store,
      follower,
      true,
    ),
};

function realSetup(
  fifo: RealFifo<Thing>,
  store: Indexer<Thing>,
  follower: Follower,
  isBatched: boolean,
): Setup {
  const context = {
    turns: new TurnKeeper(new FakeClock()),
    onError: (error: unknown) => {
      throw error;
    },
  };
  const pop = async () => {
    if (fifo.length === 0) return false;
    await fifo[isBatched ? 'popBatch' : 'pop']((deltas, isInitial) => {
      if (!isObjectBatch(deltas))
        return processStoreDelta(
          follower,
          store,
          deltas[0] as StoreDelta<Thing>,
          isInitial,
          context,
        );
      const failure = processDeltasInBatch(
        follower,
        store,
        deltas as ObjectDelta<Thing>[],
        isInitial,
      );
      expect(failure).toBeUndefined();
      return undefined;
    });
    return true;
  };
  return { fifo, pop };
}

describe.each(Object.entries(setups))('%s', (_, makeSetup) => {
  test('whatever is lost, a list makes the store and its followers true', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const store = new Indexer<Thing>({ keyFunction, resourceVersionOf: () => undefined });
        const follower = new Follower();
        const { fifo, pop } = makeSetup(store, follower);
        const truth = new Map<string, Thing>();
        let version = 0;
        fifo.replace([], '0');
        for (const { op, key } of commands) {
          if (op === 'put') {
            const thing = { key, version: ++version };
            if (truth.has(key)) fifo.update(thing);
            else fifo.add(thing);
            truth.set(key, thing);
          } else if (op === 'delete' || op === 'lose') {
            const thing = truth.get(key);
            truth.delete(key);
            // A deletion that is lost is only found out by the next list.
            if (thing !== undefined && op === 'delete') fifo.delete({ key, version: ++version });
            if (op === 'lose') fifo.replace([...truth.values()], String(version));
          } else if (op === 'relist') fifo.replace([...truth.values()], String(version));
          else if (op === 'resync') fifo.resync();
          else await pop();
        }
        while (await pop());
        const expected = [...truth.values()].map((thing) => [thing.key, thing.version]).sort();
        expect(
          store
            .list()
            .map((thing) => [thing.key, thing.version])
            .sort(),
        ).toEqual(expected);
        expect([...follower.view].sort()).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe('RealFifo', () => {
  test('pushes back on the reflector while two batches wait', async () => {
    const fifo = new RealFifo<Thing>({ keyFunction, isAtomic: true, batchSize: 10 });
    for (let version = 0; version < 20; version++) fifo.add({ key: `k${version}`, version });
    expect(fifo.ready()).toBeUndefined();
    fifo.add({ key: 'one more', version: 0 });
    const ready = fifo.ready();
    expect(ready).toBeInstanceOf(Promise);
    await fifo.popBatch(() => {});
    await fifo.popBatch(() => {});
    await ready;
  });

  test('does not count as synced while the first list is being processed', async () => {
    const fifo = new RealFifo<Thing>({ keyFunction, isAtomic: true });
    fifo.replace([{ key: 'a', version: 1 }], '1');
    let finish = () => {};
    const processing = fifo.popBatch(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    await Promise.resolve();
    expect(fifo.hasSynced).toBe(false);
    finish();
    await processing;
    expect(fifo.hasSynced).toBe(true);
    expect(await fifo.synced()).toBe(true);
  });

  test('a tombstone of a tombstone holds the object', async () => {
    const known = { listKeys: () => ['a'], getByKey: () => ({ key: 'a', version: 1 }) };
    const fifo = new DeltaFifo<Thing>({ keyFunction, knownObjects: known });
    fifo.replace([], '0');
    fifo.replace([], '1');
    const deltas = await fifo.pop(() => {});
    expect(deltas).toEqual([
      { type: 'Deleted', object: new DeletedFinalStateUnknown('a', { key: 'a', version: 1 }) },
    ]);
  });
});

describe.each([DeltaFifo, RealFifo])('the keys of %o', (Fifo) => {
  const fifo = new Fifo<Thing>({ keyFunction: ({ key }) => key });
  const thing = { key: 'a', version: 1 };
  const gone = new DeletedFinalStateUnknown<Thing>('b', undefined);

  test.each<[string, Deleted<Thing> | ObjectDelta<Thing>[], string]>([
    ['an object', thing, 'a'],
    ['a tombstone', gone, 'b'],
    [
      'deltas',
      [
        { type: 'Deleted', object: gone },
        { type: 'Added', object: thing },
      ],
      'a',
    ],
    [
      'deltas that end in a tombstone',
      [
        { type: 'Added', object: thing },
        { type: 'Deleted', object: gone },
      ],
      'b',
    ],
  ])('%s', (_, object, key) => {
    expect(fifo.keyOf(object)).toBe(key);
  });

  test('no deltas have no key', () => {
    expect(() => fifo.keyOf([])).toThrow(expect.objectContaining({ code: 'WG_RUNTIME_KEY' }));
  });
});
