import { createHmac } from 'node:crypto';
import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestedAtAnnotation } from '../api/annotations.ts';
import { type ReceiverSpec, receiverKind } from '../api/notification-objects.ts';
import { gitRepositoryKind } from '../api/source-objects.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { NotificationStage } from '../testing/notification-stage.ts';

let stage: NotificationStage;
let cluster: TestCluster;

beforeEach(async () => {
  stage = await NotificationStage.start(await startTestServer());
  cluster = stage.cluster;
});

afterEach(() => stage[Symbol.asyncDispose]());

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
    const init = { method: 'POST', body, headers };
    const response = await fetch(`${stage.receiversUrl}${path}`, init);
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
    await stage.run();
    await stage.createSource();
    await stage.createSecret('token', { token: 'tok' });
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
    await stage.run();
    await stage.createSource();
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
    await stage.run();
    await stage.createSource();
    await stage.createSecret('token', { token: 'tok' });
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
    expect(stage.errors.join('\n')).toContain('missing');
  });

  test('what cannot be served is stalled, and a suspended one answers 503', async () => {
    await stage.run();
    await stage.createSecret('token', { token: 'tok' });
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
