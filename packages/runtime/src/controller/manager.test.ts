import { KubeError } from '@waygate/kube';
import type { Lease } from '@waygate/schema';
import { afterEach, describe, expect, test } from 'vitest';
import { type LeaseClient, LeaseLock } from '../election/lease-lock.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import type { Runnable } from './manager-stage.ts';
import { prometheusMetrics } from './metrics.ts';

/** Notes when it starts and stops; may take its time to do so. */
function part(log: string[], name: string, more: Partial<Runnable> = {}): Runnable {
  return {
    name,
    run: (signal) =>
      new Promise<void>((resolve) => {
        log.push(`+${name}`);
        signal.addEventListener('abort', () => {
          log.push(`-${name}`);
          resolve();
        });
      }),
    ...more,
  };
}

class LeaseStore implements LeaseClient {
  lease: Lease | undefined;
  isReachable = true;

  async get(): Promise<Lease> {
    this.#check();
    if (this.lease === undefined) throw new KubeError('WG_KUBE_API', 'none', { statusCode: 404 });
    return this.lease;
  }

  async create(lease: Lease): Promise<Lease> {
    return this.update(lease);
  }

  async update(lease: Lease): Promise<Lease> {
    this.#check();
    this.lease = lease;
    return lease;
  }

  #check(): void {
    if (!this.isReachable) throw new KubeError('WG_KUBE_CONNECTION', 'refused');
  }
}

function run(options: ManagerOptions = {}, parts: (manager: Manager, log: string[]) => void) {
  const clock = new FakeClock();
  const log: string[] = [];
  const manager = new Manager({ clock, ...options });
  parts(manager, log);
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  running.catch(() => {});
  return { clock, log, manager, stopping, running };
}

describe('Manager', () => {
  test('starts in order, waits for the caches, and stops in reverse', async () => {
    let fill = (_isFull: boolean) => {};
    const { clock, log, stopping, running } = run({}, (manager, log) => {
      manager.add(part(log, 'controller'));
      manager.add(part(log, 'everywhere', { needsLeaderElection: false }));
      manager.add(
        part(log, 'cache', {
          waitForSync: () =>
            new Promise((resolve) => {
              fill = resolve;
            }),
        }),
        'caches',
      );
      manager.add(part(log, 'recorder'), 'services');
    });
    await clock.settle();
    expect(log).toEqual(['+recorder', '+cache']);
    fill(true);
    await clock.settle();
    expect(log.slice(2)).toEqual(['+everywhere', '+controller']);
    stopping.abort();
    await clock.advance(20_000);
    await running;
    expect(log.slice(4)).toEqual(['-controller', '-everywhere', '-cache', '-recorder']);
    expect(clock.timerCount).toBe(0);
  });

  test('a part that fails takes the others down, and its error is the answer', async () => {
    const { clock, log, running } = run({}, (manager, log) => {
      manager.add(part(log, 'healthy'));
      manager.add({
        name: 'broken',
        run: async () => {
          throw new Error('out of luck');
        },
      });
    });
    await clock.settle();
    await expect(running).rejects.toThrow('out of luck');
    expect(log).toEqual(['+healthy', '-healthy']);
  });

  test('what does not stop in time is named', async () => {
    const { clock, stopping, running } = run({ gracefulShutdownMs: 5_000 }, (manager) => {
      manager.add({ name: 'stubborn', run: () => new Promise(() => {}) });
    });
    await clock.settle();
    stopping.abort();
    await clock.advance(5_000);
    await expect(running).rejects.toThrow(/5000 ms: stubborn/);
  });

  test('a cache that never fills ends the start', async () => {
    const { clock, running } = run({ cacheSyncTimeoutMs: 1_000 }, (manager, log) => {
      manager.add(part(log, 'cache', { waitForSync: () => new Promise(() => {}) }), 'caches');
    });
    await clock.advance(1_000);
    await expect(running).rejects.toMatchObject({ code: 'WG_RUNTIME_CACHE_SYNC' });
  });

  test('a part added to a running manager starts with its stage', async () => {
    const { clock, log, manager, stopping, running } = run({}, () => {});
    await clock.settle();
    manager.add(part(log, 'late'));
    expect(log).toEqual(['+late']);
    stopping.abort();
    await clock.settle();
    await running;
    expect(() => manager.add(part(log, 'too late'))).toThrow(/stops/);
  });

  test('leaders run once elected; the lease goes back after they have stopped', async () => {
    const store = new LeaseStore();
    store.lease = { metadata: {}, spec: { holderIdentity: 'other', leaseDurationSeconds: 15 } };
    const lock = new LeaseLock({ client: store, namespace: 'ns', name: 'lock', identity: 'me' });
    const metrics = prometheusMetrics();
    const status = async () =>
      (await metrics.registry.getSingleMetric('leader_election_master_status')?.get())?.values[0]
        ?.value;
    const { clock, log, manager, stopping, running } = run(
      { leaderElection: { lock, random: () => 0, metrics: metrics.leaderElection } },
      (manager, log) => {
        manager.add(part(log, 'everywhere', { needsLeaderElection: false }));
        manager.add({
          name: 'leader',
          run: async (signal) => {
            log.push('+leader');
            await clock.sleep(1_000_000, signal);
            await clock.sleep(3_000); // still at work, and so still the holder
            log.push(`-leader, ${store.lease?.spec?.holderIdentity} holds`);
          },
        });
      },
    );
    await clock.advance(10_000);
    expect(log).toEqual(['+everywhere']);
    expect(await status()).toBe(0);
    await clock.advance(10_000);
    await manager.elected;
    expect(await status()).toBe(1);
    expect(log).toEqual(['+everywhere', '+leader']);
    stopping.abort();
    await clock.advance(3_000);
    await running;
    expect(log.slice(2)).toEqual(['-leader, me holds', '-everywhere']);
    expect(store.lease?.spec?.holderIdentity).toBe('');
    expect(clock.timerCount).toBe(0);
  });

  test('who stands again loses only the lead, and may lead again', async () => {
    const store = new LeaseStore();
    const lock = new LeaseLock({ client: store, namespace: 'ns', name: 'lock', identity: 'me' });
    const { clock, log, stopping, running } = run(
      { leaderElection: { lock, standsAgain: true } },
      (manager, log) => {
        manager.add(part(log, 'everywhere', { needsLeaderElection: false }));
        manager.add({
          name: 'leader',
          run: async (signal) => {
            log.push('+leader');
            await clock.sleep(1_000_000, signal);
            await clock.sleep(20_000); // longer than the lease: nobody leads meanwhile
            log.push('-leader');
          },
        });
      },
    );
    await clock.settle();
    store.isReachable = false;
    await clock.advance(15_000);
    store.isReachable = true;
    await clock.advance(10_000);
    expect(log).toEqual(['+everywhere', '+leader']);
    await clock.advance(10_000);
    expect(log[2]).toBe('-leader');
    await clock.advance(60_000);
    expect(log.slice(3)).toEqual(['+leader']);
    stopping.abort();
    await clock.advance(20_000);
    await running;
    expect(log.slice(4)).toEqual(['-leader', '-everywhere']);
    expect(clock.timerCount).toBe(0);
  });

  test('who stands again does not lead while something of the last time still acts', async () => {
    const store = new LeaseStore();
    const lock = new LeaseLock({ client: store, namespace: 'ns', name: 'lock', identity: 'me' });
    const { clock, running } = run({ leaderElection: { lock, standsAgain: true } }, (manager) =>
      manager.add({ name: 'stuck', run: () => new Promise(() => {}) }),
    );
    await clock.settle();
    store.isReachable = false;
    await clock.advance(120_000);
    await expect(running).rejects.toMatchObject({ code: 'WG_RUNTIME_STOP_TIMEOUT' });
  });

  test('lost leadership stops everything with an error', async () => {
    const store = new LeaseStore();
    const lock = new LeaseLock({ client: store, namespace: 'ns', name: 'lock', identity: 'me' });
    const { clock, log, running } = run({ leaderElection: { lock } }, (manager, log) => {
      manager.add(part(log, 'leader'));
    });
    await clock.settle();
    expect(log).toEqual(['+leader']);
    store.isReachable = false;
    await clock.advance(30_000);
    await expect(running).rejects.toMatchObject({ code: 'WG_RUNTIME_LEADERSHIP_LOST' });
    expect(log).toEqual(['+leader', '-leader']);
    expect(clock.timerCount).toBe(0);
  });
});

