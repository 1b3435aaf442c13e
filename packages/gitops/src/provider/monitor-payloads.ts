import { createHash } from 'node:crypto';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import {
  objectWord,
  type ProviderMessage,
  type ProviderSettings,
  shownFacts,
} from './provider-message.ts';
import { addressOf } from './provider-settings.ts';

/** An event among those of Datadog. */
export async function sendDatadog(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  if (settings.token === '')
    throw new DeliveryError("a Provider of type datadog needs an API key as the Secret's token");
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  const url = addressOf(settings);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/events`;
  await exchange({
    url,
    headers: { 'dd-api-key': settings.token.trim() },
    json: {
      title: `${kind}/${name}.${namespace}`,
      text: event.message,
      alert_type: event.severity === 'error' ? 'error' : 'success',
      aggregation_key: objectWord(event),
      source_type_name: 'flux',
      date_happened: secondsOf(event.timestamp),
      tags: [
        `flux-reporting-controller:${event.reportingController}`,
        `flux-reason:${event.reason}`,
        `flux-kind:${kind}`,
        `flux-name:${name}`,
        `flux-namespace:${namespace}`,
        ...shownFacts(event).map(([key, value]) => `${key}:${value}`),
      ],
    },
  });
}

/** An event in a project of Sentry, by the project's DSN; the channel is the environment. */
export async function sendSentry(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const dsn = addressOf(settings);
  const [, path = '', project = ''] = /^(.*)\/([^/]+)$/.exec(dsn.pathname) ?? [];
  const key = decodeURIComponent(dsn.username);
  if (key === '' || project === '')
    throw new DeliveryError('the address is no DSN of Sentry: https://KEY@HOST/PROJECT');
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  // The same for each try: a message that came and was not confirmed is one event there.
  const id = createHash('sha256').update(JSON.stringify(event)).digest('hex').slice(0, 32);
  const item = {
    event_id: id,
    timestamp: secondsOf(event.timestamp),
    platform: 'other',
    level: event.severity === 'error' ? 'error' : 'info',
    logger: event.reportingController,
    server_name: event.reportingInstance,
    transaction: `${kind}: ${namespace}/${name}`,
    message: event.message,
    tags: { kind, name, namespace, reason: event.reason },
    extra: event.metadata ?? {},
    ...(settings.channel === '' ? {} : { environment: settings.channel }),
  };
  await exchange({
    url: new URL(`${path}/api/${project}/envelope/`, dsn.origin),
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=waygate, sentry_key=${key}`,
    },
    body: [{ event_id: id }, { type: 'event' }, item]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  });
}

function secondsOf(timestamp: string): number {
  const at = Date.parse(timestamp);
  return Math.floor((Number.isNaN(at) ? 0 : at) / 1000);
}
