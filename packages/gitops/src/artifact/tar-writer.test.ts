import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareWalkOrder, type FileEntry } from './file-entry.ts';
import { tarArchive, tarBytes } from './tar-writer.ts';

const name = fc.oneof(
  fc.constantFrom('a', 'ab', 'a.', 'a-b', 'é', 'b'.repeat(60)),
  fc.stringMatching(/^[\w.-]{1,12}$/).filter((text) => !/^\.+$/.test(text)),
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const file: fc.Arbitrary<FileEntry> = fc.record({
  path,
  isExecutable: fc.boolean(),
  content: fc.uint8Array({ maxLength: 1200 }),
});

test('one piece has the same bytes as many, with sums that add up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file), async (files) => {
      const parts: Uint8Array[] = [];
      for await (const part of tarArchive(files)) parts.push(part);
      const whole = tarBytes(files);
      expect(whole.equals(Buffer.concat(parts))).toBe(true);
      const told = Number.parseInt(whole.toString('latin1', 148, 154), 8);
      const blank = Buffer.concat([
        whole.subarray(0, 148),
        Buffer.alloc(8, ' '),
        whole.subarray(156, 512),
      ]);
      expect(blank.reduce((sum, byte) => sum + byte, 0)).toBe(told);
    }),
    { numRuns: 50 },
  );
});

test('the order of a walk is that of the names, directory by directory', () => {
  const byParts = (left: string, right: string): number => {
    const [one, other] = [left.split('/'), right.split('/')];
    for (let index = 0; index < Math.min(one.length, other.length); index++)
      if (one[index] !== other[index])
        return (one[index] as string) < (other[index] as string) ? -1 : 1;
    return one.length - other.length;
  };
  fc.assert(
    fc.property(path, path, (left, right) => {
      expect(Math.sign(compareWalkOrder(left, right))).toBe(Math.sign(byParts(left, right)));
    }),
  );
});
