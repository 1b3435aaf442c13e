import { errorFromStatus, type ListPage } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import { DeltaFifo } from './delta-fifo.ts';
import { fifoKey } from './fifo-key.ts';
import { Indexer } from './indexer.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { metaNamespaceKey } from './object-key.ts';
import { ResyncSchedule } from './resync-schedule.ts';
import { ResyncTimer } from './resync-timer.ts';
import { refuseTable, transformedPage } from './transformed-page.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';
import { guardedReporter, reportWarning } from './watch-error-handler.ts';

const object = (name: string): KubeObject => ({ metadata: { name } });
const nameless: KubeObject = { metadata: {} };

describe('a store', () => {
  test('does of a transaction all that works', () => {
    const store = new Indexer<KubeObject>();
    store.add(object('old'));
    expect(
      store.transaction([
        { type: 'add', object: object('a') },
        { type: 'update', object: nameless },
        { type: 'delete', object: object('old') },
      ]),
    ).toEqual({
      total: 3,
      successfulIndices: [0, 2],
      errors: [expect.objectContaining({ message: 'the object has no metadata.name' })],
    });
    expect(store.listKeys()).toEqual(['a']);
    expect(store.transaction([{ type: 'delete', object: object('a') }])).toBeUndefined();
    expect(store.list()).toEqual([]);
  });

  test('takes everything anew by raw keys, with the version that it is of', () => {
    const store = new Indexer<KubeObject>();
    store.add(object('old'));
    const [a, b] = [object('a'), object('b')];
    store.replaceKeyed(
      [
        ['x/a', a],
        ['b', b],
      ],
      '7',
    );
    expect([...store.entries()]).toEqual([
      ['x/a', a],
      ['b', b],
    ]);
    expect([store.get(b), store.getByKey('old'), store.size]).toEqual([b, undefined, 2]);
    store.resync();
    expect(store.size).toBe(2);
  });

  test('leaves out what has no key, and says so', async () => {
    const store = new Indexer<KubeObject>();
    const errors: unknown[] = [];
    await store.replaceInTurns(
      [object('a'), nameless, object('b')],
      '9',
      new TurnKeeper(new FakeClock()),
      (error) => errors.push(error),
    );
    expect([store.listKeys(), errors.length]).toEqual([['a', 'b'], 1]);
  });
});

test('a FIFO to which something was added has all there is, without a first list', () => {
  const fifo = new DeltaFifo<KubeObject>({ keyFunction: metaNamespaceKey });
  expect(fifo.hasSynced).toBe(false);
  fifo.add(object('a'));
  expect([fifo.hasSynced, fifo.pendingKeys(), fifo.newest('b')]).toEqual([true, ['a'], undefined]);
});

