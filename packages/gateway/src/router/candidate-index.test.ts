import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsKey, type TextKey } from '../collection/text-key.ts';
import { CandidateIndex, type CandidateKeys } from './candidate-index.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', 'Ω'), maxLength: 4 });
const key: fc.Arbitrary<TextKey> = fc.record({
  kind: fc.constantFrom('equal' as const, 'prefix' as const, 'suffix' as const),
  text,
});
const keys = fc.option(fc.array(key, { minLength: 1, maxLength: 3 }));

interface Item extends CandidateKeys {
  readonly rank: number;
}

const empty = CandidateIndex.empty<Item>({
  compare: (one, two) => one.rank - two.rank,
  keysOf: (item) => item,
});

function holds(wanted: readonly TextKey[] | null, value: string): boolean {
  return wanted === null || wanted.some((item) => fitsKey(item, value));
}

function offeredBy(index: CandidateIndex<Item>, host: string, path: string): number[] {
  const offered: number[] = [];
  const found = index.search(path, host);
  for (let next = found.next(); next !== undefined; next = found.next()) {
    if (offered.at(-1) !== next.candidate.rank) {
      offered.push(next.candidate.rank);
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
          const items = list.map((one) => ({ ...one.item, rank: one.rank }));
          const kept = items.filter((_, at) => list[at]?.isKept === true);
          const gone = items.filter((_, at) => list[at]?.isKept !== true);
          const inOrder = (of: readonly Item[]) =>
            of
              .filter((one) => holds(one.hosts, host) && holds(one.paths, path))
              .map((one) => one.rank)
              .sort((one, two) => one - two);
          // At one go, one by one, and in any mixture: what the index says is the same.
          const whole = empty.change([], items);
          const oneByOne = items.reduce((index, one) => index.change([], [one]), empty);
          const after = oneByOne.change(gone, []);
          const again = after.change(kept, gone);
          expect(offeredBy(whole, host, path)).toEqual(inOrder(items));
          expect(offeredBy(oneByOne, host, path)).toEqual(inOrder(items));
          expect(offeredBy(after, host, path)).toEqual(inOrder(kept));
          expect(offeredBy(again, host, path)).toEqual(inOrder(gone));
        },
      ),
    );
  });

  test('tells the text by which a candidate was found', () => {
    const paths = ['/a', '/ab'].map((one) => ({ kind: 'prefix' as const, text: one }));
    const found = empty.change([], [{ rank: 1, hosts: null, paths }]).search('/abc', 'h');
    const texts: (string | undefined)[] = [];
    for (let next = found.next(); next !== undefined; next = found.next()) {
      texts.push(next.path?.text);
    }
    expect(texts.sort()).toEqual(['/a', '/ab']);
  });

  test('looks at few of many candidates', () => {
    const items = Array.from({ length: 20_000 }, (_, rank) => ({
      rank,
      hosts: [{ kind: 'equal' as const, text: `h${rank % 100}.test` }],
      paths: [{ kind: 'prefix' as const, text: `/p${rank}/` }],
    }));
    expect(offeredBy(empty.change([], items), 'h99.test', '/p19999/x')).toEqual([19_999]);
  });
});
