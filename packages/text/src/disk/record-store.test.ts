import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  changesOf,
  closeStores,
  newStoreDirectory,
  StoredTexts,
  shown,
  statesOf,
  type TextChange,
} from '../testing/stored-texts.ts';
import { systemDisk } from './disk.ts';
import { CrashError, type Fault, FaultyDisk } from './faulty-disk.ts';
import { StorageError } from './storage-error.ts';
import { readStore } from './store-reader.ts';

let directory: string;

beforeEach(() => {
  directory = newStoreDirectory();
});

afterEach(async () => {
  await closeStores();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

const logLimitBytes = 400;

describe('RecordStore', () => {
  test('brings back what was written, over rotations and restarts', async () => {
    const changes = changesOf(60);
    const states = statesOf(changes);
    let texts = await StoredTexts.open(directory, { logLimitBytes });
    for (const [index, change] of changes.entries()) {
      await texts.write(change);
      if (index % 17 !== 0) continue;
      await texts.store.close();
      texts = await StoredTexts.open(directory, { logLimitBytes });
      expect(shown(texts)).toBe(states[index + 1]);
    }
    await texts.store.close();
    expect(readdirSync(directory).length).toBeLessThan(8);
  });

  test('settles in order, and writes of one turn together', async () => {
    const calls: string[] = [];
    const disk = new FaultyDisk(systemDisk, (_call, name) => {
      calls.push(name);
      return 'none';
    });
    const texts = await StoredTexts.open(directory, { disk });
    calls.length = 0;
    const settled: number[] = [];
    const changes = changesOf(30);
    await Promise.all(
      changes.map((change, index) => texts.write(change).then(() => settled.push(index))),
    );
    expect(settled).toEqual(changes.map((_, index) => index));
    expect(calls.filter((name) => name === 'write')).toHaveLength(2);
    await texts.store.close();
  });

  test.each([3, 8])(
    'killed at any call, it has all that was acknowledged (%i at once)',
    async (width) => {
      const changes = changesOf(40);
      const states = statesOf(changes);
      let isThrough = false;
      for (let fatal = 1; !isThrough; fatal++) {
        const disk = new FaultyDisk(systemDisk, (call) => (call === fatal ? 'crash' : 'none'));
        let acknowledged = 0;
        let sent = 0;
        try {
          const texts = await StoredTexts.open(directory, { disk, logLimitBytes });
          for (let at = 0; at < changes.length; at += width) {
            const batch = changes.slice(at, at + width);
            sent += batch.length;
            await Promise.all(batch.map((each) => texts.write(each).then(() => acknowledged++)));
          }
          await texts.store.close();
          isThrough = disk.calls < fatal;
        } catch (error) {
          if (!(error instanceof StorageError && error.cause instanceof CrashError)) throw error;
        }
        const after = await StoredTexts.open(directory);
        const found = states.indexOf(shown(after), acknowledged);
        expect(found, `after a kill at call ${fatal}`).toBeGreaterThanOrEqual(acknowledged);
        expect(found).toBeLessThanOrEqual(sent);
        expect(after.warnings).toEqual([]);
        await after.write({ key: 'later', value: 'yes' });
        await after.store.close();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );

  test.each<[Fault, number]>([
    ['ENOSPC', 1],
    ['ENOSPC', 7],
    ['EIO', 1],
    ['EIO', 4],
  ])(
    '%s at any call, %i calls long: what is refused leaves nothing, and it heals',
    async (fault, length) => {
      const changes = changesOf(25);
      let isThrough = false;
      for (let from = 1; !isThrough; from++) {
        let isOn = false;
        const faultAt = (call: number): Fault =>
          isOn && call >= from && call < from + length ? fault : 'none';
        const disk = new FaultyDisk(systemDisk, (call) => faultAt(call));
        const texts = await StoredTexts.open(directory, { disk, logLimitBytes });
        isOn = true;
        const model = new Map<string, string>();
        for (const { key, value } of changes) {
          for (let attempt = 0; attempt < 20; attempt++) {
            try {
              await texts.write({ key, ...(value === undefined ? {} : { value }) });
              if (value === undefined) model.delete(key);
              else model.set(key, value);
              break;
            } catch (error) {
              expect((error as StorageError).path).toContain(directory);
              expect((error as StorageError).code).toBe(
                fault === 'EIO' ? 'WG_STORAGE_FAILED' : 'WG_STORAGE_FULL',
              );
            }
          }
        }
        isThrough = disk.calls < from;
        expect(shown(texts)).toBe(JSON.stringify([...model].sort()));
        await texts.store.close();
        const after = await StoredTexts.open(directory);
        expect(shown(after), `${fault} from call ${from}`).toBe(shown(texts));
        await after.store.close();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );

  test.each(['closed', 'killed'])(
    'what was refused is not there after a restart (%s)',
    async (end) => {
      let isBroken = false;
      let writes = 0;
      // The record itself still goes through; then nothing more does, not even taking it back.
      const disk = new FaultyDisk(systemDisk, (_call, name) => {
        if (!isBroken) return 'none';
        if (name === 'write') writes += 1;
        return name === 'write' && writes === 1 ? 'none' : 'ENOSPC';
      });
      const texts = await StoredTexts.open(directory, { disk });
      await texts.write({ key: 'a', value: '1' });
      isBroken = true;
      const refused = texts.write({ key: 'a', value: '2' });
      await expect(refused).rejects.toMatchObject({ code: 'WG_STORAGE_FULL' });
      if (end === 'closed') await texts.store.close();
      const after = await StoredTexts.open(directory);
      expect(shown(after)).toBe(JSON.stringify([['a', '1']]));
      await after.write({ key: 'b', value: '3' });
      await after.store.close();
      expect(shown(await StoredTexts.open(directory))).toBe(shown(after));
    },
  );

  test('after a sync that failed, nothing is written before everything is on disk anew', async () => {
    let isBroken = false;
    const disk = new FaultyDisk(systemDisk, (_call, name) =>
      isBroken && name === 'sync' ? 'EIO' : 'none',
    );
    const texts = await StoredTexts.open(directory, { disk });
    isBroken = true;
    await texts.write({ key: 'a', value: '1' });
    await expect.poll(() => texts.store.problem?.code).toBe('WG_STORAGE_FAILED');
    await expect(texts.write({ key: 'b', value: '2' })).rejects.toMatchObject({
      code: 'WG_STORAGE_FAILED',
    });
    isBroken = false;
    await expect.poll(() => texts.store.problem).toBeUndefined();
    await texts.write({ key: 'c', value: '3' });
    expect(readdirSync(directory).some((name) => name.startsWith('snapshot-'))).toBe(true);
    await texts.store.close();
    const after = await StoredTexts.open(directory);
    expect(shown(after)).toBe(
      JSON.stringify([
        ['a', '1'],
        ['c', '3'],
      ]),
    );
    await after.store.close();
  });

  test('a power cut may take what was not synced, and nothing else', async () => {
    const texts = await StoredTexts.open(directory, { boot: 'one' });
    await texts.write({ key: 'a', value: '1' });
    await texts.store.close();
    const log = join(
      directory,
      readdirSync(directory).find((name) => name.startsWith('log-')) ?? '',
    );
    const synced = readFileSync(log);
    const again = await StoredTexts.open(directory, { boot: 'one' });
    const writing = again.write({ key: 'b', value: '2' });
    await writing;
    const head = readFileSync(join(directory, 'head'));
    await again.store.close();
    // As it was before the sync: the head says that two were acknowledged and one is on disk.
    writeFileSync(join(directory, 'head'), head);
    writeFileSync(log, synced);
    await expect(StoredTexts.open(directory, { boot: 'one' })).rejects.toMatchObject({
      code: 'WG_STORAGE_DAMAGED',
    });
    const after = await StoredTexts.open(directory, { boot: 'two' });
    expect(shown(after)).toBe(JSON.stringify([['a', '1']]));
    await after.store.close();
  });

  test('can be read while it is written', async () => {
    const texts = await StoredTexts.open(directory, { logLimitBytes });
    for (const change of changesOf(9)) await texts.write(change);
    const seen = new Map<string, string>();
    const take = (payload: Buffer) => {
      const { key, value } = JSON.parse(payload.toString()) as TextChange;
      if (value === undefined) seen.delete(key);
      else seen.set(key, value);
    };
    const ignore = () => undefined;
    await readStore(
      systemDisk,
      directory,
      { begin: () => seen.clear(), state: take, since: ignore, past: ignore, change: take },
      { hint: '' },
    );
    expect(JSON.stringify([...seen].sort())).toBe(shown(texts));
    await texts.store.close();
  });
});
