import { createHash } from 'node:crypto';
import { type HttpTls, isObject, parseProxy, parseYaml } from '@waygate/text';
import type { Provider } from '../api/notification-objects.ts';
import type { SecretData } from '../api/secret-data.ts';
import { tlsSettingsOf } from '../http/tls-secret.ts';
import { DeliveryError } from './provider-exchange.ts';
import type { ProviderSettings } from './provider-message.ts';

/** The Secrets that a provider names, as far as it names them. */
interface ProviderSecrets {
  readonly secret: SecretData | undefined;
  readonly certificates: SecretData | undefined;
  readonly proxy: SecretData | undefined;
}

/** How a provider's server is reached. */
interface ProviderWay {
  readonly tls: HttpTls;
  readonly proxy: URL | undefined;
}

const maxAddress = 2048;

/** What a provider says, with what its Secret says above it. */
export function providerSettings(
  provider: Provider,
  secret: SecretData | undefined,
): ProviderSettings {
  const { address = '', channel = '', username = '' } = provider.spec;
  const fromSecret = secret?.address?.trim() ?? '';
  if (fromSecret.length > maxAddress)
    throw new DeliveryError(`the address in the Secret is longer than ${maxAddress} characters`);
  return {
    provider,
    address: fromSecret || address,
    channel,
    username: secret?.username ?? username,
    password: secret?.password ?? '',
    token: secret?.token ?? '',
    headers: headersOf(secret?.headers),
    appId: secret?.githubAppID?.trim() ?? '',
  };
}

/** @throws GitOpsError when a Secret has nothing of use in it */
export function providerWay(
  { spec, metadata }: Provider,
  { secret, certificates, proxy }: ProviderSecrets,
): ProviderWay {
  // Certificates may stand beside the token: that is how the commits' servers are configured.
  const inSecret =
    secret !== undefined && ['ca.crt', 'caFile', 'tls.crt', 'certFile'].some((key) => key in secret)
      ? secret
      : undefined;
  const inSpec = secret?.proxy?.trim() || spec.proxy;
  return {
    tls: tlsSettingsOf(certificates ?? inSecret, `${metadata.namespace}/${metadata.name}`),
    proxy: proxyOf(proxy) ?? (inSpec === undefined ? undefined : parseProxy(inSpec)),
  };
}

function proxyOf(secret: SecretData | undefined): URL | undefined {
  if (secret === undefined) return undefined;
  if ((secret.address ?? '') === '')
    throw new DeliveryError("the Secret of the proxy has no 'address'");
  const url = parseProxy(secret.address ?? '');
  if (secret.username !== undefined) url.username = secret.username;
  if (secret.password !== undefined) url.password = secret.password;
  return url;
}

/** Where to: @throws DeliveryError */
export function addressOf({ address }: ProviderSettings): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new DeliveryError('the address is no http or https URL');
  return url;
}

export function bearer({ token }: ProviderSettings): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token.trim()}` };
}

export function basic({ username, password }: ProviderSettings): Record<string, string> {
  if (password === '') return {};
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

/** Two clusters that report to one commit must not take each other's word back. */
export function shortUid({ metadata }: Provider): string {
  const uid = metadata.uid ?? createHash('sha256').update(String(metadata.name)).digest('hex');
  return uid.split('-', 1)[0] ?? '';
}

function headersOf(text: string | undefined): Record<string, string> {
  if (text === undefined || text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch {
    value = undefined;
  }
  // Its text might be quoted by the reason.
  if (!isObject(value)) throw new DeliveryError("'headers' of the Secret is no YAML map");
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const header = String(one);
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || /[\r\n\0]/.test(header))
        throw new DeliveryError("'headers' of the Secret has something that is no header");
      return [name.toLowerCase(), header];
    }),
  );
}