describe('health and metrics over HTTP', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function serving() {
    const metrics = prometheusMetrics();
    const failures: string[] = [];
    const clock = new FakeClock();
    const manager = new Manager({
      clock,
      server: {
        metrics: metrics.registry,
        onFailure: (name, error) => failures.push(`${name}: ${(error as Error).message}`),
      },
    });
    const stopping = new AbortController();
    const isListening = new Promise<void>((resolve) => {
      manager.add(
        {
          name: 'probe',
          run: async (signal) => {
            resolve();
            await clock.sleep(1e9, signal);
          },
        },
        'services',
      );
    });
    const running = manager.run(stopping.signal);
    stops.push(async () => {
      stopping.abort();
      await running;
    });
    await isListening;
    await clock.settle();
    const get = async (path: string, init?: RequestInit) => {
      const response = await fetch(`http://127.0.0.1:${manager.address!.port}${path}`, init);
      return { status: response.status, text: await response.text() };
    };
    return { manager, metrics, get, failures };
  }

  test('answers as Kubernetes does, and keeps the reason to itself', async () => {
    const { manager, get, failures } = await serving();
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok' });
    expect(await get('/readyz?verbose')).toEqual({
      status: 200,
      text: '[+]caches ok\nreadyz check passed\n',
    });
    manager.addReadyCheck('database', () => {
      throw new Error('password hunter2 was refused');
    });
    expect(await get('/readyz')).toEqual({
      status: 500,
      text: '[+]caches ok\n[-]database failed: reason withheld\nreadyz check failed\n',
    });
    expect(failures).toEqual(['database: password hunter2 was refused']);
    expect(await get('/readyz?exclude=database')).toEqual({ status: 200, text: 'ok' });
    expect((await get('/readyz?verbose&exclude=database&exclude=x')).text).toBe(
      '[+]caches ok\n[+]database excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nreadyz check passed\n',
    );
    expect((await get('/readyz/database')).status).toBe(500);
    expect(await get('/readyz/caches')).toEqual({ status: 200, text: 'ok' });
    expect((await get('/readyz/nothing')).status).toBe(404);
    expect((await get('/')).status).toBe(404);
    expect((await get('//')).status).toBe(400);
    expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  });

  test('metrics carry the names that dashboards know', async () => {
    const { metrics, get } = await serving();
    metrics.controller.metricsOf('widget').reconciled('success', 0.1);
    metrics.leaderElection.leaderOn('lock');
    metrics.restClient.requested({ method: 'GET', host: 'api', statusCode: 200, durationMs: 1 });
    metrics.queue.metricsOf('widget').adds.increment();
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    for (const line of [
      'controller_runtime_reconcile_total{controller="widget",result="success"} 1',
      'controller_runtime_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="widget"} 1',
      'leader_election_master_status{name="lock"} 1',
      'rest_client_requests_total{code="200",method="GET",host="api"} 1',
    ])
      expect(text).toContain(line);
    expect(text).toMatch(/workqueue_adds_total\{name="widget".*\} 1/);
  });
});
