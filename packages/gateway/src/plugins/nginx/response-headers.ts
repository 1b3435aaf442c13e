import type { HeaderList } from '../../http/header-list.ts';

/** A beginning, or a domain, and what stands in its place. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** What changes an upstream's headers. */
export interface ResponseConfig {
  readonly hide_headers: readonly string[];
  readonly server_tokens: boolean;
  readonly allow_backend_server_header: boolean;
  readonly proxy_redirect: Replacement | null;
  readonly cookie_domain: Replacement | null;
  readonly cookie_path: Replacement | null;
}

/** What an upstream says to nginx alone. */
const forProxy = [
  'x-accel-redirect',
  'x-accel-expires',
  'x-accel-limit-rate',
  'x-accel-buffering',
  'x-accel-charset',
  'x-pad',
];

/** Changes the headers of an upstream's answer as nginx does. */
export function changeResponseHeaders(headers: HeaderList, config: ResponseConfig): void {
  for (const name of forProxy) headers.remove(name);
  for (const name of config.hide_headers) headers.remove(name);
  if (!(config.server_tokens && config.allow_backend_server_header)) headers.remove('server');
  const { proxy_redirect: redirect, cookie_domain: domain, cookie_path: path } = config;
  if (redirect !== null) {
    changeEach(headers, 'location', (value) => replaceStart(value, redirect));
    changeEach(headers, 'refresh', (value) =>
      value.replace(/(url=)(.*)$/i, (_all, start: string, url: string) => {
        return start + replaceStart(url, redirect);
      }),
    );
  }
  if (domain !== null || path !== null) {
    changeEach(headers, 'set-cookie', (value) => changeCookie(value, domain, path));
  }
}

function replaceStart(value: string, { from, to }: Replacement): string {
  return value.startsWith(from) ? to + value.slice(from.length) : value;
}

function changeEach(headers: HeaderList, name: string, change: (value: string) => string): void {
  const values = headers.getAll(name);
  const changed = values.map(change);
  if (changed.some((value, index) => value !== values[index])) {
    headers.remove(name);
    for (const value of changed) headers.add(name === 'set-cookie' ? 'Set-Cookie' : name, value);
  }
}

/** The attributes of a cookie, with its domain and path replaced. */
function changeCookie(
  cookie: string,
  domain: Replacement | null,
  path: Replacement | null,
): string {
  const [first = '', ...attributes] = cookie.split(';');
  const changed = attributes.map((attribute) => {
    const equals = attribute.indexOf('=');
    const name = attribute.slice(0, equals).trim().toLowerCase();
    const value = attribute.slice(equals + 1);
    if (domain !== null && name === 'domain') {
      return attribute.slice(0, equals + 1) + replaceDomain(value, domain);
    }
    if (path !== null && name === 'path') {
      return attribute.slice(0, equals + 1) + replaceStart(value, path);
    }
    return attribute;
  });
  return [first, ...changed].join(';');
}

/** A dot at the start of either is not looked at, and stays. */
function replaceDomain(value: string, { from, to }: Replacement): string {
  const dot = value.startsWith('.') ? '.' : '';
  const isSame = value.slice(dot.length).toLowerCase() === from.replace(/^\./, '').toLowerCase();
  return isSame ? dot + to.replace(/^\./, '') : value;
}