describe('the key of what is in a FIFO', () => {
  const keyOf = (what: Parameters<typeof fifoKey<KubeObject>>[1]) =>
    fifoKey<KubeObject>(metaNamespaceKey, what);
  test('is that of the object, of the tombstone, or of the newest delta', () => {
    expect(keyOf(object('a'))).toBe('a');
    expect(keyOf(new DeletedFinalStateUnknown<KubeObject>('n/x', undefined))).toBe('n/x');
    expect(
      keyOf([
        { type: 'Added', object: object('a') },
        { type: 'Updated', object: object('b') },
      ]),
    ).toBe('b');
  });

  test.each([
    [() => keyOf([]), 'cannot tell the key of no deltas at all'],
    [() => keyOf(nameless), 'the object has no metadata.name'],
    [
      () =>
        fifoKey<KubeObject>(() => {
          throw new Error('odd');
        }, object('a')),
      'cannot tell the key of an object',
    ],
  ])('fails: %#', (call, message) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'WG_RUNTIME_KEY',
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe('a resync', () => {
  function timed(more: object = {}) {
    const clock = new FakeClock();
    const told: string[] = [];
    const store = { resync: () => void told.push(`resync at ${clock.monotonicMs()}`) };
    const timer = new ResyncTimer({ store: store as never, resyncPeriodMs: 100, ...more }, clock);
    timer.onError = (error) => told.push(String(error));
    return { clock, told, timer };
  }

  test('comes again and again until it is stopped', async () => {
    const { clock, told, timer } = timed();
    timer.start();
    await clock.advance(250);
    timer.stop();
    await clock.advance(500);
    expect([told, clock.timerCount]).toEqual([['resync at 100', 'resync at 200'], 0]);
  });

  test('comes only when somebody is due', async () => {
    let isDue = false;
    const { clock, told, timer } = timed({ shouldResync: () => isDue });
    timer.start();
    await clock.advance(150);
    isDue = true;
    await clock.advance(100);
    timer.stop();
    expect(told).toEqual(['resync at 200']);
  });

  test('that fails is the last', async () => {
    const { clock, told, timer } = timed({
      shouldResync: () => {
        throw new Error('no');
      },
    });
    timer.start();
    await clock.advance(500);
    expect([told, clock.timerCount]).toEqual([['Error: no'], 0]);
  });

  test.each([[undefined], [0], [-1]])('does not come every %s ms', (resyncPeriodMs) => {
    const clock = new FakeClock();
    const store = {} as never;
    const more = resyncPeriodMs === undefined ? {} : { resyncPeriodMs };
    new ResyncTimer({ store, ...more }, clock).start();
    expect(clock.timerCount).toBe(0);
  });

  test.each([
    [5_000, 2_000, 5_000],
    [1_000, 2_000, 2_000],
    [0, 2_000, 0],
    [5_000, 0, 0],
  ])('for a handler that wants %i of an informer that looks every %i', (wanted, check, period) => {
    const schedule = new ResyncSchedule(wanted, check, 100);
    expect(schedule.resyncPeriodMs).toBe(period);
    expect(schedule.requestedPeriodMs).toBe(wanted);
    expect(schedule.shouldResync(100 + period - 1)).toBe(false);
    expect(schedule.shouldResync(100 + period)).toBe(period > 0);
    schedule.resynced(100 + period);
    expect(schedule.shouldResync(100 + 2 * period - 1)).toBe(false);
    expect(schedule.shouldResync(100 + 2 * period)).toBe(period > 0);
    schedule.checkPeriodChanged(9_000);
    expect(schedule.resyncPeriodMs).toBe(wanted === 0 ? 0 : 9_000);
  });
});

describe('a page on its way', () => {
  const page = { items: [1, 2, 3], continue: 'x', resourceVersion: '4' } as ListPage<number>;
  const pass = async (source: Partial<ListerWatcher<number>>, isTransformed = true) => {
    const errors: unknown[] = [];
    const read = await transformedPage(
      source as ListerWatcher<number>,
      {},
      new AbortController().signal,
      {
        transform: isTransformed
          ? (one) => {
              if (one === 2) throw new Error('two');
              return one * 10;
            }
          : undefined,
        turns: new TurnKeeper(new FakeClock()),
        report: (error) => errors.push(error),
      },
    );
    return { read, errors };
  };
  const list = async () => page;
  const listEach = async (_: unknown, put: (item: number) => void) => {
    for (const item of page.items) put(item);
    return { ...page, items: [] };
  };

  test.each<[string, Partial<ListerWatcher<number>>]>([
    ['listed', { list }],
    ['item by item', { list, listEach }],
  ])('is changed %s, without what cannot be', async (_, source) => {
    const { read, errors } = await pass(source);
    expect(read).toEqual({ ...page, items: [10, 30] });
    expect(errors).toMatchObject([
      { code: 'WG_RUNTIME_TRANSFORM', message: 'the transform failed', cause: new Error('two') },
    ]);
  });

  test('is as it came without a change', async () => {
    expect((await pass({ list, listEach }, false)).read).toBe(page);
  });

  test.each([
    ['meta.k8s.io/v1', 'Table', true],
    ['meta.k8s.io/v1', 'PodList', false],
    ['example.com/v1', 'Table', false],
    [undefined, 'Table', false],
  ])('of %s %s is refused: %s', (apiVersion, kind, isRefused) => {
    const refuse = () => refuseTable({ ...page, apiVersion, kind } as ListPage<number>);
    if (!isRefused) expect(refuse).not.toThrow();
    else
      expect(refuse).toThrow(
        'unsupported list gvk meta.k8s.io/v1, Kind=Table: Tables cannot be cached',
      );
  });
});

test.each([
  [[true, true], true],
  [[true, false], false],
  [[], true],
])('caches are there when all are: %j', async (synced, wanted) => {
  const asked: unknown[] = [];
  const { signal } = new AbortController();
  const syncables = synced.map((one) => ({
    waitForSync: async (given?: AbortSignal) => {
      asked.push(given);
      return one;
    },
  }));
  expect(await waitForCacheSync(signal, ...syncables)).toBe(wanted);
  expect(asked).toEqual(synced.map(() => signal));
});

describe('an error that nobody asked for', () => {
  const warned = () => vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  afterEach(() => vi.restoreAllMocks());

  test('is a warning, but for what is ordinary', () => {
    const warning = warned();
    const odd = new Error('odd');
    reportWarning(odd);
    reportWarning('text');
    reportWarning(errorFromStatus({ kind: 'Status', code: 410, reason: 'Expired' }));
    expect(warning.mock.calls).toEqual([[odd], ['text']]);
  });

  test('costs nothing when its reporter fails', () => {
    const warning = warned();
    const failure = new Error('reporter');
    const told: unknown[] = [];
    guardedReporter((error) => told.push(error))('one');
    guardedReporter(() => {
      throw failure;
    })('two');
    expect([told, warning.mock.calls]).toEqual([['one'], [[failure]]]);
  });
});
