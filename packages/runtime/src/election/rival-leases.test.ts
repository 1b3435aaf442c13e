import { startTestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { type Rival, RivalLeases, type RivalLeasesOptions } from './rival-leases.ts';

const names = new Map([
  ['kustomize-controller-leader-election', 'kustomize'],
  ['source-controller-leader-election', 'source'],
] as const);

async function start(options: Partial<RivalLeasesOptions<'kustomize' | 'source'>> = {}) {
  const server = await startTestServer();
  const config = {
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  };
  const client = new KubeClient(config);
  const clock = new FakeClock(Date.parse('2026-01-02T03:04:05Z'));
  const stop = new AbortController();
  const changes: [string, string | undefined][] = [];
  const rivals = new RivalLeases<'kustomize' | 'source'>({
    client,
    names,
    clock,
    onChange: (part: string, rival: Rival | undefined) => changes.push([part, rival?.holder]),
    ...options,
  });
  const leases = client.resource(kinds.Lease);
  const hold = async (name: string, holderIdentity: string, at = clock.now()) => {
    const renewTime = new Date(at).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity, leaseDurationSeconds: 35, renewTime };
    try {
      await leases.create({ metadata: { name, namespace: 'default' }, spec });
    } catch {
      await leases.patch(name, { spec }, { namespace: 'default' });
    }
  };
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    running = rivals.run(stop.signal);
    expect(await rivals.waitForSync(stop.signal)).toBe(true);
  };
  onTestFinished(async () => {
    stop.abort();
    await running;
    await client.close();
    await server.stop();
  });
  return { client, clock, rivals, changes, hold, run };
}

const lease = 'kustomize-controller-leader-election';

describe('others who act', () => {
  test('who holds the Lease is known before anything starts, and of which part it is', async () => {
    const { rivals, hold, run } = await start();
    await hold(lease, 'pod-1');
    await hold('some-other-lease', 'pod-2');
    await run();
    expect(rivals.of('kustomize')).toEqual({ lease: `default/${lease}`, holder: 'pod-1' });
    expect(rivals.of('source')).toBeUndefined();
  });

  test('who gives it up is gone at once, and may come back', async () => {
    const { rivals, changes, hold, run } = await start();
    await hold(lease, 'pod-1');
    await run();
    await hold(lease, '');
    await vi.waitFor(() => expect(rivals.of('kustomize')).toBeUndefined(), patience);
    await hold(lease, 'pod-2');
    await vi.waitFor(() => expect(rivals.of('kustomize')?.holder).toBe('pod-2'), patience);
    expect(changes).toEqual([
      ['kustomize', 'pod-1'],
      ['kustomize', undefined],
      ['kustomize', 'pod-2'],
    ]);
  });

  test('who stops renewing is gone when its time is over, and who renews stays', async () => {
    const { rivals, clock, changes, hold, run } = await start();
    await hold(lease, 'pod-1');
    await run();
    await clock.advance(30_000);
    await hold(lease, 'pod-1');
    await vi.waitFor(async () => {
      // It is past the first 40 seconds, and was renewed since.
      await clock.advance(1_000);
      expect(clock.monotonicMs()).toBeGreaterThan(0);
      expect(rivals.of('kustomize')).toBeDefined();
    }, patience);
    await clock.advance(60_000);
    await vi.waitFor(() => expect(rivals.of('kustomize')).toBeUndefined(), patience);
    expect(changes.at(-1)).toEqual(['kustomize', undefined]);
  });

  test('an old Lease that nobody renews is nobody’s; a deleted one too', async () => {
    const { rivals, clock, client, hold, run } = await start();
    await hold(lease, 'pod-1', clock.now() - 60_000);
    await hold('source-controller-leader-election', 'pod-3');
    await run();
    expect(rivals.of('kustomize')).toBeUndefined();
    await client
      .resource(kinds.Lease)
      .delete('source-controller-leader-election', { namespace: 'default' });
    await vi.waitFor(() => expect(rivals.of('source')).toBeUndefined(), patience);
  });

  test('our own Lease, and one of somebody who acts elsewhere, do not count', async () => {
    const { rivals, hold, run } = await start({
      isOwn: ({ spec }) => spec?.holderIdentity === 'us',
      isRival: async ({ spec }) => spec?.holderIdentity !== 'elsewhere',
    });
    await hold(lease, 'us');
    await hold('source-controller-leader-election', 'elsewhere');
    await run();
    expect([rivals.of('kustomize'), rivals.of('source')]).toEqual([undefined, undefined]);
  });
});
