import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { type CoreEvent, kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestedAtAnnotation } from '../api/annotations.ts';
import type { NotificationEvent } from '../api/notification-event.ts';
import {
  type AlertSpec,
  alertKind,
  type ProviderSpec,
  providerKind,
  type ReceiverSpec,
  receiverKind,
} from '../api/notification-objects.ts';
import { gitRepositoryKind } from '../api/source-objects.ts';
import { GitOpsControllers, type GitOpsControllersOptions } from '../gitops-controllers.ts';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';
import { ToldServer } from '../testing/told-server.ts';

let cluster: TestCluster;
let server: ToldServer;
let controllers: GitOpsControllers;
let directory: string;
let stop: AbortController;
let running: Promise<void>;
let errors: string[];

async function run(options: Partial<GitOpsControllersOptions> = {}): Promise<void> {
  stop = new AbortController();
  controllers = new GitOpsControllers({
    client: cluster.client,
    storageDirectory: directory,
    eventsListen: {},
    receiversListen: {},
    onError: (error) => errors.push(String(error)),
    ...options,
  });
  running = controllers.run(stop.signal);
  const { eventsUrl } = options;
  await cluster.until(
    () => controllers.notifications.receiverServer?.port,
    (port) => port !== undefined,
  );
  if (eventsUrl === undefined)
    await cluster.until(
      () => controllers.notifications.eventServer?.port,
      (port) => port !== undefined,
    );
}

beforeEach(async () => {
  errors = [];
  cluster = await startTestCluster(await startTestServer());
  server = await ToldServer.start();
  directory = mkdtempSync(join(tmpdir(), 'waygate-notifications-'));
  await cluster.client.resource(kinds.Namespace).create({ metadata: { name: 'other' } });
});

