import { configSchema, problemsOf } from '../plugin/config-schema.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';
import { bodyless, sentHeaders } from './nginx/client-headers.ts';
import { SideClient } from './nginx/side-client.ts';
import { sideTarget, urlProblem } from './nginx/side-target.ts';
import { variableProblem, variableText } from './nginx/variable-text.ts';

interface Config {
  readonly url: string;
  readonly host: string | null;
  readonly request_body: boolean;
  readonly location: string | null;
}

/** A longer body is not held for a mirror: the request then goes to the upstream only. */
const maximumBodyBytes = 1_024 * 1_024;
/** Mirrors that do not keep up get no more until some are done. */
const maximumUnderWay = 256;
const timeoutMs = 60_000;
const dueKey = 'traffic-mirror';

/**
 * Sends a copy of each request elsewhere. Nobody waits for the mirror, and what it answers is thrown
 * away: whether it is slow or gone, clients do not notice.
 */
export function trafficMirror() {
  const client = new SideClient();
  const never = new AbortController().signal;
  let underWay = 0;
  const send = (context: RequestContext, config: Config, body: Buffer | undefined) => {
    if (underWay >= maximumUnderWay) {
      return;
    }
    underWay += 1;
    sendCopy(client, context, config, body, never)
      .catch(() => {})
      .finally(() => {
        underWay -= 1;
      });
  };
  return definePlugin<Config>({
    name: 'traffic-mirror',
    isUnlisted: true,
    priority: 95,
    schema: configSchema({
      url: { type: 'string', required: true },
      host: { type: 'string' },
      request_body: { type: 'boolean', required: true, default: true },
      location: { type: 'string', starts_with: '/' },
    }),
    check: ({ url, host, location }) =>
      problemsOf({
        url: variableProblem(url) ?? urlProblem(url),
        host: variableProblem(host ?? ''),
        location: variableProblem(location ?? ''),
      }),
    access(context, config) {
      context.shared.set(dueKey, true);
      if (!config.request_body || !context.hasBody) {
        return undefined;
      }
      return readBody(context, maximumBodyBytes).then((body) => {
        if (body === undefined) {
          context.shared.delete(dueKey);
        }
      });
    },
    // Not before the upstream has answered, so that the mirror never takes its place in a queue.
    headerFilter(context, config) {
      if (context.shared.delete(dueKey)) {
        send(context, config, config.request_body ? context.upstream?.body : undefined);
      }
    },
    close: () => client.close(),
  });
}

async function sendCopy(
  client: SideClient,
  context: RequestContext,
  config: Config,
  body: Buffer | undefined,
  signal: AbortSignal,
): Promise<void> {
  const named = sideTarget(variableText(config.url).render(context));
  const place = await context.runtime.locate(named.host, named.port);
  if (place === undefined) {
    return;
  }
  const target = { ...named, host: place.ip, port: place.port };
  const hasPath = /^https?:\/\/[^/?]+[/?$]/i.test(config.url) || config.url.includes('$');
  const host = config.host === null ? target.serverName : variableText(config.host).render(context);
  await client.ask(
    {
      target: hasPath || config.location === null ? target : { ...target, path: config.location },
      method: context.method,
      headers: [
        'Host',
        host,
        ...(body === undefined
          ? bodyless(context.method)
          : ['Content-Length', String(body.length)]),
        ...sentHeaders(context, new Set()),
      ],
      ...(body === undefined ? {} : { body }),
      timeoutMs,
    },
    signal,
  );
}
