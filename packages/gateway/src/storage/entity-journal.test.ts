import { appendFileSync, existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreSource } from '../configuration/store-source.ts';
import { Gateway } from '../gateway.ts';
import { EntityJournal } from './entity-journal.ts';
import { PluginStorages } from './plugin-storage.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-journal-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function openJournal() {
  const state: { journal?: EntityJournal } = {};
  const source: StoreSource = new StoreSource({}, (change) =>
    state.journal?.append(change, () => source.undo(change)),
  );
  const journal = await EntityJournal.open(directory, source);
  state.journal = journal;
  return { journal, source };
}

const logOf = (name: string) =>
  join(
    directory,
    name,
    readdirSync(join(directory, name)).find((each) => each.startsWith('log-')) ?? '',
  );

describe('EntityJournal', () => {
  test('brings back what was written, changed and deleted', async () => {
    const first = await openJournal();
    const { store } = first.source;
    store.insert('services', { name: 'a', host: 'h' });
    store.insert('services', { name: 'b', host: 'h' });
    store.update('services', 'a', { host: 'h2' });
    store.delete('services', 'b');
    await first.journal.close();
    const second = await openJournal();
    expect(second.source.store.count()).toBe(1);
    expect(second.source.store.get('services', 'a')?.host).toBe('h2');
    await second.journal.close();
  });

  test('takes over the file of lines of earlier versions, but for a last line that was cut short', async () => {
    const line = (name: string) => {
      const id = `00000000-0000-4000-8000-00000000000${name}`;
      return JSON.stringify({ collection: 'services', id, entity: { id, name, host: 'h' } });
    };
    appendFileSync(join(directory, 'entities.journal'), `${line('1')}\n${line('2')}\n{"coll`);
    const first = await openJournal();
    expect(first.source.store.count()).toBe(2);
    first.source.store.insert('services', { name: 'c', host: 'h' });
    await first.journal.close();
    expect(existsSync(join(directory, 'entities.journal'))).toBe(false);
    const second = await openJournal();
    expect(second.source.store.count()).toBe(3);
    await second.journal.close();
  });

  test('a log that was cut is named, rather than losing what was in it', async () => {
    const first = await openJournal();
    first.source.store.insert('services', { name: 'a', host: 'h' });
    await first.journal.close();
    truncateSync(logOf('entities'), statSync(logOf('entities')).size - 1);
    await expect(openJournal()).rejects.toMatchObject({
      code: 'WG_STORAGE_DAMAGED',
      path: logOf('entities'),
    });
  });

  test('an old file that is damaged is named', async () => {
    appendFileSync(join(directory, 'entities.journal'), 'not json\n');
    await expect(openJournal()).rejects.toMatchObject({
      code: 'WG_STORAGE_DAMAGED',
      path: join(directory, 'entities.journal'),
    });
  });

  test('a change that is undone leaves the entities as they were', async () => {
    const changes: Parameters<StoreSource['undo']>[0][] = [];
    const source = new StoreSource({}, (change) => changes.push(change));
    const { store } = source;
    store.insert('services', { name: 'a', host: 'h' });
    store.insert('routes', { name: 'r', paths: ['/'], service: { name: 'a' } });
    store.insert('plugins', { name: 'key-auth', route: { name: 'r' } });
    const before = JSON.stringify([...source.everything()].map(({ id }) => id).sort());
    changes.length = 0;
    store.delete('routes', 'r');
    store.update('services', 'a', { host: 'other' });
    store.insert('services', { name: 'b', host: 'h' });
    for (const change of changes.splice(0).reverse()) source.undo(change);
    expect(JSON.stringify([...source.everything()].map(({ id }) => id).sort())).toBe(before);
    expect(store.get('services', 'a')?.host).toBe('h');
    expect(changes).toEqual([]);
  });
});

test('a plugin finds what it kept, and not what it deleted', async () => {
  const first = await PluginStorages.open(directory);
  first.of('one').put('a', { value: 1 });
  first.of('one').put('b', 2);
  first.of('two').put('a', 3);
  first.of('one').delete('b');
  await first.of('one').flush();
  await first.close();
  const second = await PluginStorages.open(directory);
  expect([...second.of('one').entries()]).toEqual([['a', { value: 1 }]]);
  expect([...second.of('two').entries()]).toEqual([['a', 3]]);
  await second.close();
});

test('two gateways on one directory: the second is refused and touches nothing', async () => {
  const options = { mode: 'database', directory, proxy: [], admin: false } as const;
  const first = new Gateway(options);
  await first.start();
  first.store.insert('services', { name: 'a', host: 'h' });
  const before = await readdir(directory, { recursive: true });
  await expect(new Gateway(options).start()).rejects.toMatchObject({ code: 'WG_STORAGE_LOCKED' });
  expect((await readdir(directory, { recursive: true })).sort()).toEqual(before.sort());
  await first.stop();
  const third = new Gateway(options);
  await third.start();
  expect(third.store.count()).toBe(1);
  await third.stop();
});
