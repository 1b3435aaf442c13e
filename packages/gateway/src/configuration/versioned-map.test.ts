import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VersionedMap } from './versioned-map.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd');
const change = fc.tuple(key, fc.option(fc.nat(9), { nil: undefined }));

describe('VersionedMap', () => {
  test('every version reads as a copy that was made of it', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }), (batches) => {
        const copy = new Map<string, number>();
        const versions = [{ version: new VersionedMap<number>(), copy: new Map(copy) }];
        for (const batch of batches) {
          const version = versions.at(-1)?.version.change(batch);
          for (const [name, value] of batch) {
            if (value === undefined) copy.delete(name);
            else copy.set(name, value);
          }
          if (version !== undefined) versions.push({ version, copy: new Map(copy) });
        }
        for (const one of versions) {
          for (const name of ['a', 'b', 'c', 'd']) {
            expect(one.version.get(name)).toBe(one.copy.get(name));
          }
        }
      }),
    );
  });
});
