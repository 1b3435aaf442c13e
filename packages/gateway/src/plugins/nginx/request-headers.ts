import type { RequestContext } from '../../plugin/request-context.ts';
import type { ForwardedConfig } from './forwarded-client.ts';
import { factsOf } from './request-facts.ts';

interface HeaderConfig {
  readonly forwarded: ForwardedConfig;
  readonly generate_request_id: boolean;
  readonly original_uri_header: boolean;
  readonly underscores_in_headers: boolean;
  readonly ignore_invalid_headers: boolean;
}

/** Never passed on as they came: they speak of one connection, or are set anew. */
const dropped: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'upgrade',
  'keep-alive',
  'te',
  'expect',
  'transfer-encoding',
  'content-length',
  'proxy',
  'http2-settings',
  'x-request-id',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-scheme',
  'x-scheme',
  'x-original-forwarded-for',
  'x-original-forwarded-host',
]);

const plainName = /^[A-Za-z0-9-]+$/;
const nameWithUnderscores = /^[A-Za-z0-9_-]+$/;

/** Puts in place of the headers for the upstream those that ingress-nginx sends. */
export function setRequestHeaders(context: RequestContext, config: HeaderConfig): void {
  const sent = context.upstream?.headers.raw;
  if (sent === undefined) return;
  const facts = factsOf(context);
  const { headers, client } = context;
  sent.length = 0;
  const put = (name: string, value: string) => {
    if (value !== '') sent.push(name, value);
  };
  put('X-Request-ID', facts.requestId);
  put('X-Real-IP', client.ip);
  put('X-Forwarded-For', forwardedFor(context, config.forwarded));
  put('X-Forwarded-Host', facts.bestHost);
  put('X-Forwarded-Port', facts.passPort);
  put('X-Forwarded-Proto', facts.passScheme);
  put('X-Forwarded-Scheme', facts.passScheme);
  put('X-Scheme', facts.passScheme);
  put('X-Original-Forwarded-For', headers.getAll(config.forwarded.for_header).join(', '));
  put('X-Original-Forwarded-Host', headers.getAll(config.forwarded.host_header).join(', '));
  if (config.original_uri_header) put('X-Original-URI', context.sentTarget);
  if (context.service?.protocol?.startsWith('grpc') === true) {
    put('TE', /\btrailers\b/i.test(headers.get('te') ?? '') ? 'trailers' : '');
  }
  const more = moreOf(context);
  for (const [name, value] of more) put(name, value);
  copyClientHeaders(context, config, sent, new Set(more.map(([name]) => name.toLowerCase())));
}

/** Names and values. */
type Pairs = readonly (readonly [string, string])[];
const moreKey = 'nginx more headers';

/** Headers that plugins set for the upstream; an empty value takes the client's away. */
export function headersByPlugins(context: RequestContext): Pairs {
  return moreOf(context);
}

function moreOf({ shared }: RequestContext): Pairs {
  return (shared.get(moreKey) as Pairs | undefined) ?? [];
}

/**
 * Headers for the upstream of a plugin that runs before {@link setRequestHeaders} sets them all. What the
 * client says under their names is lost, also where the value is empty and nothing is sent.
 */
export function addRequestHeaders(context: RequestContext, pairs: Pairs): void {
  context.shared.set(moreKey, [...moreOf(context), ...pairs]);
  const headers = context.upstream?.headers;
  for (const [name, value] of pairs) {
    headers?.remove(name);
    if (value !== '') headers?.add(name, value);
  }
}

function copyClientHeaders(
  context: RequestContext,
  config: HeaderConfig,
  sent: string[],
  without: ReadonlySet<string>,
): void {
  const { raw } = context.headers;
  const isOurs = config.original_uri_header;
  const valid = config.underscores_in_headers ? nameWithUnderscores : plainName;
  const cookies: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (
      dropped.has(lower) ||
      without.has(lower) ||
      lower.startsWith(':') ||
      (isOurs && lower === 'x-original-uri')
    ) {
      continue;
    }
    const isKept = config.ignore_invalid_headers
      ? valid.test(name)
      : config.underscores_in_headers || !name.includes('_');
    if (!isKept) continue;
    if (lower === 'cookie' && context.request.httpVersionMajor === 2) {
      // HTTP/2 may split the cookies over several fields; in HTTP/1.1 they are one.
      cookies.push(value);
    } else {
      sent.push(name, value);
    }
  }
  if (cookies.length > 0) sent.push('Cookie', cookies.join('; '));
}

function forwardedFor({ client, headers }: RequestContext, config: ForwardedConfig): string {
  const said = config.trust && config.append ? headers.getAll(config.for_header).join(', ') : '';
  if (config.trust && config.append) {
    return said === '' ? client.remoteAddress : `${said}, ${client.remoteAddress}`;
  }
  return client.ip;
}
