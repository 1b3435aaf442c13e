import { KubeError } from '@waygate/kube';
import type { Lease } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { toMicroTime } from '../time/micro-time.ts';
import { LeaderElector } from './leader-election.ts';
import type { LeaderElectorOptions } from './leader-election-options.ts';
import { leaseSpecToRecord, rawRecord } from './leader-election-record.ts';
import { type LeaseClient, LeaseLock } from './lease-lock.ts';

/** One Lease with optimistic concurrency; `before` may delay or refuse a call, `after` its answer. */
class LeaseStore implements LeaseClient {
  lease: Lease | undefined;
  writes: Lease[] = [];
  before: (verb: string) => Promise<void> = async () => {};
  after: (verb: string) => Promise<void> = async () => {};
  #version = 0;

  async get(): Promise<Lease> {
    await this.before('get');
    if (this.lease === undefined) throw statusError(404);
    return structuredClone(this.lease);
  }

  async create(lease: Lease): Promise<Lease> {
    await this.before('create');
    if (this.lease !== undefined) throw statusError(409);
    return this.#store('create', lease);
  }

  async update(lease: Lease): Promise<Lease> {
    await this.before('update');
    if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion)
      throw statusError(409);
    return this.#store('update', lease);
  }

  put(lease: Lease): void {
    this.lease = {
      ...lease,
      metadata: { ...lease.metadata, resourceVersion: `${++this.#version}` },
    };
  }

  get holder(): string | null | undefined {
    return this.lease?.spec?.holderIdentity;
  }

  async #store(verb: string, lease: Lease): Promise<Lease> {
    this.put(lease);
    const stored = structuredClone(this.lease!);
    this.writes.push(stored);
    await this.after(verb);
    return stored;
  }
}

/** One that tells of each change. */
class FollowedStore extends LeaseStore {
  readonly #told = new Set<() => void>();
  follow = async (
    _namespace: string,
    _name: string,
    onChange: () => void,
    signal: AbortSignal,
  ): Promise<void> => {
    this.#told.add(onChange);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#told.delete(onChange);
  };

  get followers(): number {
    return this.#told.size;
  }

  override put(lease: Lease): void {
    super.put(lease);
    for (const tell of this.#told) tell();
  }
}

function statusError(statusCode: number): KubeError {
  return new KubeError('WG_KUBE_API', `status ${statusCode}`, { statusCode });
}

function candidate(
  clock: FakeClock,
  client: LeaseClient,
  identity: string,
  more: Partial<LeaderElectorOptions> = {},
) {
  const told: string[] = [];
  const errors: unknown[] = [];
  const elector = new LeaderElector({
    clock,
    random: () => 0,
    lock: new LeaseLock({ client, namespace: 'default', name: 'lock', identity }),
    onError: (error) => errors.push(error),
    callbacks: {
      onStartedLeading: (signal) =>
        new Promise((resolve) => {
          told.push('started');
          signal.addEventListener('abort', () => {
            told.push('work ended');
            resolve();
          });
        }),
      onStoppedLeading: () => told.push('stopped'),
      onNewLeader: (leader) => told.push(`leader ${leader}`),
    },
    ...more,
  });
  return { elector, told, errors };
}

describe('LeaderElector', () => {
  test('leads, renews every retry period, and gives the lock back after its work ended', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector, told } = candidate(clock, store, 'a', { releaseOnCancel: true });
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    await clock.advance(10_000);
    expect(store.writes).toHaveLength(6);
    stop.abort();
    await clock.settle();
    await running;
    expect(told).toEqual(['leader a', 'started', 'work ended', 'leader ', 'stopped']);
    expect(store.holder).toBe('');
    expect(clock.timerCount).toBe(0);
  });

