import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Provider } from '../api/notification-objects.ts';
import {
  appliedEvent,
  failedEvent,
  ProviderStage,
  sha,
  tellingAlert,
} from '../testing/provider-stage.ts';
import { sendTelegram } from './chat-payloads.ts';
import { providerSettings } from './provider-settings.ts';

let stage: ProviderStage;

beforeEach(async () => {
  stage = await ProviderStage.start();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('people', () => {
  test('slack', async () => {
    await stage.send({ type: 'slack', channel: 'ops' }, { token: 'tok' }, failedEvent);
    expect(stage.told()?.headers.authorization).toBe('Bearer tok');
    expect(stage.told()?.json).toEqual({
      channel: 'ops',
      username: 'kustomize-controller',
      icon_url: '',
      icon_emoji: '',
      attachments: [
        {
          fallback: 'kustomization/apps.team: Applied revision: main',
          color: 'danger',
          author_name: 'kustomization/apps.team',
          text: appliedEvent.message,
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
    await stage.send({
      type: 'discord',
      address: `${stage.server.url}/api/webhooks/1/x`,
      username: 'bot',
    });
    expect(stage.told()).toMatchObject({
      path: '/api/webhooks/1/x/slack',
      json: { username: 'bot' },
    });
  });

  test('msteams', async () => {
    await stage.send({ type: 'msteams' }, {}, failedEvent);
    expect(stage.told()?.json).toMatchObject({
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
                  { text: appliedEvent.message, color: 'attention' },
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
    await stage.send({ type: 'rocket', channel: 'ops' });
    await stage.send({ type: 'googlechat' });
    await stage.send({ type: 'webex', channel: 'room' }, { token: 't' });
    expect(stage.told(0)?.json).toMatchObject({
      channel: 'ops',
      attachments: [{ color: '#0076D7' }],
    });
    expect(stage.told(1)?.json).toMatchObject({
      cards: [{ header: { title: 'kustomization/apps.team' } }],
    });
    expect(stage.told(2)?.json).toMatchObject({
      roomId: 'room',
      markdown: expect.stringMatching(/^✅ \*\*kustomization\/apps\.team\*\*\n/),
    });
  });

  test('telegram gets its marks escaped, in a thread', async () => {
    const provider: Provider = {
      metadata: { name: 'p', namespace: 'team' },
      spec: { type: 'telegram', channel: '-100:7' },
    };
    const exchange = stage.exchange();
    const settings = providerSettings(provider, { token: '1:x' });
    await sendTelegram(
      { event: appliedEvent, alert: tellingAlert },
      settings,
      exchange,
      stage.server.url,
    );
    expect(stage.told()).toMatchObject({
      path: '/bot1%3Ax/sendMessage',
      json: { chat_id: '-100', message_thread_id: '7', parse_mode: 'MarkdownV2' },
    });
    expect(stage.told()?.json).toMatchObject({ text: expect.stringContaining('apps\\.team') });
  });
});
