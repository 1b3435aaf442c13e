import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Alert, Provider, ProviderSpec } from '../api/notification-objects.ts';
import type { SecretData } from '../api/secret-data.ts';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { ToldServer } from '../testing/told-server.ts';
import { sendTelegram } from './chat-payloads.ts';
import { commitOf } from './commit-status.ts';
import { DeliveryError, providerExchange } from './provider-exchange.ts';
import { providerSettings } from './provider-settings.ts';
import { providerTypes } from './provider-types.ts';

const sha = 'a'.repeat(40);
const event: NotificationEvent = {
  involvedObject: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'apps',
    namespace: 'team',
    uid: 'object-uid',
  },
  severity: 'info',
  timestamp: '2026-01-02T03:04:05.000Z',
  message: 'Applied revision: main\nsecond line',
  reason: 'ReconciliationSucceeded',
  metadata: { revision: `main@sha1:${sha}`, summary: 'shop', env: 'prod' },
  reportingController: 'kustomize-controller',
  reportingInstance: 'pod',
};
const failure: NotificationEvent = { ...event, severity: 'error', reason: 'BuildFailed' };
const alert: Alert = {
  metadata: { name: 'alert', namespace: 'team' },
  spec: { providerRef: { name: 'p' }, eventSources: [] },
};

let server: ToldServer;
let client: OutgoingClient;

beforeEach(async () => {
  server = await ToldServer.start();
  client = new OutgoingClient();
});

afterEach(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
});

async function send(
  spec: ProviderSpec,
  secret: SecretData = {},
  one: NotificationEvent = event,
): Promise<void> {
  const provider: Provider = {
    metadata: { name: 'p', namespace: 'team', uid: 'abcd1234-5678' },
    spec: { address: server.url, ...spec },
  };
  const exchange = providerExchange(client, new AbortController().signal, () => 0);
  const type = providerTypes.get(spec.type)!;
  await type.send({ event: one, alert }, providerSettings(provider, secret), exchange);
}

const told = (index = 0) => server.told[index];

describe('programs', () => {
  test('generic gets the event, and the headers of the Secret', async () => {
    await send({ type: 'generic' }, { headers: 'X-Team: shop\nAuthorization: Bearer s3cret\n' });
    expect(told()).toMatchObject({
      method: 'POST',
      json: event,
      headers: {
        'gotk-component': 'kustomize-controller',
        'x-team': 'shop',
        authorization: 'Bearer s3cret',
        'content-type': 'application/json',
      },
    });
  });

  test('generic-hmac signs what it sends, with the token untrimmed', async () => {
    await send({ type: 'generic-hmac' }, { token: 'key\n' });
    const expected = createHmac('sha256', 'key\n')
      .update(told()?.text ?? '')
      .digest('hex');
    expect(told()?.headers['x-signature']).toBe(`sha256=${expected}`);
    await expect(send({ type: 'generic-hmac' })).rejects.toThrow('needs a token');
  });

  test('githubdispatch starts the workflows of a repository', async () => {
    await send({ type: 'githubdispatch', address: `${server.url}/o/r` }, { token: 't' });
    expect(told()).toMatchObject({
      path: '/api/v3/repos/o/r/dispatches',
      json: { event_type: 'Kustomization/apps.team', client_payload: event },
    });
  });
});

