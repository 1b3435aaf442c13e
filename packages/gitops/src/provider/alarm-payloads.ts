import { createHash } from 'node:crypto';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import {
  objectWord,
  type ProviderMessage,
  type ProviderSettings,
  reasonWords,
  shownFacts,
} from './provider-message.ts';
import { addressOf, basic, bearer } from './provider-settings.ts';

export async function sendAlertmanager(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const { summary, ...facts } = event.metadata ?? {};
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  const reason = event.reason.charAt(0).toUpperCase() + event.reason.slice(1).toLowerCase();
  const signIn = settings.token === '' ? basic(settings) : bearer(settings);
  await exchange({
    url: addressOf(settings),
    headers: signIn,
    json: [
      {
        status: 'firing',
        labels: {
          ...facts,
          alertname: `Flux${kind}${reason}`,
          severity: event.severity,
          reason: event.reason,
          kind,
          name,
          namespace,
          reportingcontroller: event.reportingController,
        },
        annotations: { message: event.message, ...(summary === undefined ? {} : { summary }) },
        startsAt: event.timestamp,
      },
    ],
  });
}

/** A mark in the graphs of Grafana. */
export async function sendGrafana(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  const at = Date.parse(event.timestamp);
  await exchange({
    url: addressOf(settings),
    headers: settings.token === '' ? basic(settings) : bearer(settings),
    json: {
      when: Math.floor((Number.isNaN(at) ? 0 : at) / 1000),
      text: objectWord(event),
      tags: [
        'flux',
        event.reportingController,
        ...shownFacts(event).map(([key, value]) => `${key}: ${value.replaceAll(':', '|')}`),
        `kind: ${kind}`,
        `name: ${name}`,
        `namespace: ${namespace}`,
      ],
    },
  });
}

export async function sendOpsgenie(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  const uid = settings.provider.metadata.uid ?? '';
  await exchange({
    url: addressOf(settings),
    headers: { authorization: `GenieKey ${settings.token}` },
    json: {
      message: `${kind}/${name}`,
      // One alarm for one cause: the same again is counted there, and makes no second one.
      alias: createHash('sha256')
        .update(`${uid}/${kind}/${namespace}/${name}/${event.reason}`)
        .digest('hex'),
      description: event.message,
      details: { ...event.metadata, severity: event.severity },
    },
  });
}

/** Failures open an incident of the object, and a success closes it. */
export async function sendPagerDuty(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const { kind = '', name = '', uid = '' } = event.involvedObject;
  if (event.reason === 'Progressing') return;
  const { origin } = addressOf(settings);
  const isError = event.severity === 'error';
  const facts = { message: event.message, metadata: event.metadata ?? {} };
  const about = {
    summary: `${reasonWords(event.reason)}: ${kind.toLowerCase()}/${name}`,
    source: `Flux ${event.reportingController}`,
    timestamp: event.timestamp,
    custom_details: facts,
  };
  await exchange({
    url: new URL('/v2/enqueue', origin),
    json: {
      routing_key: settings.channel,
      event_action: isError ? 'trigger' : 'resolve',
      dedup_key: uid,
      ...(isError
        ? { payload: { ...about, severity: event.severity, component: name, group: kind } }
        : {}),
    },
  });
  if (isError) return;
  await exchange({
    url: new URL('/v2/change/enqueue', origin),
    json: { routing_key: settings.channel, payload: about },
  });
}

/** Failures fire an alert of the object at incident.io, and a success resolves it. */
export async function sendIncident(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  if (event.reason === 'Progressing') return;
  if (settings.token.trim() === '')
    throw new DeliveryError('incident.io needs a token in the Secret');
  const { severity, reason, reportingController } = event;
  await exchange({
    url: addressOf(settings),
    headers: bearer(settings),
    json: {
      title: `${objectWord(event)}: ${reason}`,
      status: severity === 'error' ? 'firing' : 'resolved',
      deduplication_key: event.involvedObject.uid ?? '',
      description: event.message,
      metadata: { ...event.metadata, severity, reason, reportingController },
    },
  });
}
