import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { Indexer } from './indexer.ts';

interface Thing {
  readonly name: string;
  readonly tags: readonly string[];
}

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const tags = fc.array(fc.constantFrom('red', 'green', '__proto__', ''), { maxLength: 3 });
const thing = fc.record({ name, tags });
const command = fc.oneof(
  fc.record({
    op: fc.constant('put' as const),
    things: fc.array(thing, { minLength: 1, maxLength: 1 }),
  }),
  fc.record({
    op: fc.constant('remove' as const),
    things: fc.array(thing, { minLength: 1, maxLength: 1 }),
  }),
  fc.record({ op: fc.constant('replace' as const), things: fc.array(thing, { maxLength: 5 }) }),
  fc.record({ op: fc.constant('addIndexer' as const), things: fc.constant([] as Thing[]) }),
);

describe('Indexer', () => {
  test('finds by index what a search through everything finds', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const indexer = new Indexer<Thing>({
          keyFunction: (one) => one.name,
          indexers: { tag: (one) => one.tags },
        });
        let model = new Map<string, Thing>();
        let added = 0;
        for (const { op, things } of commands) {
          if (op === 'put') {
            indexer.add(things[0]!);
            model.set(things[0]!.name, things[0]!);
          } else if (op === 'remove') {
            indexer.delete(things[0]!);
            model.delete(things[0]!.name);
          } else if (op === 'replace') {
            indexer.replace(things, '1');
            model = new Map(things.map((one) => [one.name, one]));
          } else indexer.addIndexers({ [`late-${added++}`]: (one) => one.tags });
          const values = new Set([...model.values()].flatMap((one) => one.tags));
          const indices = ['tag', ...Array.from({ length: added }, (_, index) => `late-${index}`)];
          for (const index of indices) {
            expect(indexer.listIndexFuncValues(index).sort()).toEqual([...values].sort());
            for (const value of values)
              expect(indexer.indexKeys(index, value)).toEqual(
                [...model.values()]
                  .filter((one) => one.tags.includes(value))
                  .map((one) => one.name)
                  .sort(),
              );
          }
          expect(indexer.listKeys().sort()).toEqual([...model.keys()].sort());
        }
      }),
      { numRuns: 200 },
    );
  });

  test('is unchanged when an index function throws', () => {
    const indexer = new Indexer<Thing>({
      keyFunction: (one) => one.name,
      indexers: {
        tag: (one) => one.tags,
        picky: (one) => {
          if (one.tags.includes('bad')) throw new Error('not this one');
          return [];
        },
      },
    });
    indexer.add({ name: 'a', tags: ['red'] });
    expect(() => indexer.update({ name: 'a', tags: ['bad'] })).toThrow(/picky/);
    expect(indexer.byIndex('tag', 'red')).toHaveLength(1);
    expect(indexer.byIndex('tag', 'bad')).toEqual([]);
    expect(indexer.getByKey('a')).toEqual({ name: 'a', tags: ['red'] });
  });

  test('a replace in turns leaves out what it cannot take, and shows all of it at once', async () => {
    const indexer = new Indexer<Thing>({
      keyFunction: (one) => {
        if (one.name === 'bad') throw new Error('no key');
        return one.name;
      },
    });
    indexer.add({ name: 'old', tags: [] });
    const errors: unknown[] = [];
    const replacing = indexer.replaceInTurns(
      [
        { name: 'bad', tags: [] },
        { name: 'new', tags: [] },
      ],
      '5',
      new TurnKeeper(new FakeClock()),
      (error) => errors.push(error),
    );
    const previous = await replacing;
    expect([...previous].map(([key]) => key)).toEqual(['old']);
    expect(indexer.listKeys()).toEqual(['new']);
    expect(indexer.lastStoreSyncResourceVersion).toBe('5');
    expect(errors).toHaveLength(1);
  });
});
