import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageError } from '@waygate/text';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskJournal, markerFile, storeDirectory } from './disk-journal.ts';
import { type Journal, type JournalRecord, MemoryJournal, type Settle } from './journal.ts';
import { Store } from './store.ts';
import { restoreStore, saveSnapshot } from './store-backup.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'waygate-journal-'));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const object = (name: string, value: string) => ({
  metadata: { name, namespace: 'n' },
  data: { value },
});

async function openStore(logLimitBytes?: number): Promise<Store> {
  const limit = logLimitBytes === undefined ? {} : { logLimitBytes };
  return new Store({ journal: await DiskJournal.open({ dataDir, ...limit }) });
}

async function put(store: Store, name: string, value: string | undefined): Promise<void> {
  const key = `n/${name}`;
  await store.write({
    collection: 'c',
    key,
    expected: store.getHead('c', key),
    object: value === undefined ? undefined : object(name, value),
  });
}

const valuesOf = (store: Store) =>
  Object.fromEntries(
    store
      .collection('c')
      .entries()
      .map((entry) => [entry.name, (entry.object.data as { value: string }).value]),
  );

describe('DiskJournal', () => {
  test('brings back objects, versions and history, also over a snapshot', async () => {
    const first = await openStore(2000);
    for (let index = 0; index < 60; index++) await put(first, `o${index % 7}`, String(index));
    await put(first, 'o3', undefined);
    const { resourceVersion } = first;
    const values = valuesOf(first);
    const past = first.history.since('c', resourceVersion - 10).map((event) => event.type);
    await first.close();
    const names = readdirSync(storeDirectory(dataDir));
    expect(names.some((name) => name.startsWith('snapshot-'))).toBe(true);
    const second = await openStore();
    expect(second.resourceVersion).toBe(resourceVersion);
    expect(valuesOf(second)).toEqual(values);
    expect(second.history.since('c', resourceVersion - 10).map((event) => event.type)).toEqual(
      past,
    );
    await second.close();
  });

  test('what was compacted does not come back', async () => {
    const first = await openStore();
    for (let index = 0; index < 5; index++) await put(first, 'a', String(index));
    first.compact(3);
    await first.close();
    const second = await openStore();
    expect(second.history.compactedResourceVersion).toBe(3);
    expect(second.history.since('c', 3)).toHaveLength(2);
    await second.close();
  });

  test('never starts empty where there was something', async () => {
    const first = await openStore();
    await put(first, 'a', '1');
    await first.close();
    rmSync(storeDirectory(dataDir), { recursive: true });
    await expect(openStore()).rejects.toMatchObject({
      code: 'WG_STORAGE_DAMAGED',
      path: storeDirectory(dataDir),
    });
    mkdirSync(storeDirectory(dataDir));
    await expect(openStore()).rejects.toMatchObject({ code: 'WG_STORAGE_DAMAGED' });
    rmSync(markerFile(dataDir));
    const begun = await openStore();
    expect(begun.resourceVersion).toBe(0);
    await begun.close();
  });

  test('says what to do with a store of an earlier version', async () => {
    mkdirSync(storeDirectory(dataDir));
    writeFileSync(join(storeDirectory(dataDir), 'data.mdb'), 'x');
    await expect(openStore()).rejects.toMatchObject({ code: 'WG_STORAGE_FORMAT' });
    expect(readdirSync(storeDirectory(dataDir))).toEqual(['data.mdb']);
  });

  test('a log that was cut is named, and restored as far as it can be read', async () => {
    const first = await openStore();
    for (const name of ['a', 'b', 'c']) await put(first, name, '1');
    await first.close();
    const log = join(
      storeDirectory(dataDir),
      readdirSync(storeDirectory(dataDir)).find((name) => name.startsWith('log-')) ?? '',
    );
    truncateSync(log, statSync(log).size - 5);
    const error = await openStore().catch((reason: StorageError) => reason);
    expect(error).toMatchObject({ code: 'WG_STORAGE_DAMAGED', path: log });
    expect((error as StorageError).hint).toContain('waygate apiserver restore');
    const report = await restoreStore(dataDir);
    expect(report).toMatchObject({ objects: 2, resourceVersion: 1002 });
    expect(report.problems.join()).toContain(log);
    expect(existsSync(join(report.replaced ?? '', 'head'))).toBe(true);
    const after = await openStore();
    expect(Object.keys(valuesOf(after))).toEqual(['a', 'b']);
    // Nobody may go on from a past that is another one now.
    expect(after.history.oldest('c')).toBe(1002);
    await after.close();
  });

  test('a snapshot is taken while the store is in use, and gone back to', async () => {
    const file = join(dataDir, 'objects.snapshot');
    const store = await openStore();
    await put(store, 'a', '1');
    expect(await saveSnapshot(dataDir, file)).toEqual({ objects: 1, resourceVersion: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await put(store, 'a', '2');
    await put(store, 'b', '1');
    await store.close();
    const report = await restoreStore(dataDir, file);
    expect(report).toMatchObject({ objects: 1, resourceVersion: 1003, problems: [] });
    const after = await openStore();
    expect(valuesOf(after)).toEqual({ a: '1' });
    await after.close();
    writeFileSync(file, 'not a snapshot');
    await expect(restoreStore(dataDir, file)).rejects.toMatchObject({ path: file });
    await expect(saveSnapshot(join(dataDir, 'nowhere'), file)).rejects.toMatchObject({
      code: 'WG_STORAGE_DAMAGED',
    });
  });
});

/** Keeps records waiting until it is told what becomes of them. */
class SlowJournal extends MemoryJournal implements Journal {
  readonly waiting: Settle[] = [];

  override append(_record: JournalRecord, settle: Settle): void {
    this.waiting.push(settle);
  }

  fail(): void {
    const error = new StorageError('WG_STORAGE_FULL', '/store', 'no space');
    for (const settle of this.waiting.splice(0).reverse()) settle(error);
  }

  keep(): void {
    for (const settle of this.waiting.splice(0)) settle();
  }
}

describe('a journal that cannot write', () => {
  test('takes all that waits with it, and leaves what was there', async () => {
    const journal = new SlowJournal();
    const store = new Store({ journal });
    const kept = put(store, 'a', '1');
    journal.keep();
    await kept;
    const events: string[] = [];
    store.subscribe('c', (event) => events.push(event.type));
    const refused = [put(store, 'a', '2'), put(store, 'a', undefined), put(store, 'b', '1')];
    journal.fail();
    for (const each of refused)
      await expect(each).rejects.toMatchObject({ code: 'WG_STORAGE_FULL' });
    expect(valuesOf(store)).toEqual({ a: '1' });
    expect(store.getHead('c', 'n/b')).toBeUndefined();
    expect(events).toEqual([]);
    const later = put(store, 'a', '3');
    journal.keep();
    await later;
    expect(valuesOf(store)).toEqual({ a: '3' });
    expect(events).toEqual(['MODIFIED']);
  });
});
