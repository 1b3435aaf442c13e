import { configSchema, problemsOf, record, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { admit, isSatisfied, keepOut, type Satisfy, satisfyField } from '../../plugin/satisfy.ts';
import { bodyless } from '../nginx/client-headers.ts';
import { redirectTo } from '../nginx/error-page.ts';
import { type HeaderSetting, headerProblems } from '../nginx/header-check.ts';
import { factsOf } from '../nginx/request-facts.ts';
import { type SideAnswer, SideClient } from '../nginx/side-client.ts';
import { sideTarget, urlProblem } from '../nginx/side-target.ts';
import { variableProblem, variableText } from '../nginx/variable-text.ts';
import { AnswerCache, type CacheDuration } from './answer-cache.ts';
import { questionHeaders } from './question-headers.ts';

interface Config {
  readonly url: string;
  readonly method: string | null;
  readonly signin: string | null;
  readonly signin_redirect_param: string;
  readonly response_headers: readonly string[];
  readonly request_redirect: string | null;
  readonly set_headers: readonly HeaderSetting[];
  readonly cache_key: string | null;
  readonly cache_durations: readonly CacheDuration[];
  readonly always_set_cookie: boolean;
  readonly location: string | null;
  readonly timeout: number;
  readonly tls_verify: boolean;
  readonly satisfy: Satisfy;
}

const cookieKey = 'external-auth cookie';
/** Other answers do not carry what the authentication service sets, unless they always do. */
const cookieStatuses: ReadonlySet<number> = new Set([
  200, 201, 204, 206, 301, 302, 303, 304, 307, 308,
]);

/** Asks a service on every request whether it may pass. Without an answer it may not. */
export function externalAuth() {
  const client = new SideClient();
  const cache = new AnswerCache();
  return definePlugin<Config>({
    name: 'external-auth',
    isUnlisted: true,
    priority: 2_930,
    schema: createSchema(),
    check: checkConfig,
    async access(context, config) {
      if (isSatisfied(context, config.satisfy)) return;
      const answer = await ask(client, cache, context, config);
      const cookies = answer?.headers.get('set-cookie');
      if (cookies !== undefined) {
        // In one field, as nginx has a variable for it: an upstream's own cookies stay beside it.
        context.shared.set(cookieKey, cookies.join(', '));
      }
      if (answer !== undefined && answer.status >= 200 && answer.status < 300) {
        admit(context, config.satisfy);
        copyHeaders(context, config, answer);
      } else {
        keepOut(context, config.satisfy, () => refuse(context, config, answer));
      }
    },
    headerFilter(context, config) {
      const cookie = context.shared.get(cookieKey);
      const { response } = context;
      if (typeof cookie !== 'string' || response === undefined) return;
      if (config.always_set_cookie || cookieStatuses.has(response.status)) {
        response.headers.add('Set-Cookie', cookie);
      }
    },
    close: () => client.close(),
  });
}

async function ask(
  client: SideClient,
  cache: AnswerCache,
  context: RequestContext,
  config: Config,
): Promise<SideAnswer | undefined> {
  const now = context.runtime.now();
  const key =
    config.cache_key === null
      ? undefined
      : JSON.stringify([
          config.location ?? config.url,
          context.match?.entry.route.id,
          factsOf(context).httpHost,
          variableText(config.cache_key).render(context),
        ]);
  const known = key === undefined ? undefined : cache.get(key, now);
  if (known !== undefined) return known;
  const gone = new AbortController();
  context.reply.whenClosed(() => gone.abort());
  try {
    const named = sideTarget(variableText(config.url).render(context));
    const place = await context.runtime.locate(named.host, named.port);
    if (place === undefined) throw new Error(`the name ${named.host} cannot be resolved`);
    const target = { ...named, host: place.ip, port: place.port };
    const method = config.method ?? 'GET';
    const answer = await client.ask(
      {
        target,
        method,
        headers: [
          ...['Host', target.serverName],
          ...bodyless(method),
          ...questionHeaders(context, config),
        ],
        timeoutMs: config.timeout,
        isVerified: config.tls_verify,
      },
      gone.signal,
    );
    if (key !== undefined) cache.put(key, answer, config.cache_durations, now);
    return answer;
  } catch (error) {
    if (!gone.signal.aborted) {
      context.runtime.log.warn('an authentication service gave no answer', {
        route: context.match?.entry.route.name,
        error: (error as Error).message,
      });
    }
    return undefined;
  }
}

function refuse(context: RequestContext, config: Config, answer: SideAnswer | undefined): void {
  const challenge = answer?.headers.get('www-authenticate')?.join(', ');
  const challenged = challenge === undefined ? {} : { 'WWW-Authenticate': challenge };
  if (answer?.status === 401 && config.signin !== null) {
    redirectTo(context, 302, signinUrl(context, config, config.signin), challenged);
  } else if (answer?.status === 401) {
    context.fail(401, 'Unauthorized', challenged);
  } else if (answer?.status === 403) {
    context.fail(403, 'Forbidden');
  } else {
    context.fail(500, 'An unexpected error occurred');
  }
}

/** The page to log in at, told where to come back to unless it says that itself. */
function signinUrl(context: RequestContext, config: Config, signin: string): string {
  const url = variableText(signin).render(context);
  const name = config.signin_redirect_param;
  const query = signin.slice(signin.indexOf('?') + 1);
  const hasQuery = signin.includes('?');
  if (hasQuery && query.split('&').some((pair) => pair.split('=', 1)[0] === name)) return url;
  const back = variableText('$pass_access_scheme://$http_host$escaped_request_uri');
  return `${url}${hasQuery ? '&' : '?'}${name}=${back.render(context)}`;
}

/** What a client says under these names does not reach the upstream, whether the service says it or not. */
function copyHeaders({ upstream }: RequestContext, config: Config, answer: SideAnswer): void {
  for (const name of config.response_headers) {
    upstream?.headers.remove(name);
    const value = answer.headers.get(name.toLowerCase())?.join(', ') ?? '';
    if (value !== '') upstream?.headers.add(name, value);
  }
}

function createSchema() {
  const text = { type: 'string' };
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE'];
  return configSchema({
    url: { type: 'string', required: true },
    method: { type: 'string', one_of: methods },
    signin: text,
    signin_redirect_param: { type: 'string', required: true, default: 'rd', match: '^[%w%-._~]+$' },
    response_headers: texts({ required: true }),
    request_redirect: text,
    set_headers: {
      type: 'array',
      required: true,
      default: [],
      elements: record({
        name: { type: 'string', required: true },
        value: { type: 'string', required: true, len_min: 0 },
      }),
    },
    cache_key: text,
    cache_durations: {
      type: 'array',
      required: true,
      default: [{ statuses: [200, 202, 401], seconds: 300 }],
      elements: record({
        statuses: {
          type: 'array',
          required: true,
          elements: { type: 'integer', between: [100, 599] },
        },
        seconds: { type: 'integer', required: true, between: [0, 31_536_000] },
      }),
    },
    always_set_cookie: { type: 'boolean', required: true, default: false },
    location: text,
    timeout: { type: 'integer', required: true, default: 60_000, between: [1, 2 ** 31 - 2] },
    tls_verify: { type: 'boolean', required: true, default: false },
    satisfy: satisfyField,
  });
}

function checkConfig(config: Config) {
  return problemsOf({
    url: variableProblem(config.url) ?? urlProblem(config.url),
    signin: variableProblem(config.signin ?? ''),
    request_redirect: variableProblem(config.request_redirect ?? ''),
    cache_key: variableProblem(config.cache_key ?? ''),
    set_headers: headerProblems(config.set_headers),
    response_headers: headerProblems(config.response_headers.map((name) => ({ name, value: '' }))),
  });
}
