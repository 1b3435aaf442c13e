import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../until.ts';
import { CrashServer, collection, Follower, type Stored, send } from './crash.ts';

const rounds = Number(process.env.WAYGATE_CRASH_ROUNDS ?? 35);
const writerCount = 16;
/** Long enough to cross a page of the store, so that a torn write would show. */
const fillLength = 3000;

interface Write {
  readonly sequence: number;
  readonly isRemoval: boolean;
}

/** One client with one object: creates, changes, and now and then removes it. */
class Writer {
  readonly name: string;
  readonly acknowledged: (Write & { resourceVersion: number })[] = [];
  readonly sent = new Set<number>();
  /** Sent, and never answered: it may or may not have happened. */
  uncertain: Write | undefined;
  #sequence = 0;

  constructor(index: number) {
    this.name = `writer-${index}`;
  }

  /** Writes until the server is gone. */
  async run(url: string, current: Stored | undefined): Promise<void> {
    const agent = new Agent({ keepAlive: true });
    let exists = current !== undefined;
    try {
      for (;;) {
        const write = { sequence: ++this.#sequence, isRemoval: exists && this.#sequence % 7 === 0 };
        this.sent.add(write.sequence);
        this.uncertain = write;
        const path = `${url}${collection}`;
        const own = `${path}/${this.name}`;
        const { status, body } = write.isRemoval
          ? await send(agent, 'DELETE', own)
          : exists
            ? await send(agent, 'PUT', own, this.#object(write.sequence))
            : await send(agent, 'POST', path, this.#object(write.sequence));
        expect(status, JSON.stringify(body)).toBeLessThan(300);
        exists = !write.isRemoval;
        const resourceVersion = write.isRemoval
          ? 0
          : Number((body as Stored).metadata.resourceVersion);
        this.acknowledged.push({ ...write, resourceVersion });
        this.uncertain = undefined;
      }
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error;
    } finally {
      agent.destroy();
    }
  }

  /** What was found after a restart is the last acknowledged state, or the one under way. */
  check(found: Stored | undefined): void {
    const last = this.acknowledged.at(-1);
    const states = [last, this.uncertain].map((write) =>
      write === undefined || write.isRemoval ? undefined : write.sequence,
    );
    const sequence = found === undefined ? undefined : Number(found.data.sequence);
    expect(
      sequence === states[0] || (this.uncertain !== undefined && sequence === states[1]),
      `${this.name} has ${sequence}, and ${JSON.stringify({ last, uncertain: this.uncertain })}`,
    ).toBe(true);
    const happened =
      this.uncertain !== undefined && sequence === states[1] ? this.uncertain : undefined;
    if (happened !== undefined && sequence !== states[0]) {
      // It was read, so from now on it must not be lost either.
      const resourceVersion = Number(found?.metadata.resourceVersion ?? 0);
      this.acknowledged.push({ ...happened, resourceVersion });
    }
    this.uncertain = undefined;
    if (found !== undefined) {
      expect(found.data.fill).toBe(fill(Number(found.data.sequence)));
      if (sequence === last?.sequence) {
        expect(Number(found.metadata.resourceVersion)).toBe(last?.resourceVersion);
      }
    }
  }

  #object(sequence: number) {
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: this.name },
      data: { sequence: String(sequence), fill: fill(sequence) },
    };
  }
}

function total(writers: readonly Writer[]): number {
  return writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
}

function fill(sequence: number): string {
  return `${sequence};`.repeat(Math.ceil(fillLength / `${sequence};`.length));
}

/** A small generator, so that a failure can be run again. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`${rounds} times killed under ${writerCount} writers, nothing acknowledged is lost`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waygate-crash-'));
  const random = generator(20_26);
  const writers = Array.from({ length: writerCount }, (_, index) => new Writer(index));
  // Loading takes far longer than starting: two are loaded while a third is at work.
  const standby = [new CrashServer(), new CrashServer()];
  let current: CrashServer | undefined;
  let follower: Follower | undefined;
  const agent = new Agent();
  const list = async (url: string) => {
    const { body } = await send(agent, 'GET', `${url}${collection}`);
    return body as { metadata: { resourceVersion: string }; items: Stored[] };
  };
  try {
    for (let round = 0; round <= rounds; round++) {
      current = standby.shift() as CrashServer;
      const url = await current.serve(dataDir);
      const { metadata, items } = await list(url);
      const found = new Map(items.map((item) => [item.metadata.name, item]));
      for (const writer of writers) writer.check(found.get(writer.name));
      follower ??= new Follower(metadata.resourceVersion);
      await follower.open(url);
      if (round === rounds) {
        // What comes after everything else has been seen when it is seen.
        const end = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'end' } };
        await send(agent, 'POST', `${url}${collection}`, end);
        const { events } = follower;
        await until('the end', () => events.at(-1)?.object.metadata.name === 'end');
        break;
      }
      standby.push(new CrashServer());
      const before = total(writers);
      const writing = writers.map((writer) => writer.run(url, found.get(writer.name)));
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 80));
      // On a busy machine nothing may have been written by then, and so nothing could be lost.
      await until('a write', () => total(writers) > before);
      await current.kill();
      await Promise.all(writing);
    }
    checkEvents(follower as Follower, writers);
  } finally {
    follower?.close();
    await current?.kill();
    for (const each of standby) await each.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 600_000);

/** Every acknowledged write was seen once, in order, and nothing that was never sent. */
function checkEvents(follower: Follower, writers: readonly Writer[]): void {
  let version = 0;
  const seen = new Map(writers.map((writer) => [writer.name, [] as string[]]));
  for (const { type, object } of follower.events) {
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(version);
    version = Number(object.metadata.resourceVersion);
    const own = seen.get(object.metadata.name);
    if (own === undefined) continue;
    expect(object.data.fill).toBe(fill(Number(object.data.sequence)));
    // A removal shows the state before it.
    own.push(type === 'DELETED' ? `-${object.data.sequence}` : String(object.data.sequence));
  }
  for (const writer of writers) {
    const own = seen.get(writer.name) as string[];
    expect(new Set(own).size, `${writer.name} has duplicates`).toBe(own.length);
    const writes = own.filter((each) => !each.startsWith('-')).map(Number);
    expect(writes).toEqual([...writes].sort((a, b) => a - b));
    for (const sequence of writes) expect(writer.sent.has(sequence)).toBe(true);
    const inEvents = new Set(writes);
    for (const { sequence, isRemoval } of writer.acknowledged) {
      if (!isRemoval) expect(inEvents.has(sequence), `${writer.name} ${sequence}`).toBe(true);
    }
    const removals = own.filter((each) => each.startsWith('-')).length;
    const acknowledged = writer.acknowledged.filter((each) => each.isRemoval).length;
    expect(removals).toBeGreaterThanOrEqual(acknowledged);
  }
  expect(total(writers)).toBeGreaterThanOrEqual(rounds);
}
