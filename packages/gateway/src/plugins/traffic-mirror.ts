import { configSchema, problemsOf } from '../plugin/config-schema.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { sideTarget, urlProblem } from './nginx/side-target.ts';
import { variableProblem, variableText } from './nginx/variable-text.ts';
import { RequestCopies } from './request-copies.ts';

interface Config {
  readonly url: string;
  readonly host: string | null;
  readonly request_body: boolean;
  readonly location: string | null;
}

/**
 * Sends a copy of each request elsewhere. Nobody waits for the mirror, and what it answers is thrown
 * away: whether it is slow or gone, clients do not notice.
 */
export function trafficMirror() {
  const copies = new RequestCopies<true>('traffic-mirror');
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
    access: (context, config) => copies.note(context, true, config.request_body),
    headerFilter(context, config) {
      if (copies.take(context) === true) copies.send(context, () => copyFor(context, config));
    },
    close: () => copies.close(),
  });
}

function copyFor(context: RequestContext, { url, host, location, request_body }: Config) {
  const target = sideTarget(variableText(url).render(context));
  const hasPath = /^https?:\/\/[^/?]+[/?$]/i.test(url) || url.includes('$');
  return {
    target: hasPath || location === null ? target : { ...target, path: location },
    host: host === null ? target.serverName : variableText(host).render(context),
    body: request_body ? context.upstream?.body : undefined,
  };
}
