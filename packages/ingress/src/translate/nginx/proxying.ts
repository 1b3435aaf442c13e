import { unknownNginxVariable } from '@waygate/kong';
import type { ConfigMap } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import { type NginxSettings, parseSize } from './settings.ts';

export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

/** How requests of a location go to their backend, and answers back. */
export interface ProxySettings {
  readonly protocol: 'auto' | 'http' | 'https' | 'grpc' | 'grpcs' | 'fcgi';
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly buffersRequests: boolean;
  readonly buffersResponses: boolean;
  /** What the plugin `nginx-proxy` is told, beside the place. */
  readonly plugin: Readonly<Record<string, unknown>>;
}

/** nginx' own limit, where the text of the annotation is one that its template leaves out. */
const defaultBodyBytes = 1024 ** 2;

export function parseProxying(
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): ProxySettings {
  const seconds = (name: string) => (read.int(name) ?? settings.int(name)) * 1_000;
  const text = (name: string) => read.text(name) ?? settings.text(name);
  const protocol = protocolOf(read.text('backend-protocol'));
  return {
    protocol,
    connectTimeoutMs: seconds('proxy-connect-timeout'),
    readTimeoutMs: seconds('proxy-read-timeout'),
    sendTimeoutMs: seconds('proxy-send-timeout'),
    buffersRequests: text('proxy-request-buffering') === 'on',
    buffersResponses: text('proxy-buffering') === 'on',
    plugin: {
      body_size: parseSize(text('proxy-body-size')) ?? defaultBodyBytes,
      ...serverPart(settings, reader),
      ...optional('upstream_vhost', read.text('upstream-vhost')),
      ...optional('connection_header', read.text('connection-proxy-header')),
      ...optional('proxy_redirect', proxyRedirect(text)),
      ...optional('cookie_domain', pairOf(text('proxy-cookie-domain'))),
      ...optional('cookie_path', pairOf(text('proxy-cookie-path'))),
      next_upstream: nextUpstream(read, settings),
      response_header_buffer: Math.max(
        within(parseSize(text('proxy-buffer-size')) ?? 4_096, 2 ** 31 - 1),
        1,
      ),
    },
  };
}

/** What the ConfigMap says for all locations. */
function serverPart(settings: NginxSettings, reader: ObjectReader): Record<string, unknown> {
  const part: Record<string, unknown> = {
    forwarded: {
      trust: settings.bool('use-forwarded-headers'),
      append: settings.bool('compute-full-forwarded-for'),
      real_ip: settings.bool('enable-real-ip'),
      for_header: settings.text('forwarded-for-header'),
      host_header: settings.text('forwarded-host-header'),
      trusted_cidrs: settings.list('proxy-real-ip-cidr'),
    },
    generate_request_id: settings.bool('generate-request-id'),
    original_uri_header: settings.bool('proxy-add-original-uri-header'),
    underscores_in_headers: settings.bool('enable-underscores-in-headers'),
    ignore_invalid_headers: settings.bool('ignore-invalid-headers'),
    server_tokens: settings.bool('server-tokens'),
    allow_backend_server_header: settings.bool('allow-backend-server-header'),
  };
  const set = headersOf(reader, settings.text('proxy-set-headers')).filter(
    // One that the gateway would refuse would keep everybody's changes back.
    ({ value }) => unknownNginxVariable(value) === undefined,
  );
  if (set.length > 0) part.set_headers = set;
  const hidden = settings.list('hide-headers');
  if (hidden.length > 0) part.hide_headers = hidden;
  if (settings.bool('hsts')) {
    part.hsts = {
      max_age: Number(settings.text('hsts-max-age')) || 0,
      include_subdomains: settings.bool('hsts-include-subdomains'),
      preload: settings.bool('hsts-preload'),
    };
  }
  const block = {
    cidrs: settings.list('block-cidrs'),
    user_agents: settings.list('block-user-agents'),
    referers: settings.list('block-referers'),
  };
  if (Object.values(block).some((list) => list.length > 0)) part.block = block;
  return part;
}

/** The pairs of a ConfigMap that holds headers, by `namespace/name`. */
export function headersOf(reader: ObjectReader, key: string): HeaderValue[] {
  const [namespace = '', name = ''] = key.split('/');
  if (name === '') return [];
  const data = reader.get<ConfigMap>('ConfigMap', namespace, name)?.data ?? {};
  return Object.entries(data)
    .filter(([header, value]) => isHeaderName(header) && isHeaderValue(value))
    .map(([header, value]) => ({ name: header, value }));
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name);
}

/** One line: nothing in it can begin another header. */
export function isHeaderValue(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  return !/[\x00-\x08\x0a-\x1f\x7f]/.test(value);
}

function protocolOf(text: string | undefined): ProxySettings['protocol'] {
  const name = (text ?? 'http').toLowerCase();
  return name === 'auto_http' ? 'auto' : (name as ProxySettings['protocol']);
}

/** Without a target there is nothing to rewrite; `default` is what nginx does for a fixed backend. */
function proxyRedirect(
  text: (name: string) => string,
): { readonly from: string; readonly to: string } | undefined {
  const [from, to] = [text('proxy-redirect-from'), text('proxy-redirect-to')];
  if (from === 'off' || from === 'default' || to === 'off' || to === '') return undefined;
  return { from, to };
}

function pairOf(text: string): { readonly from: string; readonly to: string } | undefined {
  const [from, to] = text.split(/\s+/);
  if (text === 'off' || from === undefined || to === undefined) return undefined;
  return { from, to };
}

function nextUpstream(read: AnnotationReader, settings: NginxSettings): Record<string, unknown> {
  const text = read.text('proxy-next-upstream') ?? settings.text('proxy-next-upstream');
  const words = text.split(/\s+/).filter((word) => word !== '');
  const number = (name: string) => read.int(name) ?? settings.int(name);
  return {
    conditions: words.filter((word) => word !== 'non_idempotent' && word !== 'off'),
    tries: within(number('proxy-next-upstream-tries'), 100),
    timeout: within(number('proxy-next-upstream-timeout'), 86_400),
    non_idempotent: words.includes('non_idempotent') || settings.bool('retry-non-idempotent'),
  };
}

/** Numbers beyond what makes sense are the nearest that does. */
function within(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

function optional<T>(name: string, value: T | undefined): Record<string, T> {
  return value === undefined ? {} : { [name]: value };
}