describe('rooms and monitors', () => {
  test('lark shows a card, and its refusals are seen', async () => {
    await send({ type: 'lark' }, {}, failure);
    expect(told()?.json).toMatchObject({
      msg_type: 'interactive',
      card: {
        header: { title: { content: '🚨 kustomization/apps.team' }, template: 'red' },
        elements: [
          { text: { content: expect.stringContaining('second line**\n\nsummary: shop\n') } },
        ],
      },
    });
    server.answer = () => ({ code: 200, json: { code: 9499, msg: 'bad' } });
    await expect(send({ type: 'lark' })).rejects.toThrow('its code 9499');
  });

  test('matrix puts the same message in the same place', async () => {
    await expect(send({ type: 'matrix' })).rejects.toThrow('needs the id of a room');
    for (const _ of [1, 2]) await send({ type: 'matrix', channel: '!r:host' }, { token: 'tok' });
    const prefix = '/_matrix/client/v3/rooms/!r%3Ahost/send/m.room.message/';
    expect(told()).toMatchObject({
      method: 'PUT',
      path: expect.stringContaining(prefix),
      headers: { authorization: 'Bearer tok' },
      json: {
        msgtype: 'm.text',
        body: expect.stringMatching(/^💫 kustomization\/apps.team\nApplied/),
      },
    });
    expect(told(1)?.path).toBe(told()?.path);
    await send({ type: 'matrix', channel: '!r:host' }, {}, failure);
    expect(told(2)?.path).not.toBe(told()?.path);
  });

  test('zulip names a channel and a topic', async () => {
    const account = { username: 'bot@example.com', password: 'key' };
    await send({ type: 'zulip', channel: 'ops/deploys/prod' }, account);
    await send({ type: 'zulip', channel: 'ops' }, account);
    expect(told()).toMatchObject({
      path: '/api/v1/messages',
      headers: {
        authorization: `Basic ${Buffer.from('bot@example.com:key').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    const fields = [0, 1].map((index) =>
      Object.fromEntries(new URLSearchParams(told(index)?.text)),
    );
    expect(fields).toMatchObject([
      {
        type: 'stream',
        to: 'ops',
        topic: 'deploys/prod',
        content: expect.stringContaining('shop'),
      },
      { topic: 'kustomization/apps.team' },
    ]);
    await expect(send({ type: 'zulip' }, account)).rejects.toThrow('needs a channel');
  });

  test('datadog gets an event', async () => {
    await send({ type: 'datadog' }, { token: 'key\n' }, failure);
    expect(told()).toMatchObject({
      path: '/api/v1/events',
      headers: { 'dd-api-key': 'key' },
      json: {
        title: 'Kustomization/apps.team',
        alert_type: 'error',
        date_happened: 1_767_323_045,
        tags: expect.arrayContaining(['flux-reason:BuildFailed', 'env:prod']),
      },
    });
    await expect(send({ type: 'datadog' })).rejects.toThrow('needs an API key');
  });

  test('sentry gets an envelope, at the project of the DSN', async () => {
    const address = `${server.url.replace('//', '//public@')}/under/42`;
    for (const _ of [1, 2]) await send({ type: 'sentry', address, channel: 'prod' }, {}, failure);
    expect(told()).toMatchObject({
      path: '/under/api/42/envelope/',
      headers: {
        'x-sentry-auth': expect.stringContaining('sentry_key=public'),
        'content-type': 'application/x-sentry-envelope',
      },
    });
    expect(told()?.headers.authorization).toBeUndefined();
    const [head, kind, item] = (told()?.text ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(kind).toEqual({ type: 'event' });
    expect(item).toMatchObject({ event_id: head.event_id, level: 'error', environment: 'prod' });
    expect(told(1)?.text).toBe(told()?.text);
    await expect(send({ type: 'sentry' })).rejects.toThrow('no DSN');
  });
});

describe('people', () => {
  test('slack', async () => {
    await send({ type: 'slack', channel: 'ops' }, { token: 'tok' }, failure);
    expect(told()?.headers.authorization).toBe('Bearer tok');
    expect(told()?.json).toEqual({
      channel: 'ops',
      username: 'kustomize-controller',
      icon_url: '',
      icon_emoji: '',
      attachments: [
        {
          fallback: 'kustomization/apps.team: Applied revision: main',
          color: 'danger',
          author_name: 'kustomization/apps.team',
          text: event.message,
          mrkdwn_in: ['text'],
          fields: [
            { title: 'summary', value: 'shop', short: false },
            { title: 'env', value: 'prod', short: false },
            { title: 'revision', value: `main@sha1:${sha}`, short: false },
          ],
        },
      ],
    });
  });

  test('discord has an entry for what is made for Slack', async () => {
    await send({ type: 'discord', address: `${server.url}/api/webhooks/1/x`, username: 'bot' });
    expect(told()).toMatchObject({ path: '/api/webhooks/1/x/slack', json: { username: 'bot' } });
  });

  test('msteams', async () => {
    await send({ type: 'msteams' }, {}, failure);
    expect(told()?.json).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                items: [
                  { text: 'kustomization/apps.team', weight: 'bolder' },
                  { text: event.message, color: 'attention' },
                  { type: 'FactSet', facts: [{ title: 'summary', value: 'shop' }, {}, {}] },
                ],
              },
            ],
          },
        },
      ],
    });
  });

  test('rocket, googlechat and webex', async () => {
    await send({ type: 'rocket', channel: 'ops' });
    await send({ type: 'googlechat' });
    await send({ type: 'webex', channel: 'room' }, { token: 't' });
    expect(told(0)?.json).toMatchObject({ channel: 'ops', attachments: [{ color: '#0076D7' }] });
    expect(told(1)?.json).toMatchObject({
      cards: [{ header: { title: 'kustomization/apps.team' } }],
    });
    expect(told(2)?.json).toMatchObject({
      roomId: 'room',
      markdown: expect.stringMatching(/^✅ \*\*kustomization\/apps\.team\*\*\n/),
    });
  });

  test('telegram gets its marks escaped, in a thread', async () => {
    const provider: Provider = {
      metadata: { name: 'p', namespace: 'team' },
      spec: { type: 'telegram', channel: '-100:7' },
    };
    const exchange = providerExchange(client, new AbortController().signal, () => 0);
    const settings = providerSettings(provider, { token: '1:x' });
    await sendTelegram({ event, alert }, settings, exchange, server.url);
    expect(told()).toMatchObject({
      path: '/bot1%3Ax/sendMessage',
      json: { chat_id: '-100', message_thread_id: '7', parse_mode: 'MarkdownV2' },
    });
    expect(told()?.json).toMatchObject({ text: expect.stringContaining('apps\\.team') });
  });
});

describe('alarms', () => {
  test('alertmanager', async () => {
    await send({ type: 'alertmanager' }, { username: 'u', password: 'p' }, failure);
    expect(told()?.headers.authorization).toBe(`Basic ${btoa('u:p')}`);
    expect(told()?.json).toEqual([
      {
        status: 'firing',
        labels: {
          revision: `main@sha1:${sha}`,
          env: 'prod',
          alertname: 'FluxKustomizationBuildfailed',
          severity: 'error',
          reason: 'BuildFailed',
          kind: 'Kustomization',
          name: 'apps',
          namespace: 'team',
          reportingcontroller: 'kustomize-controller',
        },
        annotations: { message: event.message, summary: 'shop' },
        startsAt: event.timestamp,
      },
    ]);
  });

  test('grafana and opsgenie', async () => {
    await send({ type: 'grafana' }, { token: 't' });
    await send({ type: 'opsgenie' }, { token: 'key' });
    expect(told(0)?.json).toMatchObject({
      when: 1767323045,
      text: 'kustomization/apps.team',
      tags: expect.arrayContaining(['flux', `revision: main@sha1|${sha}`, 'kind: Kustomization']),
    });
    expect(told(1)).toMatchObject({
      headers: { authorization: 'GenieKey key' },
      json: { message: 'Kustomization/apps', details: { severity: 'info', env: 'prod' } },
    });
  });

  test('pagerduty opens an incident, closes it, and leaves progress alone', async () => {
    const spec = { type: 'pagerduty', channel: 'key', address: `${server.url}/anything` };
    await send(spec, {}, failure);
    await send(spec);
    await send(spec, {}, { ...event, reason: 'Progressing' });
    expect(server.told.map(({ path, json }) => [path, json])).toMatchObject([
      [
        '/v2/enqueue',
        {
          routing_key: 'key',
          event_action: 'trigger',
          dedup_key: 'object-uid',
          payload: { summary: 'build failed: kustomization/apps', severity: 'error' },
        },
      ],
      ['/v2/enqueue', { event_action: 'resolve', dedup_key: 'object-uid' }],
      ['/v2/change/enqueue', { routing_key: 'key' }],
    ]);
  });
});

describe('commits', () => {
  const context = 'kustomization/apps/abcd1234';

  test('github: asked first, told once', async () => {
    const statuses: unknown[] = [];
    server.answer = ({ method, json }) => {
      if (method === 'POST') statuses.unshift(json);
      return { code: method === 'POST' ? 201 : 200, json: statuses };
    };
    const spec = { type: 'github', address: `${server.url}/o/r.git` };
    await send(spec, { token: 't' });
    await send(spec, { token: 't' });
    await send(spec, { token: 't' }, failure);
    await send(spec, { token: 't' }, { ...event, reason: 'Progressing' });
    const posts = server.told.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path, json }) => [path, json])).toEqual([
      [
        `/api/v3/repos/o/r/statuses/${sha}`,
        { state: 'success', context, description: 'reconciliation succeeded' },
      ],
      [
        `/api/v3/repos/o/r/statuses/${sha}`,
        { state: 'failure', context, description: 'build failed' },
      ],
    ]);
    expect(told()?.path).toBe(`/api/v3/repos/o/r/commits/${sha}/statuses?per_page=50`);
    expect(told()?.headers.authorization).toBe('Bearer t');
  });

  test('gitlab, with groups in groups', async () => {
    server.answer = ({ method }) => ({ code: method === 'POST' ? 201 : 200, json: [] });
    await send({ type: 'gitlab', address: `${server.url}/a/b/c.git` }, { token: 't' });
    expect(server.told.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /api/v4/projects/a%2Fb%2Fc/repository/commits/${sha}/statuses?name=kustomization%2Fapps%2Fabcd1234`,
      `POST /api/v4/projects/a%2Fb%2Fc/statuses/${sha}`,
    ]);
    expect(told(1)).toMatchObject({
      headers: { 'private-token': 't' },
      json: { name: context, state: 'success', description: 'reconciliation succeeded' },
    });
  });

  test('gitea, which hears of progress too', async () => {
    server.answer = () => ({ code: 200, json: [] });
    const spec = { type: 'gitea', address: `${server.url}/o/r` };
    await send(spec, { token: 't' }, { ...event, reason: 'Progressing' });
    expect(told(1)).toMatchObject({
      path: `/api/v1/repos/o/r/statuses/${sha}`,
      headers: { authorization: 'token t' },
      json: { state: 'pending' },
    });
  });

  test('bitbucket and bitbucketserver', async () => {
    server.answer = ({ method }) => ({ code: method === 'GET' ? 404 : 201 });
    await send({ type: 'bitbucket', address: `${server.url}/o/r` }, { token: 'user:pass:word' });
    await send({ type: 'bitbucketserver', address: `${server.url}/scm/p/r.git` }, { token: 't' });
    expect(server.told.map(({ method, path }) => `${method} ${path}`)).toEqual([
      expect.stringMatching(
        /^GET \/2\.0\/repositories\/o\/r\/commit\/a{40}\/statuses\/build\/[0-9a-f]{40}$/,
      ),
      `POST /2.0/repositories/o/r/commit/${sha}/statuses/build`,
      expect.stringMatching(/^GET \/rest\/api\/latest\/projects\/p\/repos\/r\/commits\/.*\?key=/),
      `POST /rest/api/latest/projects/p/repos/r/commits/${sha}/builds`,
    ]);
    expect(told(1)?.headers.authorization).toBe(`Basic ${btoa('user:pass:word')}`);
    expect(told(3)?.json).toMatchObject({
      state: 'SUCCESSFUL',
      name: 'kustomization/apps [reconciliation succeeded]',
    });
  });

  test('an expression names the status', async () => {
    server.answer = () => ({ code: 200, json: [] });
    const spec = { type: 'github', address: `${server.url}/o/r` };
    const commitStatusExpr = "event.metadata.env + '/' + provider.metadata.name";
    await send({ ...spec, commitStatusExpr }, { token: 't' });
    expect(told(1)?.json).toMatchObject({ context: 'prod/p' });
    for (const wrong of ["''", '1', 'event.nothing', '(']) {
      const sending = send({ ...spec, commitStatusExpr: wrong }, { token: 't' });
      await expect(sending).rejects.toThrow('commitStatusExpr');
    }
  });

  test.each([
    [{ revision: `main@sha1:${sha}` }, sha],
    [{ revision: `main/${sha}` }, sha],
    [{ revision: `main@sha256:${'b'.repeat(64)}` }, 'b'.repeat(64)],
    [{ revision: 'x', originRevision: `main@sha1:${sha}` }, sha],
    [{ commit: sha, revision: 'latest@sha256:1' }, sha],
    [{ revision: 'latest@sha256:1' }, undefined],
    [{}, undefined],
  ])('the commit of %j is %s', (metadata, expected) => {
    if (expected === undefined) expect(() => commitOf(metadata)).toThrow(DeliveryError);
    else expect(commitOf(metadata)).toBe(expected);
  });
});

describe('what is not taken', () => {
  test.each([
    [429, true],
    [500, true],
    [503, true],
    [501, false],
    [400, false],
    [302, false],
  ])('%i: another try may go well: %s', async (code, isTransient) => {
    server.answer = () => ({ code, headers: { 'retry-after': '7', location: '/other' } });
    const error = await send({ type: 'generic', address: `${server.url}/T0/S3CRET` }).catch(
      (one: unknown) => one,
    );
    expect(error).toMatchObject({ isTransient, retryAfterMs: 7000 });
    expect(String(error)).not.toContain('S3CRET');
    expect(server.told).toHaveLength(1);
  });

  test('an address that is none, and headers that are none', async () => {
    await expect(send({ type: 'generic', address: 'ftp://x' })).rejects.toThrow('no http');
    for (const headers of ['- a', 'a: "x\\r\\ny: z"', 'b c: d', '{'])
      await expect(send({ type: 'generic' }, { headers })).rejects.toThrow('headers');
    await expect(send({ type: 'github', address: server.url }, { token: 't' })).rejects.toThrow(
      'no URL of a repository',
    );
  });

  test('the address of the Secret is stronger than that of the spec', async () => {
    await send({ type: 'generic', address: 'http://127.0.0.1:1' }, { address: ` ${server.url} ` });
    expect(server.told).toHaveLength(1);
  });
});
