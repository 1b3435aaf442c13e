import type { RequestContext } from './request-context.ts';

/** Headers whose values are secrets: logs say only that they were there. */
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'apikey',
  'x-api-key',
]);

/** The id of Kong's only workspace; its name is `default`. */
export const workspaceId = '0dc6f45b-8f8d-40d2-a504-473544ee190b';

/** A request as Kong's log plugins write it down. */
export function logEntry(context: RequestContext): Record<string, unknown> {
  const { match, response, timings, client, upstream, consumer, credential } = context;
  const now = performance.now();
  const total = Math.round(now - timings.startedAt);
  const proxied = timings.proxiedAt || now;
  const answered = timings.upstreamAnsweredAt || proxied;
  const scheme = client.isTls ? 'https' : 'http';
  const wait = timings.upstreamAnsweredAt > 0 ? Math.round(answered - proxied) : -1;
  return {
    request: {
      id: context.requestId,
      uri: context.target,
      url: `${scheme}://${client.forwardedHost}:${client.localPort}${context.target}`,
      method: context.method,
      headers: withoutSecrets(context.headers.toObject()),
      querystring: Object.fromEntries(
        context.arguments.entries().map(([name, value]) => [name, value ?? true]),
      ),
      size: context.requestBytes,
    },
    response: {
      status: response?.status ?? 499,
      headers: withoutSecrets(response?.headers.toObject() ?? {}),
      size: context.responseBytes,
    },
    upstream_uri:
      upstream === undefined
        ? ''
        : upstream.path + (upstream.query === undefined ? '' : `?${upstream.query}`),
    upstream_status: upstreamStatus(context),
    tries: context.tries.map((attempt) => ({
      ip: attempt.address,
      port: attempt.port,
      ...(attempt.state === undefined ? {} : { state: attempt.state }),
      balancer_start: Math.round(context.runtime.now() - (now - attempt.startedAt)),
    })),
    latencies: {
      request: total,
      kong: Math.max(total - Math.max(wait, 0), 0),
      proxy: wait,
      receive: timings.upstreamAnsweredAt > 0 ? Math.round(now - answered) : 0,
    },
    client_ip: client.ip,
    started_at: Math.round(context.runtime.now() - total),
    source: response?.source ?? 'error',
    ...(match === undefined ? {} : { route: match.entry.route }),
    ...(match?.entry.service === undefined ? {} : { service: match.entry.service }),
    ...(consumer === undefined ? {} : { consumer }),
    ...(credential === undefined ? {} : { authenticated_entity: { id: credential.id } }),
    workspace: workspaceId,
    workspace_name: 'default',
  };
}

/** As nginx writes it: nothing if no upstream was asked. */
function upstreamStatus({ upstreamStatus: status, response, tries }: RequestContext): string {
  if (status !== undefined) return String(status);
  return tries.length > 0 ? String(response?.status ?? 502) : '';
}

function withoutSecrets(
  headers: Readonly<Record<string, string | string[]>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name) ? '***' : value]),
  );
}
