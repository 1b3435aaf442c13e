import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CandidateIndex, type CandidateKeys } from './candidate-index.ts';
import { fitsKey, type TextKey } from './text-key.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', 'Ω'), maxLength: 4 });
const key: fc.Arbitrary<TextKey> = fc.record({
  kind: fc.constantFrom('equal' as const, 'prefix' as const, 'suffix' as const),
  text,
});
const keys = fc.option(fc.array(key, { minLength: 1, maxLength: 3 }));

interface Item extends CandidateKeys {
  readonly rank: number;
}

const byRank = (one: Item, two: Item) => one.rank - two.rank;

function holds(wanted: readonly TextKey[] | null, value: string): boolean {
  return wanted === null || wanted.some((item) => fitsKey(item, value));
}

function offeredBy(index: CandidateIndex<Item>, host: string, path: string): number[] {
  const offered: number[] = [];
  index.search(path, host);
  for (let item = index.next(); item !== undefined; item = index.next()) {
    if (offered.at(-1) !== item.rank) {
      offered.push(item.rank);
    }
  }
  return offered;
}

describe('CandidateIndex', () => {
  test('offers in order exactly what a walk over all would find, as candidates come and go', () => {
    const item = fc.record({ hosts: keys, paths: keys });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ item, rank: fc.nat(500), isKept: fc.boolean() }), {
          maxLength: 40,
          selector: (one) => one.rank,
        }),
        text,
        text,
        (list, host, path) => {
          const index = new CandidateIndex<Item>(byRank);
          const items = list.map((one) => ({ ...one.item, rank: one.rank }));
          for (const one of items) {
            index.add(one, one);
          }
          const kept = items.filter((one, at) => {
            if (list[at]?.isKept !== true) {
              index.remove(one, one);
            }
            return list[at]?.isKept === true;
          });
          const expected = kept
            .filter((one) => holds(one.hosts, host) && holds(one.paths, path))
            .map((one) => one.rank)
            .sort((one, two) => one - two);
          expect(offeredBy(index, host, path)).toEqual(expected);
        },
      ),
    );
  });

  test('tells the text by which a candidate was found', () => {
    const index = new CandidateIndex<Item>(byRank);
    const paths = ['/a', '/ab'].map((one) => ({ kind: 'prefix' as const, text: one }));
    const item = { rank: 1, hosts: null, paths };
    index.add(item, item);
    index.search('/abc', 'h');
    const texts: (string | undefined)[] = [];
    while (index.next() !== undefined) {
      texts.push(index.pathText);
    }
    expect(texts.sort()).toEqual(['/a', '/ab']);
  });

  test('looks at few of many candidates', () => {
    const index = new CandidateIndex<Item>(byRank);
    for (let rank = 0; rank < 20_000; rank += 1) {
      const item = {
        rank,
        hosts: [{ kind: 'equal' as const, text: `h${rank % 100}.test` }],
        paths: [{ kind: 'prefix' as const, text: `/p${rank}/` }],
      };
      index.add(item, item);
    }
    expect(offeredBy(index, 'h99.test', '/p19999/x')).toEqual([19_999]);
  });
});