  test('the next candidate takes over when the leader stops renewing, not before', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    store.put({
      metadata: { name: 'lock' },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, leaseTransitions: 3 },
    });
    const { elector } = candidate(clock, store, 'b');
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    await clock.advance(14_999);
    expect(store.holder).toBe('dead');
    await clock.advance(1);
    expect(store.holder).toBe('b');
    expect(store.lease?.spec?.leaseTransitions).toBe(4);
    stop.abort();
    await clock.settle();
    await running;
  });

  test('who is told of renewals is late by one lease at most, however seldom it looks', async () => {
    const clock = new FakeClock();
    const store = new FollowedStore();
    const renew = (second: number, holderIdentity = 'old') =>
      store.put({
        metadata: { name: 'lock' },
        spec: {
          holderIdentity,
          leaseDurationSeconds: 15,
          renewTime: toMicroTime(second * 1000),
        },
      });
    renew(0);
    const { elector } = candidate(clock, store, 'b', { random: () => 0.99 });
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    for (let second = 1; second <= 20; second++) {
      await clock.advance(1_000);
      renew(second);
    }
    // It ends right after it renewed: nobody could tell sooner.
    await clock.advance(14_999);
    expect(store.holder).toBe('old');
    await clock.advance(1);
    expect(store.holder).toBe('b');
    stop.abort();
    await clock.settle();
    await running;
    expect(store.followers).toBe(0);
  });

  test('a lock that is given back is taken at once by who is told', async () => {
    const clock = new FakeClock();
    const store = new FollowedStore();
    const stops = [new AbortController(), new AbortController()];
    const running = ['a', 'b'].map((identity, index) =>
      candidate(clock, store, identity, { releaseOnCancel: true }).elector.run(
        stops[index]!.signal,
      ),
    );
    await clock.advance(5_001);
    expect(store.holder).toBe('a');
    // Who waits follows it as long as it waits; who leads no longer does.
    expect(store.followers).toBe(1);
    stops[0]!.abort();
    await clock.settle();
    expect(store.holder).toBe('b');
    expect(store.followers).toBe(0);
    stops[1]!.abort();
    await clock.settle();
    await Promise.all(running);
    expect(clock.timerCount).toBe(0);
  });

  test('who may not follow the lock is a candidate all the same', async () => {
    const clock = new FakeClock();
    const store = new FollowedStore();
    store.follow = async () => {
      throw statusError(403);
    };
    const { elector, errors } = candidate(clock, store, 'a');
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    await clock.advance(1_000);
    expect(store.holder).toBe('a');
    expect(errors).toHaveLength(1);
    stop.abort();
    await clock.settle();
    await running;
  });

  test('an unreachable API ends leadership at the renew deadline', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector, told, errors } = candidate(clock, store, 'a');
    const running = elector.run(new AbortController().signal);
    await clock.settle();
    store.before = async () => {
      throw new KubeError('WG_KUBE_CONNECTION', 'refused');
    };
    await clock.advance(11_999);
    expect(told).not.toContain('work ended');
    await clock.advance(1);
    await running;
    expect(told).toEqual(['leader a', 'started', 'work ended', 'stopped']);
    expect(errors.at(-1)).toMatchObject({ code: 'WG_RUNTIME_LEADERSHIP_LOST' });
    expect(clock.timerCount).toBe(0);
  });

  test('a call that never answers does not hold leadership past its deadline', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector, told } = candidate(clock, store, 'a');
    const running = elector.run(new AbortController().signal);
    await clock.settle();
    store.before = () => new Promise(() => {});
    await clock.advance(12_000);
    await running;
    expect(told.at(-1)).toBe('stopped');
  });

  test('the lease counts from when its renewal was sent, however late the answer comes', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector, told } = candidate(clock, store, 'a');
    const running = elector.run(new AbortController().signal);
    await clock.settle();
    store.after = async () => {
      await clock.sleep(9_000);
    };
    await clock.advance(11_000); // sent at 2 s, stored at once, answered at 11 s
    store.before = () => new Promise(() => {});
    await clock.advance(5_999);
    expect(told).not.toContain('work ended');
    await clock.advance(1); // 2 s + 15 s
    await running;
    expect(told).toContain('work ended');
  });

  test('a leader that finds somebody else in the record stops at once', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector, told } = candidate(clock, store, 'a');
    const running = elector.run(new AbortController().signal);
    await clock.advance(1_000);
    store.put({
      metadata: { name: 'lock' },
      spec: { holderIdentity: 'b', leaseDurationSeconds: 15 },
    });
    await clock.advance(1_000);
    await running;
    expect(told).toEqual(['leader a', 'started', 'leader b', 'work ended', 'stopped']);
  });

  test('a process that stood still longer than its lease does not go on leading', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector, told } = candidate(clock, store, 'a');
    const running = elector.run(new AbortController().signal);
    await clock.settle();
    const writes = store.writes.length;
    await clock.leap(20_000);
    await running;
    expect(told).toContain('work ended');
    expect(store.writes).toHaveLength(writes);
  });

  test('each renewal is visible to others, also after the wall clock was set back', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const store = new LeaseStore();
    const { elector } = candidate(clock, store, 'a');
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    for (const jumpMs of [0, -2_000, -4_000, -3_600_000, 500]) {
      clock.jumpWallClock(jumpMs);
      await clock.advance(2_000);
    }
    const readings = store.writes.map(({ spec }) => rawRecord(leaseSpecToRecord(spec)));
    expect(readings.length).toBeGreaterThan(5);
    expect(new Set(readings).size).toBe(readings.length);
    stop.abort();
    await clock.settle();
    await running;
  });

  test('renewing several times a second never writes a time that is yet to come', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const store = new LeaseStore();
    const { elector, told } = candidate(clock, store, 'a', { retryPeriodMs: 200 });
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    await clock.advance(60_000);
    expect(store.writes).toHaveLength(301);
    expect(Date.parse(store.lease!.spec!.renewTime!)).toBe(clock.now());
    expect(told).toEqual(['leader a', 'started']);
    stop.abort();
    await clock.settle();
    await running;
  });

  test('renewals within one second look like one to others, and count as one', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const store = new LeaseStore();
    const timing = { leaseDurationMs: 2_000, renewDeadlineMs: 1_500, retryPeriodMs: 200 };
    const { elector, told } = candidate(clock, store, 'a', timing);
    const running = elector.run(new AbortController().signal);
    await clock.advance(900); // the last renewal is of 800 ms, in the same second as the first
    store.before = () => new Promise(() => {});
    await clock.advance(1_099);
    expect(told).not.toContain('work ended');
    await clock.advance(1);
    await running;
    expect(told).toContain('work ended');
  });

  test('work that throws ends the election with its error and frees the lock', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const told: string[] = [];
    const { elector } = candidate(clock, store, 'a', {
      releaseOnCancel: true,
      callbacks: {
        onStartedLeading: async () => {
          throw new Error('broken');
        },
        onStoppedLeading: () => told.push('stopped'),
      },
    });
    await expect(elector.run(new AbortController().signal)).rejects.toThrow('broken');
    expect(told).toEqual(['stopped']);
    expect(store.holder).toBe('');
  });

  test('work that does not end keeps the lock until it runs out', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector } = candidate(clock, store, 'a', {
      releaseOnCancel: true,
      callbacks: { onStartedLeading: () => new Promise(() => {}), onStoppedLeading: () => {} },
    });
    const stop = new AbortController();
    const running = elector.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(15_000);
    await running;
    expect(store.holder).toBe('a');
  });

  test('a release never pushes out somebody who took over', async () => {
    const clock = new FakeClock();
    const store = new LeaseStore();
    const { elector } = candidate(clock, store, 'a');
    expect(await elector.tryAcquireOrRenew()).toBe(true);
    store.put({ metadata: { name: 'lock' }, spec: { holderIdentity: 'b' } });
    expect(await elector.release()).toBe(true);
    expect(store.holder).toBe('b');
  });
});

test.each([
  [0, '1970-01-01T00:00:00.000000Z'],
  [1675245600123.456, '2023-02-01T10:00:00.123456Z'],
])('%d ms is the MicroTime %s', (ms, text) => {
  expect(toMicroTime(ms)).toBe(text);
});
