import { hostname } from 'node:os';
import { nodeId } from '../node-id.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';

interface Config {
  readonly status_code: number;
  readonly message: string | null;
  readonly body: string | null;
  readonly content_type: string | null;
  readonly echo: boolean;
  readonly trigger: string | null;
}

const maximumBodyBytes = 1_024 * 1_024;

const defaultMessages: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'Not found',
  405: 'Method not allowed',
  500: 'An unexpected error occurred',
  502: 'Bad gateway',
  503: 'Service unavailable',
};

/** Answers instead of the upstream, always or for requests that carry a trigger. */
export const requestTermination = definePlugin<Config>({
  name: 'request-termination',
  priority: 2,
  access(context, config) {
    const { trigger, status_code: status } = config;
    if (trigger !== null && !context.headers.has(trigger) && !context.arguments.has(trigger)) {
      return undefined;
    }
    const message = config.message ?? defaultMessages[status] ?? 'An unexpected error occurred';
    if (config.echo) {
      return echo(context).then((facts) => context.exit(status, { message, ...facts }));
    }
    if (config.body !== null) {
      const type = config.content_type ?? 'application/json; charset=utf-8';
      context.exit(status, config.body, { 'Content-Type': type });
      return undefined;
    }
    context.exit(status, { message });
    return undefined;
  },
});

async function echo(context: RequestContext): Promise<object> {
  const { match, client } = context;
  const question = context.target.indexOf('?', 1);
  const body = await readBody(context, maximumBodyBytes);
  return {
    request: {
      scheme: client.isTls ? 'https' : 'http',
      host: client.forwardedHost,
      port: client.localPort,
      headers: context.headers.toObject(),
      query: Object.fromEntries(
        context.arguments.entries().map(([name, value]) => [name, value ?? true]),
      ),
      raw_body: body?.toString('utf8') ?? '',
      uri_captures: {
        unnamed: match?.captures?.numbered ?? [],
        named: match?.captures?.named ?? {},
      },
      path: question === -1 ? context.target : context.target.slice(0, question),
      method: context.method,
    },
    kong: { node_id: nodeId, worker_pid: process.pid, hostname: hostname() },
    matched_route: withoutNulls(match?.entry.route),
    matched_service: withoutNulls(match?.entry.service),
  };
}

/** Fields that are not set do not exist for Kong's plugins. */
function withoutNulls(entity: object | undefined): object | undefined {
  return entity === undefined
    ? undefined
    : Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null));
}