afterEach(async () => {
  stop.abort();
  await running;
  await server[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
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

async function createSecret(name: string, data: Record<string, string>, namespace = 'default') {
  await cluster.client.resource(kinds.Secret).create({
    metadata: { name, namespace },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
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
  const { port } = controllers.notifications.eventServer ?? {};
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
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
    await run();
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
    await run();
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
    await run();
    await createSecret('hook', { address: `${server.url}/T0/S3CRET-PATH`, token: 'S3CRET' });
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
    expect(errors.join('\n')).not.toContain('S3CRET');
  });

  test('with cross-namespace references off an Alert hears of its own namespace only', async () => {
    await run({ noCrossNamespaceRefs: true });
    await createProvider();
    const eventSources = [source, { ...source, namespace: 'other' }];
    await createAlert('all', { eventSources });
    await untilSettled();
    expect(await post(eventOf('of another', 'other'))).toBe(202);
    expect(await post(eventOf('own'))).toBe(202);
    await untilTold(['own']);
    expect(errors.join('\n')).toContain('cross-namespace');
  });

  test('events of the own controllers come by themselves, and not if they go elsewhere', async () => {
    await run();
    await createProvider();
    await createAlert('all', { eventSources: [{ kind: 'GitRepository', name: 'src' }] });
    await untilWatched();
    await createSource();
    const told = await cluster.until(messages, (list) => list.length > 0);
    expect(told[0]).toContain('git');
    stop.abort();
    await running;
    server.told.length = 0;
    // Now all events go to an address: it is the one that tells them.
    await using elsewhere = await ToldServer.start();
    await run({ eventsUrl: elsewhere.url });
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
    await run();
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

async function createSource(): Promise<void> {
  await cluster.client.resource(gitRepositoryKind).create({
    metadata: { name: 'src', namespace: 'default' },
    spec: { url: 'https://127.0.0.1:1/nothing.git', interval: '1h' },
  });
}

describe('Receivers', () => {
  const resources = [{ kind: 'GitRepository', name: 'src' }];

  async function createReceiver(spec: Partial<ReceiverSpec> = {}, name = 'hook'): Promise<string> {
    await cluster.client.resource(receiverKind).create({
      metadata: { name, namespace: 'default' },
      spec: { type: 'generic-hmac', secretRef: { name: 'token' }, resources, ...spec },
    });
    const { status } = await cluster.until(
      () => cluster.client.resource(receiverKind).get(name, { namespace: 'default' }),
      (one) => one.status?.conditions?.some(({ type }) => type === 'Ready') === true,
    );
    return status?.webhookPath ?? '';
  }

  async function hook(path: string, body: string, headers: Record<string, string> = {}) {
    const { port } = controllers.notifications.receiverServer ?? {};
    const init = { method: 'POST', body, headers };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { code: response.status, text: await response.text() };
  }

  const signed = (body: string, token = 'tok') => ({
    'content-type': 'application/json',
    'x-signature': `sha256=${createHmac('sha256', token).update(body).digest('hex')}`,
  });
  const requestedAt = async (namespace = 'default') => {
    const { metadata } = await cluster.client.resource(gitRepositoryKind).get('src', { namespace });
    return metadata.annotations?.[requestedAtAnnotation];
  };

  test('who proves itself has the source looked at, time and again; others have not', async () => {
    await run();
    await createSource();
    await createSecret('token', { token: 'tok' });
    const path = await createReceiver();
    expect(path).toMatch(/^\/hook\/[0-9a-f]{64}$/);
    await cluster.until(
      async () => (await hook(path, '{}', signed('{}', 'wrong'))).code,
      (code) => code === 400,
    );
    expect((await hook(path, '{}')).code).toBe(400);
    expect((await hook(`${path}?x=1`, '{}', signed('{}'))).code).toBe(404);
    expect((await hook('/hook/none', '{}', signed('{}'))).code).toBe(404);
    expect(await requestedAt()).toBeUndefined();
    expect((await hook(path, '{}', signed('{}'))).code).toBe(200);
    const first = await requestedAt();
    expect(first).toBeDefined();
    await cluster.until(
      async () => {
        expect((await hook(path, '{}', signed('{}'))).code).toBe(200);
        return requestedAt();
      },
      (second) => second !== first,
    );
    // And the source did what was asked.
    await cluster.until(
      () => cluster.client.resource(gitRepositoryKind).get('src', { namespace: 'default' }),
      ({ status }) => status?.lastHandledReconcileAt !== undefined,
    );
    const long = 'x'.repeat(3 * 1024 * 1024 + 1);
    expect((await hook(path, long, signed(long))).code).toBe(413);
  });

  test('a Secret that is not there yet, and one that changes', async () => {
    await run();
    await createSource();
    expect(await createReceiver()).toBe('');
    const resource = cluster.client.resource(receiverKind);
    const { status } = await resource.get('hook', { namespace: 'default' });
    expect(status?.conditions).toMatchObject([
      { type: 'Reconciling', reason: 'ProgressingWithRetry' },
      { type: 'Ready', status: 'False', reason: 'TokenNotFound' },
    ]);
    const secrets = cluster.client.resource(kinds.Secret);
    await secrets.create({
      metadata: {
        name: 'token',
        namespace: 'default',
        labels: { 'reconcile.fluxcd.io/watch': 'Enabled' },
      },
      data: { token: btoa('tok') },
    });
    const pathOf = async () =>
      (await resource.get('hook', { namespace: 'default' })).status?.webhookPath ?? '';
    const first = await cluster.until(pathOf, (path) => path !== '');
    await secrets.patch('token', { data: { token: btoa('new') } }, { namespace: 'default' });
    const second = await cluster.until(pathOf, (path) => path !== first);
    expect((await hook(second, '{}', signed('{}', 'new'))).code).toBe(200);
    expect((await hook(first, '{}', signed('{}', 'tok'))).code).toBe(404);
  });

  test('filters choose by what was posted; failures are told and the rest is done', async () => {
    await run();
    await createSource();
    await createSecret('token', { token: 'tok' });
    const path = await createReceiver({
      resources: [
        { kind: 'GitRepository', name: 'missing' },
        { kind: 'GitRepository', name: 'src', filter: "req.body.ref == 'main'" },
      ],
    });
    const body = (ref: string) => JSON.stringify({ ref });
    await cluster.until(
      async () => (await hook(path, body('dev'), signed(body('dev')))).code,
      (code) => code === 500,
    );
    expect(await requestedAt()).toBeUndefined();
    expect((await hook(path, body('main'), signed(body('main')))).code).toBe(500);
    expect(await requestedAt()).toBeDefined();
    expect(errors.join('\n')).toContain('missing');
  });

  test('what cannot be served is stalled, and a suspended one answers 503', async () => {
    await run();
    await createSecret('token', { token: 'tok' });
    await createReceiver({ resourceFilter: '(' }, 'wrong');
    const resource = cluster.client.resource(receiverKind);
    const wrong = await resource.get('wrong', { namespace: 'default' });
    expect(wrong.status?.conditions).toMatchObject([
      { type: 'Stalled', status: 'True', reason: 'InvalidCELExpression' },
      { type: 'Ready', status: 'False', reason: 'InvalidCELExpression' },
    ]);
    const path = await createReceiver({ type: 'generic' }, 'quiet');
    await resource.patch('quiet', { spec: { suspend: true } }, { namespace: 'default' });
    await cluster.until(
      async () => (await hook(path, '')).code,
      (code) => code === 503,
    );
  });
});
