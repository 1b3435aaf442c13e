import { isObject } from '@waygate/text';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import {
  objectWord,
  type ProviderMessage,
  type ProviderSettings,
  shownFacts,
} from './provider-message.ts';
import { addressOf, bearer } from './provider-settings.ts';

/** Only of this address of Slack is the answer read: it says 200 to everything. */
const slackApi = 'https://slack.com/api/chat.postMessage';

/** What Slack's webhooks take, and those who took over their form. */
export async function sendSlack(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const url = addressOf(settings);
  const { json } = await exchange({
    url,
    headers: bearer(settings),
    json: {
      channel: settings.channel,
      username: settings.username || event.reportingController,
      icon_url: '',
      icon_emoji: '',
      attachments: [
        {
          fallback: `${objectWord(event)}: ${event.message.split('\n', 1)[0]}`,
          ...attachment(event, { isError: 'danger', otherwise: 'good' }),
        },
      ],
    },
  });
  if (url.href === slackApi && !(isObject(json) && json.ok === true)) {
    // One word of Slack's own, such as `channel_not_found`.
    const why = isObject(json) && typeof json.error === 'string' ? json.error.slice(0, 64) : '';
    throw new DeliveryError(`Slack refused the message: ${why}`);
  }
}

/** Discord has an entry for what is made for Slack. */
export async function sendDiscord(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const url = addressOf(settings);
  if (!url.pathname.endsWith('/slack')) url.pathname = `${url.pathname.replace(/\/$/, '')}/slack`;
  await exchange({
    url,
    json: {
      username: settings.username || event.reportingController,
      attachments: [attachment(event, { isError: 'danger', otherwise: 'good' })],
    },
  });
}

export async function sendRocket(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  await exchange({
    url: addressOf(settings),
    json: {
      channel: settings.channel,
      username: settings.username || event.reportingController,
      attachments: [attachment(event, { isError: '#FF0000', otherwise: '#0076D7' })],
    },
  });
}

/** Teams: an adaptive card, or the card of before for addresses of before. */
export async function sendTeams(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const url = addressOf(settings);
  const isOlder = url.hostname.endsWith('.webhook.office.com');
  await exchange({ url, json: isOlder ? messageCard(event) : adaptiveCard(event) });
}

export async function sendGoogleChat(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const facts = shownFacts(event).map(([topLabel, content]) => ({
    keyValue: { topLabel, content },
  }));
  await exchange({
    url: addressOf(settings),
    json: {
      cards: [
        {
          header: { title: objectWord(event), subtitle: event.reportingController },
          sections: [
            { widgets: [{ textParagraph: { text: event.message } }] },
            ...(facts.length === 0 ? [] : [{ widgets: facts }]),
          ],
        },
      ],
    },
  });
}

export async function sendWebex(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const sign = event.severity === 'error' ? '💣' : '✅';
  const facts = shownFacts(event).map(([name, value]) => `>**${name}**: ${value}`);
  const markdown = [`${sign} **${objectWord(event)}**`, event.message, ...facts].join('\n');
  await exchange({
    url: addressOf(settings),
    headers: bearer(settings),
    json: { roomId: settings.channel, markdown },
  });
}

/** `channel` is a chat, or a chat and one of its threads: `-100123:7`. */
export async function sendTelegram(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
  api = 'https://api.telegram.org',
): Promise<void> {
  const [chat = '', thread] = settings.channel.split(':');
  const sign = event.severity === 'error' ? '💣' : '✅';
  const facts = shownFacts(event).map(([name, value]) => `*${mark(name)}*: ${mark(value)}`);
  const lines = [`*${mark(`${sign} ${objectWord(event)}`)}*`, mark(event.message), ...facts];
  if (settings.token === '') throw new DeliveryError('Telegram needs a token in the Secret');
  await exchange({
    url: new URL(`${api}/bot${encodeURIComponent(settings.token)}/sendMessage`),
    json: {
      chat_id: chat,
      ...(thread === undefined ? {} : { message_thread_id: thread }),
      text: lines.join('\n'),
      parse_mode: 'MarkdownV2',
    },
  });
}

/** Everything that means something in Telegram's MarkdownV2, taken as it is. */
function mark(text: string): string {
  return text.replaceAll(/[\\_*[\]()~`>#+\-=|{}.!]/g, '\\$&');
}

function attachment(
  event: ProviderMessage['event'],
  colours: { readonly isError: string; readonly otherwise: string },
) {
  return {
    color: event.severity === 'error' ? colours.isError : colours.otherwise,
    author_name: objectWord(event),
    text: event.message,
    mrkdwn_in: ['text'],
    fields: shownFacts(event).map(([title, value]) => ({ title, value, short: false })),
  };
}

function adaptiveCard(event: ProviderMessage['event']) {
  const facts = shownFacts(event).map(([title, value]) => ({ title, value }));
  const isError = event.severity === 'error';
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            {
              type: 'Container',
              items: [
                {
                  type: 'TextBlock',
                  text: objectWord(event),
                  size: 'large',
                  weight: 'bolder',
                  wrap: true,
                },
                {
                  type: 'TextBlock',
                  text: event.message,
                  wrap: true,
                  ...(isError ? { color: 'attention' } : {}),
                },
                ...(facts.length === 0 ? [] : [{ type: 'FactSet', facts }]),
              ],
            },
          ],
        },
      },
    ],
  };
}

function messageCard(event: ProviderMessage['event']) {
  return {
    '@type': 'MessageCard',
    '@context': 'http://schema.org/extensions',
    themeColor: event.severity === 'error' ? 'FF0000' : '0076D7',
    summary: objectWord(event),
    sections: [
      {
        activityTitle: event.message,
        activitySubtitle: objectWord(event),
        facts: shownFacts(event).map(([name, value]) => ({ name, value })),
      },
    ],
  };
}
