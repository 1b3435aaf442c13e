import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appliedEvent, failedEvent, ProviderStage, sha } from '../testing/provider-stage.ts';

let stage: ProviderStage;

beforeEach(async () => {
  stage = await ProviderStage.start();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('programs', () => {
  test('generic gets the event, and the headers of the Secret', async () => {
    await stage.send(
      { type: 'generic' },
      { headers: 'X-Team: shop\nAuthorization: Bearer s3cret\n' },
    );
    expect(stage.told()).toMatchObject({
      method: 'POST',
      json: appliedEvent,
      headers: {
        'gotk-component': 'kustomize-controller',
        'x-team': 'shop',
        authorization: 'Bearer s3cret',
        'content-type': 'application/json',
      },
    });
  });

  test('generic-hmac signs what it sends, with the token untrimmed', async () => {
    await stage.send({ type: 'generic-hmac' }, { token: 'key\n' });
    const expected = createHmac('sha256', 'key\n')
      .update(stage.told()?.text ?? '')
      .digest('hex');
    expect(stage.told()?.headers['x-signature']).toBe(`sha256=${expected}`);
    await expect(stage.send({ type: 'generic-hmac' })).rejects.toThrow('needs a token');
  });

  test('githubdispatch starts the workflows of a repository', async () => {
    await stage.send(
      { type: 'githubdispatch', address: `${stage.server.url}/o/r` },
      { token: 't' },
    );
    expect(stage.told()).toMatchObject({
      path: '/api/v3/repos/o/r/dispatches',
      json: { event_type: 'Kustomization/apps.team', client_payload: appliedEvent },
    });
  });
});

describe('rooms and monitors', () => {
  test('lark shows a card, and its refusals are seen', async () => {
    await stage.send({ type: 'lark' }, {}, failedEvent);
    expect(stage.told()?.json).toMatchObject({
      msg_type: 'interactive',
      card: {
        header: { title: { content: '🚨 kustomization/apps.team' }, template: 'red' },
        elements: [
          { text: { content: expect.stringContaining('second line**\n\nsummary: shop\n') } },
        ],
      },
    });
    stage.server.answer = () => ({ code: 200, json: { code: 9499, msg: 'bad' } });
    await expect(stage.send({ type: 'lark' })).rejects.toThrow('its code 9499');
  });

  test('matrix puts the same message in the same place', async () => {
    await expect(stage.send({ type: 'matrix' })).rejects.toThrow('needs the id of a room');
    for (const _ of [1, 2])
      await stage.send({ type: 'matrix', channel: '!r:host' }, { token: 'tok' });
    const prefix = '/_matrix/client/v3/rooms/!r%3Ahost/send/m.room.message/';
    expect(stage.told()).toMatchObject({
      method: 'PUT',
      path: expect.stringContaining(prefix),
      headers: { authorization: 'Bearer tok' },
      json: {
        msgtype: 'm.text',
        body: expect.stringMatching(/^💫 kustomization\/apps.team\nApplied/),
      },
    });
    expect(stage.told(1)?.path).toBe(stage.told()?.path);
    await stage.send({ type: 'matrix', channel: '!r:host' }, {}, failedEvent);
    expect(stage.told(2)?.path).not.toBe(stage.told()?.path);
  });

  test('zulip names a channel and a topic', async () => {
    const account = { username: 'bot@example.com', password: 'key' };
    await stage.send({ type: 'zulip', channel: 'ops/deploys/prod' }, account);
    await stage.send({ type: 'zulip', channel: 'ops' }, account);
    expect(stage.told()).toMatchObject({
      path: '/api/v1/messages',
      headers: {
        authorization: `Basic ${Buffer.from('bot@example.com:key').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    const fields = [0, 1].map((index) =>
      Object.fromEntries(new URLSearchParams(stage.told(index)?.text)),
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
    await expect(stage.send({ type: 'zulip' }, account)).rejects.toThrow('needs a channel');
  });

  test('zoom shows a message with its facts', async () => {
    await stage.send({ type: 'zoom' }, { token: 'tok\n' });
    await stage.send(
      { type: 'zoom', address: `${stage.server.url}/h?format=fields` },
      { token: 'tok' },
    );
    expect(stage.server.told.map(({ path }) => path)).toEqual([
      '/?format=full',
      '/h?format=fields',
    ]);
    expect(stage.told()).toMatchObject({
      headers: { authorization: 'tok' },
      json: {
        content: {
          head: { text: 'kustomization/apps.team', sub_head: { text: 'info' } },
          body: [
            { type: 'message', text: appliedEvent.message },
            { type: 'fields', items: expect.arrayContaining([{ key: 'env', value: 'prod' }]) },
          ],
        },
      },
    });
    await expect(stage.send({ type: 'zoom' })).rejects.toThrow('verification token');
  });

  test('datadog gets an event', async () => {
    await stage.send({ type: 'datadog' }, { token: 'key\n' }, failedEvent);
    expect(stage.told()).toMatchObject({
      path: '/api/v1/events',
      headers: { 'dd-api-key': 'key' },
      json: {
        title: 'Kustomization/apps.team',
        alert_type: 'error',
        date_happened: 1_767_323_045,
        tags: expect.arrayContaining(['flux-reason:BuildFailed', 'env:prod']),
      },
    });
    await expect(stage.send({ type: 'datadog' })).rejects.toThrow('needs an API key');
  });

  test('sentry gets an envelope, at the project of the DSN', async () => {
    const address = `${stage.server.url.replace('//', '//public@')}/under/42`;
    for (const _ of [1, 2])
      await stage.send({ type: 'sentry', address, channel: 'prod' }, {}, failedEvent);
    expect(stage.told()).toMatchObject({
      path: '/under/api/42/envelope/',
      headers: {
        'x-sentry-auth': expect.stringContaining('sentry_key=public'),
        'content-type': 'application/x-sentry-envelope',
      },
    });
    expect(stage.told()?.headers.authorization).toBeUndefined();
    const [head, kind, item] = (stage.told()?.text ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(kind).toEqual({ type: 'event' });
    expect(item).toMatchObject({ event_id: head.event_id, level: 'error', environment: 'prod' });
    expect(stage.told(1)?.text).toBe(stage.told()?.text);
    await expect(stage.send({ type: 'sentry' })).rejects.toThrow('no DSN');
  });
});

describe('alarms', () => {
  test('incident.io fires and resolves, and leaves progress alone', async () => {
    await stage.send({ type: 'incident.io' }, { token: 'tok' }, failedEvent);
    await stage.send({ type: 'incident.io' }, { token: 'tok' });
    const progress = { ...appliedEvent, reason: 'Progressing' };
    await stage.send({ type: 'incident.io' }, { token: 'tok' }, progress);
    expect(stage.server.told.map(({ json }) => json)).toMatchObject([
      {
        title: 'kustomization/apps.team: BuildFailed',
        status: 'firing',
        deduplication_key: 'object-uid',
        metadata: { env: 'prod', severity: 'error', reason: 'BuildFailed' },
      },
      { status: 'resolved', deduplication_key: 'object-uid' },
    ]);
    expect(stage.server.told).toHaveLength(2);
    expect(stage.told()?.headers.authorization).toBe('Bearer tok');
    await expect(stage.send({ type: 'incident.io' })).rejects.toThrow('needs a token');
  });

  test('alertmanager', async () => {
    await stage.send({ type: 'alertmanager' }, { username: 'u', password: 'p' }, failedEvent);
    expect(stage.told()?.headers.authorization).toBe(`Basic ${btoa('u:p')}`);
    expect(stage.told()?.json).toEqual([
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
        annotations: { message: appliedEvent.message, summary: 'shop' },
        startsAt: appliedEvent.timestamp,
      },
    ]);
  });

  test('grafana and opsgenie', async () => {
    await stage.send({ type: 'grafana' }, { token: 't' });
    await stage.send({ type: 'opsgenie' }, { token: 'key' });
    expect(stage.told(0)?.json).toMatchObject({
      when: 1767323045,
      text: 'kustomization/apps.team',
      tags: expect.arrayContaining(['flux', `revision: main@sha1|${sha}`, 'kind: Kustomization']),
    });
    expect(stage.told(1)).toMatchObject({
      headers: { authorization: 'GenieKey key' },
      json: { message: 'Kustomization/apps', details: { severity: 'info', env: 'prod' } },
    });
  });

  test('pagerduty opens an incident, closes it, and leaves progress alone', async () => {
    const spec = { type: 'pagerduty', channel: 'key', address: `${stage.server.url}/anything` };
    await stage.send(spec, {}, failedEvent);
    await stage.send(spec);
    await stage.send(spec, {}, { ...appliedEvent, reason: 'Progressing' });
    expect(stage.server.told.map(({ path, json }) => [path, json])).toMatchObject([
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

describe('what is not taken', () => {
  test.each([
    [429, true],
    [500, true],
    [503, true],
    [501, false],
    [400, false],
    [302, false],
  ])('%i: another try may go well: %s', async (code, isTransient) => {
    stage.server.answer = () => ({ code, headers: { 'retry-after': '7', location: '/other' } });
    const error = await stage
      .send({ type: 'generic', address: `${stage.server.url}/T0/S3CRET` })
      .catch((one: unknown) => one);
    expect(error).toMatchObject({ isTransient, retryAfterMs: 7000 });
    expect(String(error)).not.toContain('S3CRET');
    expect(stage.server.told).toHaveLength(1);
  });

  test('an address that is none, and headers that are none', async () => {
    await expect(stage.send({ type: 'generic', address: 'ftp://x' })).rejects.toThrow('no http');
    for (const headers of ['- a', 'a: "x\\r\\ny: z"', 'b c: d', '{'])
      await expect(stage.send({ type: 'generic' }, { headers })).rejects.toThrow('headers');
    await expect(
      stage.send({ type: 'github', address: stage.server.url }, { token: 't' }),
    ).rejects.toThrow('no URL of a repository');
  });

  test('the address of the Secret is stronger than that of the spec', async () => {
    await stage.send(
      { type: 'generic', address: 'http://127.0.0.1:1' },
      { address: ` ${stage.server.url} ` },
    );
    expect(stage.server.told).toHaveLength(1);
  });
});
