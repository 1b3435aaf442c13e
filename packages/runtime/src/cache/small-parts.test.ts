import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import {
  allOf,
  annotationChanged,
  anyOf,
  generationChanged,
  labelChanged,
  not,
  resourceVersionChanged,
} from '../controller/controller-predicate.ts';
import { LruMap } from '../events/lru-map.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import { InitialEventsEndTicker } from './initial-events-ticker.ts';
import {
  deletionHandlingMetaNamespaceKey,
  metaNamespaceKey,
  splitMetaNamespaceKey,
} from './object-key.ts';
import { filteringResourceEventHandler } from './resource-event-handler.ts';

describe('keys', () => {
  test.each([
    [{ name: 'a', namespace: 'n' }, 'n/a'],
    [{ name: 'a', namespace: '' }, 'a'],
    [{ name: 'a' }, 'a'],
  ])('%j is %s', (metadata, key) => {
    expect(metaNamespaceKey({ metadata })).toBe(key);
    expect(deletionHandlingMetaNamespaceKey({ metadata })).toBe(key);
    expect(splitMetaNamespaceKey(key)).toEqual({ namespace: '', ...metadata });
  });

  test('a tombstone has its own; what has no name has none', () => {
    const tombstone = new DeletedFinalStateUnknown<KubeObject>('x/y', undefined);
    expect(deletionHandlingMetaNamespaceKey(tombstone)).toBe('x/y');
    expect(() => metaNamespaceKey({})).toThrow('the object has no metadata.name');
    expect(() => splitMetaNamespaceKey('a/b/c')).toThrow('unexpected key format: "a/b/c"');
    expect(splitMetaNamespaceKey('/a')).toEqual({ namespace: '', name: 'a' });
  });
});

describe('a handler behind a filter', () => {
  const object = (name: string) => ({ metadata: { name } });
  const calls = () => {
    const told: unknown[] = [];
    const handler = filteringResourceEventHandler<KubeObject>(
      ({ metadata }) => metadata.name?.startsWith('in') === true,
      {
        onAdd: (one, isInitial) => void told.push(['add', one.metadata.name, isInitial]),
        onUpdate: (a, b) => void told.push(['update', a.metadata.name, b.metadata.name]),
        onDelete: (one) =>
          void told.push([
            'delete',
            one instanceof DeletedFinalStateUnknown ? one.key : one.metadata.name,
          ]),
      },
    );
    return { handler, told };
  };

  test.each([
    ['in1', 'in2', ['update', 'in1', 'in2']],
    ['out', 'in2', ['add', 'in2', false]],
    ['in1', 'out', ['delete', 'in1']],
    ['out', 'out', undefined],
  ])('an update from %s to %s', (from, to, wanted) => {
    const { handler, told } = calls();
    void handler.onUpdate?.(object(from), object(to));
    expect(told).toEqual(wanted === undefined ? [] : [wanted]);
  });

  test('adds and deletes of what passes', () => {
    const { handler, told } = calls();
    for (const name of ['in', 'out']) {
      void handler.onAdd?.(object(name), true);
      void handler.onDelete?.(object(name));
      void handler.onDelete?.(new DeletedFinalStateUnknown(`n/${name}`, object(name)));
    }
    void handler.onDelete?.(new DeletedFinalStateUnknown<KubeObject>('n/none', undefined));
    expect(told).toEqual([
      ['add', 'in', true],
      ['delete', 'in'],
      ['delete', 'n/in'],
    ]);
  });
});

describe('predicates', () => {
  const object = (metadata: object) => ({ metadata: { name: 'a', ...metadata } }) as KubeObject;
  const update = (from: object, to: object) =>
    ({ type: 'update', oldObject: object(from), object: object(to) }) as const;
  const add = { type: 'add', object: object({}), isInInitialList: true } as const;
  const gone = { type: 'delete', object: object({}) } as const;

  test.each([
    ['generationChanged', generationChanged, { generation: 1 }, { generation: 2 }],
    [
      'resourceVersionChanged',
      resourceVersionChanged,
      { resourceVersion: '1' },
      { resourceVersion: '2' },
    ],
    ['labelChanged', labelChanged, {}, { labels: { a: 'b' } }],
    [
      'annotationChanged',
      annotationChanged,
      { annotations: { a: 'c' } },
      { annotations: { a: 'b' } },
    ],
  ])('%s', (_name, predicate, from, to) => {
    expect(predicate(update(from, to))).toBe(true);
    expect(predicate(update(to, from))).toBe(true);
    expect(predicate(update(from, from))).toBe(false);
    expect(predicate(update(to, structuredClone(to)))).toBe(false);
    expect([predicate(add), predicate(gone)]).toEqual([true, true]);
  });

  test('no labels are as good as none', () => {
    expect(labelChanged(update({}, { labels: {} }))).toBe(false);
    expect(annotationChanged(update({ annotations: {} }, {}))).toBe(false);
  });

  test('are put together', () => {
    const [yes, no] = [() => true, () => false];
    expect([allOf(yes, yes)(add), allOf(yes, no)(add), allOf()(add)]).toEqual([true, false, true]);
    expect([anyOf(no, yes)(add), anyOf(no, no)(add), anyOf()(add)]).toEqual([true, false, false]);
    expect([not(yes)(add), not(no)(add)]).toEqual([false, true]);
  });
});

describe('a streaming list that does not end is complained about', () => {
  test('when nothing came, and when nothing more came', async () => {
    const clock = new FakeClock();
    const ticker = new InitialEventsEndTicker(clock, 1_500);
    await clock.advance(1_499);
    expect(ticker.warning()).toBeUndefined();
    await clock.advance(1);
    expect(ticker.warning()).toContain('no events received for 2s');
    ticker.observeEvent();
    expect(ticker.warning()).toBeUndefined();
    await clock.advance(1_500);
    expect(ticker.warning()).toContain('received last event 2s ago');
  });

  test('again and again, until somebody stops it', async () => {
    const clock = new FakeClock();
    const told: string[] = [];
    const ticker = new InitialEventsEndTicker(clock);
    ticker.start((warning) => told.push(warning));
    await clock.advance(10_000);
    await clock.advance(10_000);
    expect(told.map((one) => one.slice(-3))).toEqual(['10s', '20s']);
    ticker.observeEvent();
    await clock.advance(9_999);
    ticker.stop();
    await clock.advance(60_000);
    expect(told).toHaveLength(2);
  });
});

test('a bounded map forgets what was not used for longest', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  map.set('a', 4);
  map.set('d', 5);
  expect([map.get('a'), map.get('c'), map.get('d')]).toEqual([4, undefined, 5]);
});
