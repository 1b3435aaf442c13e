import { FakeClock } from '@waygate/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigText } from './config-text.ts';

const entity = fc.dictionary(fc.string(), fc.jsonValue());
const documents = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(entity)));

test('is the JSON of the document, whatever of it was seen before', async () => {
  const text = new ConfigText(new FakeClock());
  await fc.assert(
    fc.asyncProperty(documents, async (document) => {
      const first = await text.serialize(document);
      expect(JSON.parse(first.bytes.toString())).toEqual(JSON.parse(JSON.stringify(document)));
      const again = await text.serialize({ ...document });
      expect(again.hash).toBe(first.hash);
      expect(again.bytes.equals(first.bytes)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('has another hash when anything is different', async () => {
  const text = new ConfigText(new FakeClock());
  await fc.assert(
    fc.asyncProperty(documents, documents, async (one, other) => {
      const [first, second] = [await text.serialize(one), await text.serialize(other)];
      expect(first.hash === second.hash).toBe(first.bytes.equals(second.bytes));
    }),
    { numRuns: 60 },
  );
});

test('is the same for the same list, whichever lists came before', async () => {
  const pool = Array.from({ length: 200 }, (_, index) => ({ name: `web-${index}` }));
  const lists = fc.array(fc.subarray(pool), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(lists, async (steps) => {
      const text = new ConfigText(new FakeClock());
      for (const services of steps) {
        const { bytes, hash } = await text.serialize({ services });
        expect(bytes.toString()).toBe(JSON.stringify({ services }));
        const fresh = await new ConfigText(new FakeClock()).serialize({ services });
        expect(hash).toBe(fresh.hash);
      }
    }),
    { numRuns: 40 },
  );
});
