import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Disk, systemDisk } from './disk.ts';
import { CrashError, type Fault, FaultyDisk } from './faulty-disk.ts';
import { RecordStore } from './record-store.ts';
import { StorageError } from './storage-error.ts';
import { readStore } from './store-reader.ts';

/** Thousands of syncs are made here: in memory, where the machine has a place for that. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(place, 'waygate-records-')), 'store');
});

afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

interface Change {
  readonly key: string;
  readonly value?: string;
}

/** A store of texts by key, as its owner would keep it. */
class Texts {
  readonly warnings: string[] = [];
  state = new Map<string, string>();
  changes = 0;
  store!: RecordStore;

  static async open(options: { disk?: Disk; logLimitBytes?: number; boot?: string } = {}) {
    const texts = new Texts();
    const apply = (payload: Buffer) => texts.#apply(JSON.parse(payload.toString()) as Change);
    texts.store = await RecordStore.open(
      {
        directory,
        hint: 'Ask for help.',
        capture: () => ({
          mark: { size: texts.state.size },
          records: [...texts.state].map(([key, value]) =>
            Buffer.from(JSON.stringify({ key, value })),
          ),
        }),
        log: (line) => texts.warnings.push(line),
        ...options,
      },
      {
        begin: () => texts.state.clear(),
        state: apply,
        since: () => {
          texts.changes = 0;
        },
        past: () => {
          texts.changes += 1;
        },
        change: (payload) => {
          texts.changes += 1;
          apply(payload);
        },
      },
    );
    return texts;
  }

  write(change: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      this.store.append(Buffer.from(JSON.stringify(change)), (error) => {
        if (error !== undefined) return reject(error);
        this.#apply(change);
        resolve();
      });
    });
  }

  #apply({ key, value }: Change): void {
    if (value === undefined) this.state.delete(key);
    else this.state.set(key, value);
  }
}

function changesOf(count: number): Change[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `key-${index % 5}`,
    ...(index % 7 === 6 ? {} : { value: `${index}:${'x'.repeat(index % 40)}` }),
  }));
}

/** The state after each number of changes. */
function statesOf(changes: readonly Change[]): string[] {
  const state = new Map<string, string>();
  const shown = () => JSON.stringify([...state].sort());
  return [
    shown(),
    ...changes.map(({ key, value }) => {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
      return shown();
    }),
  ];
}

const shown = (texts: Texts) => JSON.stringify([...texts.state].sort());
const logLimitBytes = 400;

describe('RecordStore', () => {
  test('brings back what was written, over rotations and restarts', async () => {
    const changes = changesOf(60);
    const states = statesOf(changes);
    let texts = await Texts.open({ logLimitBytes });
    for (const [index, change] of changes.entries()) {
      await texts.write(change);
      if (index % 17 !== 0) continue;
      await texts.store.close();
      texts = await Texts.open({ logLimitBytes });
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
    const texts = await Texts.open({ disk });
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
          const texts = await Texts.open({ disk, logLimitBytes });
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
        const after = await Texts.open();
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
        const texts = await Texts.open({ disk, logLimitBytes });
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
        const after = await Texts.open();
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
      const texts = await Texts.open({ disk });
      await texts.write({ key: 'a', value: '1' });
      isBroken = true;
      const refused = texts.write({ key: 'a', value: '2' });
      await expect(refused).rejects.toMatchObject({ code: 'WG_STORAGE_FULL' });
      if (end === 'closed') await texts.store.close();
      const after = await Texts.open();
      expect(shown(after)).toBe(JSON.stringify([['a', '1']]));
      await after.write({ key: 'b', value: '3' });
      await after.store.close();
      expect(shown(await Texts.open())).toBe(shown(after));
    },
  );

  test('after a sync that failed, nothing is written before everything is on disk anew', async () => {
    let isBroken = false;
    const disk = new FaultyDisk(systemDisk, (_call, name) =>
      isBroken && name === 'sync' ? 'EIO' : 'none',
    );
    const texts = await Texts.open({ disk });
    isBroken = true;
    await texts.write({ key: 'a', value: '1' });
    await expect.poll(() => texts.store.problem?.code).toBe('WG_STORAGE_FAILED');
    await expect(texts.write({ key: 'b', value: '2' })).rejects.toMatchObject({
      code: 'WG_STORAGE_FAILED',
    });
    isBroken = false;
    await expect.poll(() => texts.store.problem, { timeout: 5000 }).toBeUndefined();
    await texts.write({ key: 'c', value: '3' });
    expect(readdirSync(directory).some((name) => name.startsWith('snapshot-'))).toBe(true);
    await texts.store.close();
    const after = await Texts.open();
    expect(shown(after)).toBe(
      JSON.stringify([
        ['a', '1'],
        ['c', '3'],
      ]),
    );
    await after.store.close();
  });

  test('a power cut may take what was not synced, and nothing else', async () => {
    const texts = await Texts.open({ boot: 'one' });
    await texts.write({ key: 'a', value: '1' });
    await texts.store.close();
    const log = join(
      directory,
      readdirSync(directory).find((name) => name.startsWith('log-')) ?? '',
    );
    const synced = readFileSync(log);
    const again = await Texts.open({ boot: 'one' });
    const writing = again.write({ key: 'b', value: '2' });
    await writing;
    const head = readFileSync(join(directory, 'head'));
    await again.store.close();
    // As it was before the sync: the head says that two were acknowledged and one is on disk.
    writeFileSync(join(directory, 'head'), head);
    writeFileSync(log, synced);
    await expect(Texts.open({ boot: 'one' })).rejects.toMatchObject({ code: 'WG_STORAGE_DAMAGED' });
    const after = await Texts.open({ boot: 'two' });
    expect(shown(after)).toBe(JSON.stringify([['a', '1']]));
    await after.store.close();
  });

  test('can be read while it is written', async () => {
    const texts = await Texts.open({ logLimitBytes });
    for (const change of changesOf(9)) await texts.write(change);
    const seen = new Map<string, string>();
    const take = (payload: Buffer) => {
      const { key, value } = JSON.parse(payload.toString()) as Change;
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

describe('a damaged store', () => {
  /** Files of a store with two snapshots and logs around them, cleanly closed or killed. */
  async function build(isClean: boolean): Promise<{ files: Map<string, Buffer>; state: string }> {
    const texts = await Texts.open({ logLimitBytes });
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
      const texts = await Texts.open();
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
