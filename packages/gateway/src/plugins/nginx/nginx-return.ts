import { plainHost } from '../../exchange/client-facts.ts';
import { configSchema, problemsOf, record } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { decodedPath, encodedPath } from '../../router/decoded-path.ts';
import { redirectTo } from './error-page.ts';
import { factsOf, refuseEarly } from './request-facts.ts';
import { variableProblem, variableText } from './variable-text.ts';

interface Config {
  readonly app_root: string | null;
  readonly redirect: { readonly status: number; readonly url: string } | null;
  readonly relative_redirects: boolean;
  readonly add_slash: boolean;
  readonly to_host: { readonly host: string; readonly status: number } | null;
  readonly ssl_redirect: {
    readonly status: number;
    readonly keep_trailing_slash: boolean;
    readonly port_in_redirect: boolean;
  } | null;
  readonly status: number | null;
  /** The status stands for the whole server: nothing that a location adds goes with it. */
  readonly is_closed: boolean;
}

const flag = { type: 'boolean', required: true, default: false };
const redirectStatus = (status: number) => ({
  type: 'integer',
  required: true,
  default: status,
  between: [300, 308],
});

/** Answers without asking an upstream: redirects and plain statuses, in the order in which nginx looks. */
export const nginxReturn = definePlugin<Config>({
  name: 'nginx-return',
  isUnlisted: true,
  priority: 2_980,
  schema: configSchema({
    app_root: { type: 'string', starts_with: '/' },
    redirect: record({ status: redirectStatus(301), url: { type: 'string', required: true } }),
    relative_redirects: flag,
    add_slash: flag,
    to_host: record({
      host: { type: 'string', required: true, match: '^[%w%-._*]+$' },
      status: redirectStatus(308),
    }),
    ssl_redirect: record({
      status: redirectStatus(308),
      keep_trailing_slash: flag,
      port_in_redirect: flag,
    }),
    status: { type: 'integer', between: [200, 599] },
    is_closed: flag,
  }),
  check: ({ app_root: root, redirect }) =>
    problemsOf({
      app_root: variableProblem(root ?? ''),
      redirect: problemsOf({ url: variableProblem(redirect?.url ?? '') }),
    }),
  access(context, config) {
    const redirect = redirectOf(context, config);
    if (redirect?.isEarly || (redirect === undefined && config.is_closed)) refuseEarly(context);
    if (redirect !== undefined) {
      redirectTo(context, redirect.status, redirect.location);
    } else if (config.status !== null && config.status < 300) {
      context.exit(config.status);
    } else if (config.status !== null) {
      context.fail(config.status, 'no answer but this is configured');
    }
  },
});

interface Redirect {
  readonly status: number;
  readonly location: string;
  /** nginx answers before it looks for a location. */
  readonly isEarly?: true;
}

function redirectOf(context: RequestContext, config: Config): Redirect | undefined {
  const facts = factsOf(context);
  const { app_root: root, redirect, to_host: toHost, ssl_redirect: secure } = config;
  if (root !== null && decodedPath(context.target) === '/') {
    const location = `${facts.scheme}://${facts.httpHost}${variableText(root).render(context)}`;
    return { status: 302, location, isEarly: true };
  }
  if (redirect !== null) {
    const url = variableText(redirect.url).render(context);
    return { status: redirect.status, location: absolute(context, config, url) };
  }
  if (config.add_slash) {
    const query = context.query ? `?${context.query}` : '';
    const path = `${encodedPath(decodedPath(context.target))}/${query}`;
    return { status: 301, location: absolute(context, config, path) };
  }
  if (toHost !== null) {
    const base = `${facts.scheme}://${toHost.host}:${facts.serverPort}`;
    return { status: toHost.status, location: base + withoutSlash(context.target), isEarly: true };
  }
  if (secure !== null && facts.passScheme === 'http') {
    const uri = secure.keep_trailing_slash ? context.target : withoutSlash(context.target);
    const port = secure.port_in_redirect ? ':443' : '';
    return { status: secure.status, location: `https://${plainHost(facts.bestHost)}${port}${uri}` };
  }
  return undefined;
}

function absolute(context: RequestContext, config: Config, url: string): string {
  const { scheme, httpHost } = factsOf(context);
  const isPath = url.startsWith('/');
  return isPath && !config.relative_redirects ? `${scheme}://${plainHost(httpHost)}${url}` : url;
}

/** One slash at the very end is cut off, as ingress-nginx does. */
function withoutSlash(target: string): string {
  return target.endsWith('/') ? target.slice(0, -1) : target;
}
