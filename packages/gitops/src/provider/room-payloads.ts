import { createHash } from 'node:crypto';
import { isObject } from '@waygate/text';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import {
  objectWord,
  type ProviderMessage,
  type ProviderSettings,
  shownFacts,
} from './provider-message.ts';
import { addressOf, basic, bearer } from './provider-settings.ts';

// Rooms that people talk in, and that take text of a form of their own.

/** A card in a chat of Lark, or of Feishu. */
export async function sendLark(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const isError = event.severity === 'error';
  const facts = shownFacts(event).map(([name, value]) => `${name}: ${value}\n`);
  const { json } = await exchange({
    url: addressOf(settings),
    json: {
      msg_type: 'interactive',
      card: {
        config: { wide_screen_mode: true },
        header: {
          title: { tag: 'plain_text', content: `${isError ? '🚨' : '💫'} ${objectWord(event)}` },
          template: isError ? 'red' : 'turquoise',
        },
        elements: [
          {
            tag: 'div',
            text: { tag: 'lark_md', content: `**${event.message}**\n\n${facts.join('')}` },
          },
        ],
      },
    },
  });
  // It says 200 to everything.
  const code = isObject(json) ? (json.code ?? json.StatusCode) : undefined;
  if (typeof code === 'number' && code !== 0)
    throw new DeliveryError(`Lark refused the message with its code ${code}`);
}

/** A message in a room of Matrix. The same message sent again is one message there. */
export async function sendMatrix(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  if (settings.channel === '')
    throw new DeliveryError('a Provider of type matrix needs the id of a room as its channel');
  const url = addressOf(settings);
  const transaction = createHash('sha256').update(JSON.stringify(event)).digest('hex');
  const room = encodeURIComponent(settings.channel);
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = `${base}/_matrix/client/v3/rooms/${room}/send/m.room.message/${transaction}`;
  const emoji = event.severity === 'error' ? '🚨' : '💫';
  const facts = shownFacts(event).map(([name, value]) => `- ${name}: ${value}`);
  const body = [`${emoji} ${objectWord(event)}`, event.message, ...facts].join('\n');
  await exchange({
    method: 'PUT',
    url,
    headers: bearer(settings),
    json: { msgtype: 'm.text', body },
  });
}

/** A message in a channel of Zulip: `channel/topic`. Without a topic, that is what the event is about. */
export async function sendZulip(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const [channel = '', ...topic] = settings.channel.split('/');
  if (channel === '') throw new DeliveryError('a Provider of type zulip needs a channel');
  const url = addressOf(settings);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/messages`;
  const mark = event.severity === 'error' ? ':rotating_light:' : ':check:';
  const facts = shownFacts(event).map(([name, value]) => `* **${name}**: ${value}`);
  const content = [`${mark} **${objectWord(event)}**`, event.message, ...facts].join('\n');
  await exchange({
    url,
    headers: { ...basic(settings), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      type: 'stream',
      to: channel,
      topic: topic.join('/') || objectWord(event),
      content,
    }).toString(),
  });
}

/** A message of the incoming webhook of Zoom's team chat. */
export async function sendZoom(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  if (settings.token.trim() === '')
    throw new DeliveryError('Zoom needs the verification token in the Secret');
  const url = addressOf(settings);
  if (!url.searchParams.has('format')) url.searchParams.set('format', 'full');
  const items = shownFacts(event).map(([key, value]) => ({ key, value }));
  const body = [{ type: 'message', text: event.message }];
  await exchange({
    url,
    // The token as it stands: without a word before it.
    headers: { authorization: settings.token.trim() },
    json: {
      content: {
        head: { text: objectWord(event), sub_head: { text: event.severity } },
        body: items.length === 0 ? body : [...body, { type: 'fields', items }],
      },
    },
  });
}
