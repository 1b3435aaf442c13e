import { unknownNginxVariable } from '@waygate/kong';
import type { ConfigMap } from '../../../objects/secret.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { headersOf } from '../proxying.ts';
import type { NginxSettings } from '../settings.ts';
import { resourceOf } from './resource.ts';

const defaultDurations = [{ statuses: [200, 202, 401], seconds: 300 }];

/**
 * A service that is asked before each request. Whatever is wrong with the annotations closes the paths:
 * the original opens them for some.
 */
export function parseExternalAuth(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
  satisfy: string,
): PluginEntity | undefined {
  const url = read.text('auth-url');
  const isForAll = read.bool('enable-global-auth') ?? true;
  if (url === undefined) return isForAll ? globalAuth(read, settings, satisfy) : undefined;
  if (!isUrl(url)) {
    read.deny('auth-url', 'is no URL');
    return undefined;
  }
  const method = read.text('auth-method');
  const signin = read.text('auth-signin');
  const cacheKey = read.text('auth-cache-key');
  const redirect = read.text('auth-request-redirect');
  const durations = durationsOf(read.text('auth-cache-duration'));
  if (durations === undefined) {
    read.deny('auth-cache-duration', 'has no time');
    return undefined;
  }
  return {
    name: 'external-auth',
    config: {
      url,
      ...(method !== undefined && { method }),
      ...(signin !== undefined && { signin }),
      signin_redirect_param: read.text('auth-signin-redirect-param') ?? 'rd',
      response_headers: read.list('auth-response-headers') ?? [],
      ...(redirect !== undefined && { request_redirect: redirect }),
      set_headers: setHeaders(namespace, read, settings, reader),
      ...(cacheKey !== undefined && { cache_key: cacheKey }),
      cache_durations: durations,
      always_set_cookie: read.bool('auth-always-set-cookie') ?? false,
      // As the original: whoever names a service by https has a certificate that nobody else knows.
      tls_verify: false,
      satisfy,
    },
  };
}

/** What the ConfigMap says for all that have none of their own. */
function globalAuth(
  read: AnnotationReader,
  settings: NginxSettings,
  satisfy: string,
): PluginEntity | undefined {
  const url = settings.text('global-auth-url');
  if (url === '') return undefined;
  if (!isUrl(url) || unknownNginxVariable(url) !== undefined) {
    // Whoever asked for a guard is not served without it.
    read.deny('auth-url', 'the ConfigMap’s global-auth-url is no URL');
    return undefined;
  }
  const optional = (name: string, key: string) =>
    settings.text(key) === '' ? {} : { [name]: settings.text(key) };
  return {
    name: 'external-auth',
    config: {
      url,
      ...optional('method', 'global-auth-method'),
      ...optional('signin', 'global-auth-signin'),
      signin_redirect_param: settings.text('global-auth-signin-redirect-param') || 'rd',
      response_headers: settings.list('global-auth-response-headers'),
      ...optional('request_redirect', 'global-auth-request-redirect'),
      ...optional('cache_key', 'global-auth-cache-key'),
      cache_durations:
        durationsOf(settings.text('global-auth-cache-duration') || undefined) ?? defaultDurations,
      always_set_cookie: settings.bool('global-auth-always-set-cookie'),
      tls_verify: false,
      satisfy,
    },
  };
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^/\s]/.test(text) && !/^[^/]+\/\/[^/]*\.\./.test(text);
}

function setHeaders(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): readonly object[] {
  const name = read.text('auth-proxy-set-headers');
  if (name === undefined) return [];
  const found = name.includes('/') ? resourceOf(name, namespace, settings) : undefined;
  const isThere =
    found !== undefined &&
    reader.get<ConfigMap>('ConfigMap', found.namespace, found.name) !== undefined;
  if (found !== undefined && isThere) {
    const headers = headersOf(reader, `${found.namespace}/${found.name}`);
    const unknown = headers.flatMap(({ value }) => unknownNginxVariable(value) ?? []);
    if (unknown.length === 0) return headers;
    read.deny('auth-proxy-set-headers', `${unknown[0]} is no variable that is known here`);
    return [];
  }
  read.deny('auth-proxy-set-headers', `there is no ConfigMap ${name} for it`);
  return [];
}

const units: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
};

interface Duration {
  readonly statuses: number[];
  readonly seconds: number;
}

/** `200 202 10m, 401 5m`: statuses with the time that their answers are kept. */
function durationsOf(text: string | undefined): Duration[] | undefined {
  if (text === undefined) return defaultDurations;
  const durations: Duration[] = [];
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const words = part.split(/\s+/);
    const [, count, unit = 's'] = /^(\d{1,9})(ms|[smhdw])?$/.exec(words.pop() ?? '') ?? [];
    if (count === undefined) return undefined;
    const statuses = words.length === 0 ? [200, 301, 302] : words.map(Number);
    if (!statuses.every((status) => status >= 100 && status <= 599)) return undefined;
    durations.push({ statuses, seconds: Math.ceil(Number(count) * (units[unit] ?? 1)) });
  }
  return durations.length === 0 ? defaultDurations : durations;
}
