import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { FakeClock } from '@waygate/runtime';
import { type DynamicObject, kinds } from '@waygate/schema';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ManagedObjects } from './managed-objects.ts';
import { objectIdOf } from './object-id.ts';

let server: TestServer;
let client: KubeClient;
let namespace: string;
let clock: FakeClock;
let stop: AbortController;
let managed: ManagedObjects;
let running: Promise<void>;
let drifted: string[];
let changed: string[];

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

beforeEach(async () => {
  namespace = await server.namespace();
  clock = new FakeClock();
  stop = new AbortController();
  drifted = [];
  changed = [];
  managed = new ManagedObjects({
    client,
    nameLabel: 'owner',
    namespaceLabel: 'owner-namespace',
    onDrift: (owner, { name }) => drifted.push(`${owner}: ${name}`),
    onChange: (owner) => changed.push(owner),
    clock,
  });
  running = managed.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await running;
});

/** The watch is over a socket: how long it takes is not what is tested. */
const until = (holds: () => void) => vi.waitFor(holds, { timeout: 30_000 });

const configMaps = () => client.resource(kinds.ConfigMap);

/** A ConfigMap of ours in the API, made known as applied with what was asked for. */
async function applied(name: string, owner = 'shop'): Promise<DynamicObject> {
  const live = (await configMaps().create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { owner, 'owner-namespace': 'flux' } },
    data: { k: '1' },
  })) as unknown as DynamicObject;
  managed.noteApplied(objectIdOf(live), 'v1', 'asked', live);
  await until(() => expect(isAsApplied(live)).toBe(true));
  return live;
}

const isAsApplied = (live: DynamicObject, desired = 'asked') =>
  managed.isAsApplied(objectIdOf(live), 'v1', desired);

const patch = (name: string, body: object) => configMaps().patch(name, body, { namespace });

/** Somebody changes an object, and the watch has told of it. */
async function edit(live: DynamicObject, k: string): Promise<void> {
  const before = changed.length;
  await patch(live.metadata.name ?? '', { data: { k } });
  await until(() => expect(changed.length).toBeGreaterThan(before));
}

describe('an object that was applied', () => {
  test('is as applied until something else is asked for, or somebody changes it', async () => {
    const live = await applied('a');
    expect(isAsApplied(live, 'other')).toBe(false);
    expect(managed.isAsApplied({ ...objectIdOf(live), name: 'b' }, 'v1', 'asked')).toBe(false);
    expect(managed.isAsApplied(objectIdOf(live), 'v2', 'asked')).toBe(false);
    await edit(live, '2');
    expect(isAsApplied(live)).toBe(false);
  });

  test('has drifted when it stays different for a moment', async () => {
    const live = await applied('a');
    await edit(live, '2');
    await clock.advance(299);
    expect(drifted).toEqual([]);
    await clock.advance(1);
    expect(drifted).toEqual(['flux/shop: a']);
  });

  test('has not when it was only our own change, known a little late', async () => {
    const live = await applied('a');
    await edit(live, '2');
    const now = (await configMaps().get('a', { namespace })) as unknown as DynamicObject;
    managed.noteApplied(objectIdOf(live), 'v1', 'asked anew', now);
    await clock.advance(10_000);
    expect(drifted).toEqual([]);
    expect(isAsApplied(live, 'asked anew')).toBe(true);
  });

  test('is corrected less and less often when somebody fights for it, and at once after a calm', async () => {
    const live = await applied('a');
    for (const [round, patience] of [300, 600, 1200].entries()) {
      await edit(live, `round ${round}`);
      await clock.advance(patience - 1);
      expect(drifted).toHaveLength(round);
      await clock.advance(1);
      expect(drifted).toHaveLength(round + 1);
    }
    await clock.advance(300_001);
    await edit(live, 'after the calm');
    await clock.advance(300);
    expect(drifted).toHaveLength(4);
  });

  test('that is deleted has drifted at once, unless we said that it would be', async () => {
    const [ours, theirs] = [await applied('ours'), await applied('theirs')];
    managed.noteDeleted(objectIdOf(ours));
    await configMaps().delete('ours', { namespace });
    await configMaps().delete('theirs', { namespace });
    await until(() => expect(drifted).toEqual(['flux/shop: theirs']));
    expect(isAsApplied(ours)).toBe(false);
    expect(isAsApplied(theirs)).toBe(false);
  });

  test('that went over to another owner is his', async () => {
    const live = await applied('a');
    const before = changed.length;
    await patch('a', { metadata: { labels: { owner: 'other' } } });
    await until(() => expect(changed.length).toBeGreaterThan(before));
    await clock.advance(10_000);
    expect(drifted).toEqual([]);
    expect(changed).toContain('flux/other');
    expect(live.metadata.labels).toMatchObject({ owner: 'shop' });
  });

  test('is nobody’s concern without the labels of an owner', async () => {
    const live = (await configMaps().create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'plain', namespace, labels: { owner: 'shop' } },
    })) as unknown as DynamicObject;
    await applied('followed');
    managed.noteApplied(objectIdOf(live), 'v1', 'asked', live);
    expect(isAsApplied(live)).toBe(false);
    await patch('plain', { data: { k: '2' } });
    await edit(
      (await configMaps().get('followed', { namespace })) as unknown as DynamicObject,
      '2',
    );
    await clock.advance(10_000);
    expect(drifted).toEqual(['flux/shop: followed']);
  });

  test('is not told of when all has ended', async () => {
    const live = await applied('a');
    await edit(live, '2');
    stop.abort();
    await running;
    await clock.advance(10_000);
    expect(drifted).toEqual([]);
  });
});
