import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreSource } from '../configuration/store-source.ts';
import { EntityJournal } from './entity-journal.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-journal-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function openJournal() {
  const state: { journal?: EntityJournal } = {};
  const source = new StoreSource({}, (change) => state.journal?.append(change));
  const journal = await EntityJournal.open(directory, source);
  state.journal = journal;
  return { journal, source };
}

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

  test('leaves out a last line that was cut short, and goes on after it', async () => {
    const first = await openJournal();
    first.source.store.insert('services', { name: 'a', host: 'h' });
    await first.journal.close();
    await appendFile(join(directory, 'entities.journal'), '{"collection":"services","id":"x"');
    const second = await openJournal();
    expect(second.source.store.count()).toBe(1);
    second.source.store.insert('services', { name: 'b', host: 'h' });
    await second.journal.close();
    const third = await openJournal();
    expect(third.source.store.count()).toBe(2);
    await third.journal.close();
  });

  test('does not grow with the number of changes', async () => {
    const { journal, source } = await openJournal();
    source.store.insert('services', { name: 'a', host: 'h' });
    for (let round = 0; round < 1_500; round += 1) {
      source.store.update('services', 'a', { port: 1 + (round % 60_000) });
      if (round % 100 === 0) await journal.flush();
    }
    await journal.close();
    const lines = (await readFile(join(directory, 'entities.journal'), 'utf8')).split('\n');
    expect(lines.length).toBeLessThan(1_200);
  });

  test('refuses a damaged file rather than losing what is in it', async () => {
    await appendFile(join(directory, 'entities.journal'), 'not json\n');
    await expect(openJournal()).rejects.toMatchObject({ code: 'WG_GATEWAY_STORAGE' });
  });
});
