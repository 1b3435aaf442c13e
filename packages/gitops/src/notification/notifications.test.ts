import { startTestServer } from '@waygate/apiserver';
import { type CoreEvent, kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../api/notification-event.ts';
import {
  type AlertSpec,
  alertKind,
  type ProviderSpec,
  providerKind,
} from '../api/notification-objects.ts';
import { gitRepositoryKind } from '../api/source-objects.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { NotificationStage } from '../testing/notification-stage.ts';
import { ToldServer } from '../testing/told-server.ts';

let stage: NotificationStage;
let cluster: TestCluster;
let server: ToldServer;

beforeEach(async () => {
  stage = await NotificationStage.start(await startTestServer());
  cluster = stage.cluster;
  server = await ToldServer.start();
});

afterEach(async () => {
  await stage.halt();
  await server[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const source = { kind: 'Kustomization', name: '*' };

async function createAlert(name: string, spec: Partial<AlertSpec> = {}, namespace = 'default') {
  await cluster.client.resource(alertKind).create({
    metadata: { name, namespace },
    spec: { providerRef: { name: 'hook' }, eventSources: [source], ...spec },
  });
}

async function createProvider(spec: Partial<ProviderSpec> = {}, namespace = 'default') {
  await cluster.client.resource(providerKind).create({
    metadata: { name: 'hook', namespace },
    spec: { type: 'generic', address: server.url, ...spec },
  });
}

const eventOf = (message: string, namespace = 'default'): NotificationEvent => ({
  involvedObject: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'apps',
    namespace,
  },
  severity: 'info',
  timestamp: '2026-01-02T03:04:05Z',
  message,
  reason: 'ReconciliationSucceeded',
  reportingController: 'kustomize-controller',
  reportingInstance: 'pod',
});

/** Posts as another controller does. */
async function post(event: unknown): Promise<number> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const response = await fetch(`${stage.eventsUrl}/`, { method: 'POST', body });
  await response.arrayBuffer();
  return response.status;
}

const allMessages = () => server.told.map(({ json }) => (json as NotificationEvent).message);
const messages = () => allMessages().filter((one) => !one.startsWith('settle'));
const untilTold = (wanted: readonly string[]) =>
  cluster.until(messages, (told) => JSON.stringify(told) === JSON.stringify(wanted));

/** The informer of Alerts and Providers has seen what was created. */
async function untilSettled(): Promise<void> {
  await cluster.until(
    async () => {
      await post(eventOf(`settle ${Math.random()}`));
      return allMessages().length;
    },
    (length) => length > 0,
  );
}

describe('Alerts and Providers', () => {
  test('an event comes to those who want it, once, and never to a neighbour', async () => {
    await stage.run();
    await createProvider();
    await createProvider({ address: `${server.url}/neighbour` }, 'other');
    await createAlert('all', { exclusionList: ['^skip'], eventMetadata: { env: 'prod' } });
    await createAlert('all', {}, 'other');
    await untilSettled();
    expect(await post(eventOf('one'))).toBe(202);
    expect(await post(eventOf('one'))).toBe(429);
    expect(await post(eventOf('skip this'))).toBe(202);
    expect(await post({ ...eventOf('two'), metadata: { 'other.group/x': 'y' } })).toBe(202);
    await untilTold(['one', 'two']);
    expect(new Set(server.told.map(({ path }) => path))).toEqual(new Set(['/']));
    expect(server.told.at(-1)?.json).toMatchObject({ metadata: { env: 'prod' } });
    // What is broken is told to who sent it, and stops nobody.
    expect(await post('{')).toBe(400);
    expect(await post({ involvedObject: {} })).toBe(400);
    expect(await post(' '.repeat(3 * 1024 * 1024 + 1))).toBe(413);
    await cluster.client
      .resource(alertKind)
      .patch('all', { spec: { exclusionList: ['^two'] } }, { namespace: 'default' });
    await cluster.until(
      async () => {
        await post(eventOf(`skip ${Math.random()}`));
        return messages().at(-1) ?? '';
      },
      (last) => last.startsWith('skip'),
    );
  });

  test('a provider that was away gets everything when it is back, once and in order', async () => {
    await stage.run();
    const { port } = server;
    await createProvider();
    await createAlert('all');
    await untilSettled();
    await server[Symbol.asyncDispose]();
    for (const message of ['one', 'two', 'three']) expect(await post(eventOf(message))).toBe(202);
    server = await ToldServer.start(port);
    // A change of the Provider ends the pause between tries.
    let turn = 0;
    await cluster.until(
      async () => {
        const patch = { spec: { username: `turn-${turn++}` } };
        await cluster.client.resource(providerKind).patch('hook', patch, { namespace: 'default' });
        return messages().length;
      },
      (length) => length >= 3,
    );
    expect(messages()).toEqual(['one', 'two', 'three']);
  });

  test('what is refused is told at the Alert, without the secret', async () => {
    await stage.run();
    await stage.createSecret('hook', { address: `${server.url}/T0/S3CRET-PATH`, token: 'S3CRET' });
    await createProvider({ type: 'slack', address: 'unused', secretRef: { name: 'hook' } });
    server.answer = () => ({ code: 403, json: { error: 'S3CRET' } });
    await createAlert('all');
    const told = await cluster.until(
      async () => {
        await post(eventOf(`again ${Math.random()}`));
        const list = await cluster.client.resource(kinds.Event).list({ namespace: 'default' });
        return (list.items as CoreEvent[]).filter(
          ({ reason }) => reason === 'NotificationDispatchFailed',
        );
      },
      (found) => found.length > 0,
    );
    expect(told[0]).toMatchObject({
      type: 'Warning',
      involvedObject: { kind: 'Alert', name: 'all' },
      message: expect.stringContaining('HTTP 403'),
    });
    expect(JSON.stringify(told)).not.toContain('S3CRET');
    expect(stage.errors.join('\n')).not.toContain('S3CRET');
  });

  test('with cross-namespace references off an Alert hears of its own namespace only', async () => {
    await stage.run({ noCrossNamespaceRefs: true });
    await createProvider();
    const eventSources = [source, { ...source, namespace: 'other' }];
    await createAlert('all', { eventSources });
    await untilSettled();
    expect(await post(eventOf('of another', 'other'))).toBe(202);
    expect(await post(eventOf('own'))).toBe(202);
    await untilTold(['own']);
    expect(stage.errors.join('\n')).toContain('cross-namespace');
  });

  test('events of the own controllers come by themselves, and not if they go elsewhere', async () => {
    await stage.run();
    await createProvider();
    await createAlert('all', { eventSources: [{ kind: 'GitRepository', name: 'src' }] });
    await untilWatched();
    await stage.createSource();
    const told = await cluster.until(messages, (list) => list.length > 0);
    expect(told[0]).toContain('git');
    await stage.halt();
    server.told.length = 0;
    // Now all events go to an address: it is the one that tells them.
    await using elsewhere = await ToldServer.start();
    await stage.run({ eventsUrl: elsewhere.url });
    await cluster.client
      .resource(gitRepositoryKind)
      .patch('src', { spec: { interval: '2h' } }, { namespace: 'default' });
    await cluster.until(
      () => elsewhere.told.length,
      (length) => length > 0,
    );
    expect(server.told).toEqual([]);
  });

  test('what Flux left to be released can be deleted', async () => {
    const finalizers = ['finalizers.fluxcd.io'];
    await cluster.client.resource(providerKind).create({
      metadata: { name: 'hook', namespace: 'default', finalizers },
      spec: { type: 'generic', address: server.url },
    });
    await stage.run();
    await cluster.client.resource(providerKind).delete('hook', { namespace: 'default' });
    await cluster.until(
      () => cluster.client.resource(providerKind).list({ namespace: 'default' }),
      ({ items }) => items.length === 0,
    );
  });
});

/** An Alert that is not seen yet would miss the first event of a source. */
async function untilWatched(): Promise<void> {
  await createAlert('probe');
  await untilSettled();
}
