import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, CandidateIndex, type TextKey } from './candidate-index.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 });
const key: fc.Arbitrary<TextKey> = fc.record({
  kind: fc.constantFrom('equal' as const, 'prefix' as const, 'suffix' as const),
  text,
});
const keys = fc.option(fc.array(key, { minLength: 1, maxLength: 3 }));

function holds(wanted: readonly TextKey[] | null, value: string): boolean {
  return (
    wanted === null ||
    wanted.some(
      (item) =>
        (item.kind === 'equal' && value === item.text) ||
        (item.kind === 'prefix' && value.startsWith(item.text)) ||
        (item.kind === 'suffix' && value.endsWith(item.text)),
    )
  );
}

describe('CandidateIndex', () => {
  test('offers, in rank order, exactly what a walk over all candidates would find', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ hosts: keys, paths: keys }), { maxLength: 30 }),
        text,
        text,
        (items, host, path) => {
          const candidates = items.map(
            (item, rank): Candidate<number> => ({
              ...item,
              rank,
              value: rank,
            }),
          );
          const offered: number[] = [];
          new CandidateIndex(candidates).find([host], path, (value): undefined => {
            if (offered.at(-1) !== value) {
              offered.push(value);
            }
          });
          const expected = candidates
            .filter((item) => holds(item.hosts, host) && holds(item.paths, path))
            .map((item) => item.rank);
          expect(offered).toEqual(expected);
        },
      ),
    );
  });

  test('stops at the first candidate that is accepted', () => {
    const index = new CandidateIndex([
      { rank: 1, hosts: null, paths: null, value: 'second' },
      { rank: 0, hosts: null, paths: [{ kind: 'prefix', text: '/a' }], value: 'first' },
    ]);
    expect(index.find(['h'], '/ab', (value) => value)).toBe('first');
    expect(index.find(['h'], '/b', (value) => value)).toBe('second');
  });

  test('looks at few of many candidates', () => {
    const candidates = Array.from({ length: 20_000 }, (_, rank) => ({
      rank,
      hosts: [{ kind: 'equal' as const, text: `h${rank % 100}.test` }],
      paths: [{ kind: 'prefix' as const, text: `/p${rank}/` }],
      value: rank,
    }));
    const index = new CandidateIndex(candidates);
    let looked = 0;
    index.find(['h99.test'], '/p19999/x', (): undefined => {
      looked += 1;
    });
    expect(looked).toBe(1);
  });
});
