import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  changesOf,
  closeStores,
  newStoreDirectory,
  StoredTexts,
  shown,
} from '../testing/stored-texts.ts';
import { systemDisk } from './disk.ts';
import { StorageError } from './storage-error.ts';

let directory: string;

beforeEach(() => {
  directory = newStoreDirectory();
});

afterEach(async () => {
  await closeStores();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

const logLimitBytes = 400;

describe('a damaged store', () => {
  /** Files of a store with two snapshots and logs around them, cleanly closed or killed. */
  async function build(isClean: boolean): Promise<{ files: Map<string, Buffer>; state: string }> {
    const texts = await StoredTexts.open(directory, { logLimitBytes });
    for (const change of changesOf(50)) await texts.write(change);
    await texts.store.sumUp();
    for (const change of changesOf(8)) await texts.write(change);
    const read = () =>
      new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
    const killed = read();
    const state = shown(texts);
    await texts.store.close();
    return { files: isClean ? read() : killed, state };
  }

  async function check(
    files: ReadonlyMap<string, Buffer>,
    state: string,
    name: string,
    damage: (bytes: Buffer) => Buffer | undefined,
    what: string,
  ): Promise<'refused' | 'right'> {
    rmSync(directory, { recursive: true, force: true });
    await systemDisk.makeDirectory(directory);
    for (const [each, bytes] of files) {
      const content = each === name ? damage(Buffer.from(bytes)) : bytes;
      if (content !== undefined) writeFileSync(join(directory, each), content);
    }
    try {
      const texts = await StoredTexts.open(directory);
      expect(shown(texts), `${name}: ${what}`).toBe(state);
      await texts.store.close();
      return 'right';
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      expect(error.message, `${name}: ${what}`).toContain(directory);
      expect(['WG_STORAGE_DAMAGED', 'WG_STORAGE_FORMAT']).toContain(error.code);
      expect(error.hint).toBeDefined();
      return 'refused';
    }
  }

  test.each([true, false])(
    'cut, emptied, removed, zeroed or overwritten (closed: %s)',
    async (isClean) => {
      const { files, state } = await build(isClean);
      let refused = 0;
      for (const [name, bytes] of files) {
        const one = (damage: (bytes: Buffer) => Buffer | undefined, what: string) =>
          check(files, state, name, damage, what).then((result) => {
            if (result === 'refused') refused += 1;
          });
        await one(() => undefined, 'removed');
        await one(() => Buffer.alloc(0), 'empty');
        await one((all) => all.fill(0), 'zeroed');
        await one((all) => all.fill('garbage '), 'garbage');
        await one((all) => Buffer.concat([all, all]), 'twice');
        for (let at = 0; at < bytes.length; at += 29) {
          await one((all) => all.subarray(0, at), `cut at ${at}`);
          await one((all) => all.fill(0, at), `zeroed from ${at}`);
          await one((all) => all.fill(0, at, Math.min(all.length, at + 9)), `hole at ${at}`);
        }
      }
      expect(refused).toBeGreaterThan(50);
    },
  );

  test('random bytes', async () => {
    const { files, state } = await build(false);
    const damage = fc.record({
      name: fc.constantFrom(...files.keys()),
      place: fc.double({ min: 0, max: 0.999, noNaN: true }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ name, place, bytes }) => {
        const change = (all: Buffer) => {
          all.set(bytes.subarray(0, all.length), Math.max(0, Math.floor(place * all.length) - 20));
          return all;
        };
        await check(files, state, name, change, 'random bytes');
      }),
      { numRuns: 150 },
    );
  });
});
