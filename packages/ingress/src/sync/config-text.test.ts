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
