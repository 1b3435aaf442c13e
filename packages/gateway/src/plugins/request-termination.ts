import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../proxy/request-context.ts';

interface Config {
  readonly status_code: number;
  readonly message: string | null;
  readonly body: string | null;
  readonly content_type: string | null;
  readonly echo: boolean;
  readonly trigger: string | null;
}

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
      return;
    }
    if (config.echo) {
      context.exit(status, echo(context));
      return;
    }
    if (config.body !== null) {
      const type = config.content_type ?? 'application/json; charset=utf-8';
      context.exit(status, config.body, { 'Content-Type': type });
      return;
    }
    context.fail(
      status,
      config.message ?? defaultMessages[status] ?? 'An unexpected error occurred',
    );
  },
});

function echo(context: RequestContext): object {
  const { match, client } = context;
  const question = context.target.indexOf('?', 1);
  return {
    request: {
      scheme: client.isTls ? 'https' : 'http',
      host: client.forwardedHost,
      port: client.localPort,
      headers: context.headers.toObject(),
      query: Object.fromEntries(
        context.arguments.entries().map(([name, value]) => [name, value ?? true]),
      ),
      path: question === -1 ? context.target : context.target.slice(0, question),
      method: context.method,
    },
    matched_route: match?.entry.route,
    matched_service: match?.entry.service,
  };
}
