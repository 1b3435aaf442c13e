import { createHmac } from 'node:crypto';
import { startTestServer } from '@waygate/apiserver';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requestedAtAnnotation } from '../api/annotations.ts';
import { type ReceiverSpec, receiverKind } from '../api/notification-objects.ts';
import { gitRepositoryKind } from '../api/source-objects.ts';
import { NotificationStage } from '../testing/notification-stage.ts';
import { TokenIssuer } from '../testing/token-issuer.ts';

// Receivers whose callers prove themselves by tokens of an issuer, which is asked over a socket.

let stage: NotificationStage;
let issuer: TokenIssuer;

beforeEach(async () => {
  stage = await NotificationStage.start(await startTestServer());
  issuer = await TokenIssuer.start();
  await stage.run({ googleIssuer: issuer.url });
  await stage.createSource();
});

afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

async function createReceiver(name: string, spec: Omit<ReceiverSpec, 'resources'>) {
  const receivers = stage.cluster.client.resource(receiverKind);
  const resources = [{ kind: 'GitRepository', name: 'src' }];
  const metadata = { name, namespace: 'default' };
  await receivers.create({ metadata, spec: { resources, ...spec } });
  return stage.cluster.until(
    () => receivers.get(name, { namespace: 'default' }),
    ({ status }) => status?.conditions?.some(({ type }) => type === 'Ready') === true,
  );
}

async function post(path: string | undefined, headers: Record<string, string>, body = '{}') {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  };
  const response = await fetch(`${stage.receiversUrl}${path}`, init);
  return { code: response.status, text: await response.text() };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The server hears of a Receiver a little after this test does. */
const served = (path: string | undefined) =>
  stage.cluster.until(
    async () => (await post(path, {})).code,
    (code) => code === 400,
  );

async function requestedAt(): Promise<string | undefined> {
  const sources = stage.cluster.client.resource(gitRepositoryKind);
  const { metadata } = await sources.get('src', { namespace: 'default' });
  return metadata.annotations?.[requestedAtAnnotation];
}

test('a token wakes what its claims are for, and a slow issuer delays no neighbour', async () => {
  const { status } = await createReceiver('oidc', {
    type: 'generic-oidc',
    oidcProviders: [
      {
        issuerURL: issuer.url,
        validations: [{ expression: "claims.owner == 'acme'", message: 'only acme may' }],
      },
    ],
    resourceFilter: "claims.source == res.metadata.name && req.body.ref == 'main'",
  });
  const path = status?.webhookPath;
  await served(path);
  const claims = { owner: 'acme', source: 'src' };
  const main = JSON.stringify({ ref: 'main' });
  expect((await post(path, bearer(issuer.token({ owner: 'evil' })), main)).text).toContain(
    'only acme may',
  );
  expect((await post(path, bearer(issuer.token({ ...claims, source: 'x' })), main)).code).toBe(200);
  expect((await post(path, bearer(issuer.token(claims)), '{"ref":"dev"}')).code).toBe(200);
  expect(await requestedAt()).toBeUndefined();
  expect((await post(path, bearer(issuer.token(claims)), main)).code).toBe(200);
  expect(await requestedAt()).toBeDefined();

  // Another issuer that says nothing: who waits for it keeps nobody else waiting.
  await using silent = await TokenIssuer.start();
  silent.ailment = 'silent';
  const { status: other } = await createReceiver('slow', {
    type: 'generic-oidc',
    oidcProviders: [{ issuerURL: silent.url, validations: [{ expression: 'true', message: '-' }] }],
  });
  await served(other?.webhookPath);
  const waiting = Array.from({ length: 70 }, () =>
    post(other?.webhookPath, bearer(silent.token())),
  );
  await stage.cluster.until(
    () => silent.asked.length,
    (count) => count > 0,
  );
  expect((await post(path, bearer(issuer.token(claims)), main)).code).toBe(200);
  silent.recover();
  const codes = (await Promise.all(waiting)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([200, 503]));
  expect(silent.asked).toHaveLength(2);
});

test('a push of Google tells of an image; its neighbours ask nobody', async () => {
  const audience = 'https://hooks.test/';
  await stage.createSecret('google', { token: 't', email: 'push@acme.test', audience });
  await stage.createSecret('plain', { token: 't' });
  const { status } = await createReceiver('gcr', {
    type: 'gcr',
    secretRef: { name: 'google' },
    resourceFilter: "req.body.tag == 'v1'",
  });
  const path = status?.webhookPath;
  await served(path);
  const token = issuer.token({ aud: audience, email: 'push@acme.test', email_verified: true });
  const push = (image: unknown) =>
    JSON.stringify({
      message: { data: Buffer.from(JSON.stringify(image)).toString('base64'), messageId: '1' },
      subscription: 's',
    });
  expect((await post(path, bearer(token), push({ tag: 'v0', digest: 'd' }))).code).toBe(200);
  expect(await requestedAt()).toBeUndefined();
  expect((await post(path, bearer(token), push({ action: 'INSERT', tag: 'v1' }))).code).toBe(200);
  expect(await requestedAt()).toBeDefined();
  for (const wrong of ['{}', '[]', 'x', push('v1'), push({ tag: 1 }), '{"message":{"data":"%"}}'])
    expect((await post(path, bearer(token), wrong)).code, wrong).toBe(400);

  issuer.ailment = 'error';
  const hmac = await createReceiver('hmac', {
    type: 'generic-hmac',
    secretRef: { name: 'plain' },
  });
  await served(hmac.status?.webhookPath);
  const digest = createHmac('sha256', 't').update('{}').digest('hex');
  const asked = issuer.asked.length;
  const { code } = await post(hmac.status?.webhookPath, { 'x-signature': `sha256=${digest}` });
  expect(code).toBe(200);
  expect(issuer.asked).toHaveLength(asked);
});

test('claims are known to those alone who ask for a token', async () => {
  await stage.createSecret('plain', { token: 't' });
  const { status } = await createReceiver('wrong', {
    type: 'generic',
    secretRef: { name: 'plain' },
    resourceFilter: "claims.owner == 'acme'",
  });
  expect(status?.conditions).toMatchObject([
    { type: 'Stalled', reason: 'InvalidCELExpression' },
    { type: 'Ready', status: 'False' },
  ]);
});
