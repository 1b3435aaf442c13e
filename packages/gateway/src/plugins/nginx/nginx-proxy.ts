import { oncePer } from '@waygate/text';
import { headBytes } from '../../http/header-list.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { ProxyManner, RetryPolicy } from '../../plugin/proxy-manner.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { withoutQuery } from '../../router/request-path.ts';
import { accelPace, accelRedirect } from './accel-headers.ts';
import { isBlocked } from './blocked-client.ts';
import { nginxPage, redirectTo } from './error-page.ts';
import { clientAddress, isTrustedPeer } from './forwarded-client.ts';
import { checkNginxProxy, type NginxProxyConfig, nginxProxySchema } from './nginx-proxy-config.ts';
import { factsOf, isRefusedEarly, keepFacts, noteTooLarge, sentHost } from './request-facts.ts';
import { setRequestHeaders } from './request-headers.ts';
import { changeResponseHeaders } from './response-headers.ts';
import { rewriteUri } from './uri-rewrite.ts';
import { variableText } from './variable-text.ts';

/** A body that comes in chunks is held up to this, so that the upstream is told its length. */
const maximumHeldBytes = 4 * 1_024 * 1_024;

/** Carries requests as ingress-nginx does: its headers, its rewrites, its retries and its error pages. */
export const nginxProxy = definePlugin<NginxProxyConfig>({
  name: 'nginx-proxy',
  isByDecodedPath: true,
  isUnlisted: true,
  priority: 3_000,
  schema: nginxProxySchema,
  check: checkNginxProxy,
  access(context, config) {
    context.manner = mannerOf(context, config);
    readClient(context, config);
    const length = context.contentLength ?? 0;
    if (config.body_size > 0 && length > config.body_size) {
      context.reply.closeAfter();
      noteTooLarge(context);
      context.fail(413, 'Payload too large');
      return;
    }
    if (config.block !== null && isBlocked(context, config.block)) {
      context.fail(403, 'Forbidden');
      return;
    }
    setRequestHeaders(context, config);
    setUri(context, config);
    const headers = context.upstream?.headers;
    for (const { name, value } of config.set_headers) {
      const text = variableText(value).render(context);
      headers?.remove(name);
      if (text !== '') headers?.add(name, text);
    }
    // A `Host` of the settings above wins.
    if (headers?.has('host') === false) headers.add('Host', hostFor(context, config));
  },
  headerFilter(context, config) {
    const { response } = context;
    if (response === undefined || isRefusedEarly(context)) return;
    const { headers } = response;
    if (response.source === 'upstream') {
      if (headBytes(headers.raw) > (config.response_header_buffer ?? Number.POSITIVE_INFINITY)) {
        response.status = 502;
        headers.raw.length = 0;
        response.isBodyDropped = true;
      }
      setPace(context);
      changeResponseHeaders(headers, config);
    }
    if (config.server_tokens && !headers.has('server')) headers.add('Server', 'nginx');
    for (const { name, value } of config.add_headers) headers.set(name, value);
    if (config.hsts !== null && context.client.isTls) {
      headers.set('Strict-Transport-Security', hstsText(config.hsts));
    }
  },
});

const retryOf = oncePer((config: NginxProxyConfig) => retryPolicy(config.next_upstream));

function mannerOf(context: RequestContext, config: NginxProxyConfig): ProxyManner {
  return {
    ...context.manner,
    errorPage: nginxPage,
    isBare: true,
    retry: retryOf(config),
    maximumHeldBytes,
    follow: (headers) => accelRedirect(context, headers, config),
    ...(config.body_size > 0 ? { maximumBodyBytes: config.body_size } : {}),
    ...(config.connection_header === null ? {} : { connection: config.connection_header }),
  };
}

/** The upstream has the last word on how fast its answer goes. */
function setPace(context: RequestContext): void {
  const { pace, ...others } = context.manner ?? {};
  const said = context.response && accelPace(pace, context.response.headers);
  if (said !== pace) context.manner = said === undefined ? others : { ...others, pace: said };
}

function retryPolicy(config: NginxProxyConfig['next_upstream']): RetryPolicy {
  const conditions = new Set(config.conditions);
  const isOff = conditions.has('off');
  return {
    tries: isOff ? 1 : config.tries,
    timeoutMs: config.timeout * 1_000,
    onError: conditions.has('error'),
    onTimeout: conditions.has('timeout'),
    onInvalidHead: conditions.has('invalid_header'),
    statuses: new Set(
      config.conditions.flatMap((condition) =>
        condition.startsWith('http_') ? [Number(condition.slice(5))] : [],
      ),
    ),
    hasUnsafeMethods: config.non_idempotent || conditions.has('non_idempotent'),
  };
}

/** Finds out who asks, and what is believed of the proxies before the gateway. */
function readClient(context: RequestContext, config: NginxProxyConfig): void {
  const { client, headers } = context;
  const { forwarded } = config;
  const isTrusted = forwarded.trust && isTrustedPeer(forwarded, client.remoteAddress);
  const said = (name: string) => (isTrusted ? headers.get(name) || undefined : undefined);
  const scheme = client.isTls ? 'https' : 'http';
  const httpHost = sentHost(context);
  const serverPort = client.isTls ? config.https_port : config.http_port;
  const ip = clientAddress(forwarded, headers, client);
  if (ip !== client.ip) context.client = { ...client, ip };
  keepFacts(context, {
    scheme,
    passScheme: said('x-forwarded-proto') ?? scheme,
    httpHost,
    bestHost: firstOf(said(forwarded.host_header)) ?? httpHost,
    serverPort,
    passPort: said('x-forwarded-port') ?? String(serverPort),
    requestId: headers.get('x-request-id') || (config.generate_request_id ? context.requestId : ''),
    origin: config.log_fields,
  });
}

function firstOf(list: string | undefined): string | undefined {
  return list?.split(',', 1)[0]?.trim() || undefined;
}

function setUri(context: RequestContext, config: NginxProxyConfig): void {
  const { upstream } = context;
  if (upstream === undefined) return;
  // The path goes on as it came, not as the router reads it; a gRPC call's is never changed.
  upstream.path = withoutQuery(context.target);
  if (config.rewrite === null) return;
  const rewritten = rewriteUri(context, config.rewrite);
  if (rewritten.kind === 'redirect') {
    redirectTo(context, 302, rewritten.location);
    return;
  }
  const groups = rewritten.kind === 'path' ? rewritten.groups : [];
  if (rewritten.kind === 'path') {
    upstream.path = rewritten.path;
    upstream.query = context.query || undefined;
  }
  if (config.forwarded_prefix !== null) {
    const prefix = variableText(config.forwarded_prefix).render(context, groups);
    upstream.headers.set('X-Forwarded-Prefix', prefix);
  }
}

function hostFor(context: RequestContext, { upstream_vhost: vhost }: NginxProxyConfig): string {
  return vhost === null ? factsOf(context).bestHost : variableText(vhost).render(context);
}

function hstsText(hsts: NonNullable<NginxProxyConfig['hsts']>): string {
  const more =
    (hsts.include_subdomains ? '; includeSubDomains' : '') + (hsts.preload ? '; preload' : '');
  return `max-age=${hsts.max_age}${more}`;
}
