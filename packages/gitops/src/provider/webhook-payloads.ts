import { createHmac } from 'node:crypto';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings } from './provider-message.ts';
import { addressOf } from './provider-settings.ts';
import { gitHubApi, gitHubHeaders, repositoryOf } from './repository-address.ts';

/** The event itself. */
export async function sendGeneric(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  await exchange({
    url: addressOf(settings),
    headers: { 'gotk-component': event.reportingController, ...settings.headers },
    json: event,
  });
}

/** The event itself, signed with the token: who gets it can tell that it is ours. */
export async function sendSigned(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  if (settings.token === '') throw new DeliveryError('generic-hmac needs a token in the Secret');
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', settings.token).update(body).digest('hex');
  await exchange({
    url: addressOf(settings),
    headers: {
      'x-signature': `sha256=${signature}`,
      'gotk-component': event.reportingController,
      ...settings.headers,
    },
    body,
  });
}

/** Starts the workflows of a repository on GitHub that wait for it. */
export async function sendDispatch(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
): Promise<void> {
  const repository = repositoryOf(settings);
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  await exchange({
    url: new URL(`${gitHubApi(repository)}/repos/${repository.path}/dispatches`),
    headers: gitHubHeaders(settings),
    json: { event_type: `${kind}/${name}.${namespace}`, client_payload: event },
  });
}
