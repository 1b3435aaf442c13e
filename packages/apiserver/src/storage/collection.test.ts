import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Collection, compareKeys } from './collection.ts';
import { Entry } from './entry.ts';
import { RenderedSegments, Segment } from './segment.ts';

const entryOf = (namespace: string, name: string, version: number) =>
  Entry.of({ metadata: { namespace, name, labels: { v: String(version % 3) } } }, version);

const step = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  index: fc.nat({ max: 400 }),
  isRemoval: fc.boolean(),
});

/** The model is a map and a sort; the segments have to say the same, however they were split. */
test('lists what was written, in order, whole, by namespace, from a key, and by selection', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 50, maxLength: 1500 }),
      fc.nat({ max: 400 }),
      fc.nat({ max: 300 }),
      (steps, startIndex, limit) => {
        const collection = new Collection();
        const model = new Map<string, Entry>();
        const early = collection.list();
        for (const [version, { namespace, index, isRemoval }] of steps.entries()) {
          const entry = entryOf(namespace, `n${index}`, version);
          if (isRemoval && version % 2 === 0) {
            collection.delete(entry.key);
            model.delete(entry.key);
          } else {
            collection.set(entry.key, entry);
            model.set(entry.key, entry);
          }
        }
        const sorted = [...model.values()].sort((one, other) => compareKeys(one.key, other.key));
        expect(early.length).toBe(0);
        expect(collection.size).toBe(sorted.length);
        expect(collection.entries()).toEqual(sorted);
        for (const namespace of ['a', 'a-b', 'b', 'c']) {
          const own = sorted.filter((entry) => entry.namespace === namespace);
          expect(collection.entries(namespace)).toEqual(own);
        }
        const startKey = `a/n${startIndex}`;
        const after = sorted.filter((entry) => entry.key >= startKey);
        const rest = collection.list().between(startKey, undefined);
        expect(rest.toArray()).toEqual(after);
        const page = rest.first(limit);
        expect(page.found.toArray()).toEqual(limit === 0 ? after : after.slice(0, limit));
        expect(page.hasMore).toBe(limit !== 0 && after.length > limit);
        const chosen = after.filter((entry) => entry.labels.v === '1');
        const selection = rest.select((entry) => entry.labels.v === '1', limit);
        expect(selection.found.toArray()).toEqual(limit === 0 ? chosen : chosen.slice(0, limit));
        expect(selection.hasMore).toBe(limit !== 0 && chosen.length > limit);
        expect(selection.found.last()).toBe(selection.found.toArray().at(-1));
      },
    ),
    { numRuns: 30 },
  );
});

test('a list that was taken does not see later writes', () => {
  const collection = new Collection();
  for (let index = 0; index < 300; index++) {
    const entry = entryOf('a', `n${index}`, index);
    collection.set(entry.key, entry);
  }
  const before = collection.list();
  const seen = before.toArray();
  collection.delete('a/n7');
  collection.set('a/n8', entryOf('a', 'n8', 1000));
  expect(before.toArray()).toEqual(seen);
});

test('a write leaves all segments but one as they were', () => {
  const collection = new Collection();
  collection.load(Array.from({ length: 1000 }, (_, index) => entryOf('a', `n${index}`, index)));
  const before = new Set(collection.list().ranges.map((range) => range.segment));
  collection.set('a/n500', entryOf('a', 'n500', 5000));
  const fresh = collection.list().ranges.filter((range) => !before.has(range.segment));
  expect(fresh).toHaveLength(1);
});

test('joined bytes are used again, and stay within their budget', () => {
  const kept = new RenderedSegments(100);
  const one = new Segment(['a'], [entryOf('', 'a', 1)]);
  const two = new Segment(['b'], [entryOf('', 'b', 1)]);
  const by = {};
  let joins = 0;
  const join = () => {
    joins++;
    return Buffer.alloc(60);
  };
  kept.of(one, by, join);
  kept.of(one, by, join);
  expect(joins).toBe(1);
  kept.of(one, {}, join);
  expect(joins).toBe(2);
  kept.of(two, by, join);
  expect(one.rendered).toBeUndefined();
  expect(kept.bytes).toBe(60);
  kept.forget(two);
  expect(kept.bytes).toBe(0);
});
