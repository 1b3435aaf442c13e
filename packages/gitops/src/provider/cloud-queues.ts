import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { isObject } from '@waygate/text';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings, Surroundings } from './provider-message.ts';

/** How long a signature for one message holds. */
const lifeSeconds = 3600;

/** Puts events on an Azure Event Hub: by the key of a connection string, or by a token. */
export async function sendEventHub(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
  { now }: Surroundings,
): Promise<void> {
  const { hub, authorization } = settings.address.includes('SharedAccessKey')
    ? bySharedKey(settings, now)
    : byToken(settings);
  await exchange({
    url: new URL(`${hub.href}/messages?timeout=60&api-version=2014-01`),
    headers: { authorization },
    json: event,
  });
}

interface HubAccess {
  readonly hub: URL;
  readonly authorization: string;
}

/** `Endpoint=sb://NAME.servicebus.windows.net/;SharedAccessKeyName=N;SharedAccessKey=K;EntityPath=HUB` */
function bySharedKey({ address, token, provider }: ProviderSettings, now: () => number): HubAccess {
  if (token !== '' || provider.spec.serviceAccountName !== undefined)
    throw new DeliveryError('a connection string, a token and an account exclude each other');
  const parts = new Map(
    address.split(';').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
    }),
  );
  const part = (name: string) => {
    const value = parts.get(name) ?? '';
    if (value === '') throw new DeliveryError(`the connection string has no ${name}`);
    return value;
  };
  const endpoint = /^sb:\/\/([^/]+)\/?$/.exec(part('Endpoint'))?.[1];
  const scheme = parts.get('UseDevelopmentEmulator') === 'true' ? 'http' : 'https';
  const hub = `${scheme}://${endpoint}/${encodeURIComponent(part('EntityPath'))}`;
  if (endpoint === undefined || !URL.canParse(hub))
    throw new DeliveryError('the Endpoint of the connection string is no sb:// address');
  const resource = encodeURIComponent(hub.toLowerCase());
  const until = Math.floor(now() / 1000) + lifeSeconds;
  const signature = createHmac('sha256', part('SharedAccessKey'))
    .update(`${resource}\n${until}`)
    .digest('base64');
  const fields = [
    `sr=${resource}`,
    `sig=${encodeURIComponent(signature)}`,
    `se=${until}`,
    `skn=${encodeURIComponent(part('SharedAccessKeyName'))}`,
  ];
  return { hub: new URL(hub), authorization: `SharedAccessSignature ${fields.join('&')}` };
}

/** The address is the hub's name, the channel its namespace's. */
function byToken({ address, channel, token }: ProviderSettings): HubAccess {
  if (token.trim() === '')
    throw new DeliveryError(
      'an Event Hub needs a connection string as address, or a token in the Secret: identities of Azure are not supported',
    );
  if (!/^[A-Za-z0-9-]{1,63}$/.test(channel) || !/^[\w.-]{1,256}$/.test(address))
    throw new DeliveryError('the address is no name of a hub, or the channel none of a namespace');
  const hub = new URL(`https://${channel}.servicebus.windows.net/${address}`);
  return { hub, authorization: `Bearer ${token.trim()}` };
}

const pubSubScope = 'https://www.googleapis.com/auth/pubsub';

/** Publishes events to a topic of Google Cloud; the address is the project, the channel the topic. */
export async function sendPubSub(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  exchange: Exchange,
  { now }: Surroundings,
): Promise<void> {
  const { address: project, channel: topic, headers } = settings;
  if (!/^[\w.:-]{1,200}$/.test(project) || !/^[\w.~+%-]{3,255}$/.test(topic))
    throw new DeliveryError('the address is no id of a project, or the channel none of a topic');
  const account = accountOf(settings);
  const accessToken = await googleToken(account, exchange, now);
  const hasAttributes = Object.keys(headers).length > 0;
  const data = Buffer.from(JSON.stringify(event)).toString('base64');
  await exchange({
    url: new URL(`https://pubsub.${account.domain}/v1/projects/${project}/topics/${topic}:publish`),
    headers: { authorization: `Bearer ${accessToken}` },
    json: { messages: [{ data, ...(hasAttributes ? { attributes: headers } : {}) }] },
  });
}

interface GoogleAccount {
  readonly email: string;
  readonly key: KeyObject;
  readonly keyId: string;
  readonly tokenUrl: URL;
  readonly domain: string;
}

/** The key of a service account, as Google gives it out: JSON, in the token of the Secret. */
function accountOf({ token }: ProviderSettings): GoogleAccount {
  if (token.trim() === '')
    throw new DeliveryError(
      'Pub/Sub needs the JSON key of a service account as token in the Secret: identities of Google Cloud are not supported',
    );
  // What is wrong with it is not quoted: all of it is secret.
  const wrong = new DeliveryError('the token in the Secret is no JSON key of a service account');
  let value: unknown;
  let key: KeyObject;
  try {
    value = JSON.parse(token);
    key = createPrivateKey(isObject(value) ? String(value.private_key) : '');
  } catch {
    throw wrong;
  }
  const text = (name: string, otherwise = '') => {
    const found = isObject(value) ? value[name] : undefined;
    return typeof found === 'string' && found !== '' ? found : otherwise;
  };
  const tokenUri = text('token_uri', 'https://oauth2.googleapis.com/token');
  const domain = text('universe_domain', 'googleapis.com');
  const email = text('client_email');
  if (email === '' || !URL.canParse(tokenUri) || !/^[a-z0-9.-]+$/.test(domain)) throw wrong;
  return { email, key, keyId: text('private_key_id'), tokenUrl: new URL(tokenUri), domain };
}

/** A short-lived token, for a promise that the account has signed. */
async function googleToken(
  { email, key, keyId, tokenUrl }: GoogleAccount,
  exchange: Exchange,
  now: () => number,
): Promise<string> {
  const iat = Math.floor(now() / 1000);
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const head = { alg: 'RS256', typ: 'JWT', kid: keyId };
  const claims = {
    iss: email,
    scope: pubSubScope,
    aud: tokenUrl.href,
    iat,
    exp: iat + lifeSeconds,
  };
  const promise = `${encoded(head)}.${encoded(claims)}`;
  const assertion = `${promise}.${sign('sha256', Buffer.from(promise), key).toString('base64url')}`;
  const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const { json } = await exchange({
    url: tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: grant, assertion }).toString(),
  });
  const token = isObject(json) ? json.access_token : undefined;
  if (typeof token === 'string' && token !== '') return token;
  throw new DeliveryError(`${tokenUrl.host} gave no access token`);
}
