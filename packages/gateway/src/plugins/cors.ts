import { oncePer } from '@waygate/text';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { patternBudget } from '../router/pattern-budget.ts';
import { compileRegularExpression } from '../router/regular-expression.ts';

interface Config {
  readonly origins: readonly string[] | null;
  readonly methods: readonly string[];
  readonly headers: readonly string[] | null;
  readonly exposed_headers: readonly string[] | null;
  readonly max_age: number | null;
  readonly credentials: boolean;
  readonly private_network: boolean;
  readonly preflight_continue: boolean;
}

const preflightKey = 'cors preflight';

/** Tells browsers which other sites may use a service. */
export const cors = definePlugin<Config>({
  name: 'cors',
  priority: 2_000,
  access(context, config) {
    const { headers, method } = context;
    const isPreflight =
      method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
    if (!isPreflight) return;
    // Whoever answers a preflight says all of it: with `preflight_continue` that is the upstream.
    context.shared.set(preflightKey, true);
    if (config.preflight_continue) return;
    const answer: Record<string, string> = originHeaders(context, config);
    const asked = headers.get('access-control-request-headers');
    const allowed =
      config.headers === null || config.headers.length === 0 ? asked : config.headers.join(',');
    if (allowed !== undefined) answer['Access-Control-Allow-Headers'] = allowed;
    answer['Access-Control-Allow-Methods'] = config.methods.join(',');
    if (config.max_age !== null) answer['Access-Control-Max-Age'] = String(config.max_age);
    if (
      config.private_network &&
      headers.get('access-control-request-private-network') === 'true'
    ) {
      answer['Access-Control-Allow-Private-Network'] = 'true';
    }
    context.exit(200, '', answer);
  },
  headerFilter(context, config) {
    if (context.shared.has(preflightKey)) return;
    const { response } = context;
    for (const [name, value] of Object.entries(originHeaders(context, config))) {
      if (name === 'Vary') {
        response?.headers.add(name, value);
      } else {
        response?.headers.set(name, value);
      }
    }
    if (config.exposed_headers !== null && config.exposed_headers.length > 0) {
      response?.headers.set('Access-Control-Expose-Headers', config.exposed_headers.join(','));
    }
  },
});

function originHeaders(context: RequestContext, config: Config): Record<string, string> {
  const origin = context.headers.get('origin');
  const origins = config.origins ?? [];
  const isAny = origins.length === 0 || (origins.length === 1 && origins[0] === '*');
  if (isAny) {
    if (!config.credentials || origin === undefined) return { 'Access-Control-Allow-Origin': '*' };
    // With credentials browsers do not take the asterisk.
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      Vary: 'Origin',
    };
  }
  const headers: Record<string, string> = { Vary: 'Origin' };
  const allowed = allowedOrigin(origins, origin);
  if (allowed !== undefined) headers['Access-Control-Allow-Origin'] = allowed;
  if (config.credentials) headers['Access-Control-Allow-Credentials'] = 'true';
  return headers;
}

function allowedOrigin(origins: readonly string[], origin: string | undefined): string | undefined {
  const [only] = origins;
  if (origins.length === 1 && only !== undefined && /^[A-Za-z0-9.:/-]+$/.test(only)) return only;
  if (origin === undefined) return undefined;
  const normal = normalizeOrigin(origin);
  const host = hostOf(normal);
  const patterns = patternsOf(origins);
  patternBudget.renew();
  const isAllowed = origins.some((pattern, index) => {
    if (pattern === '*' || pattern === normal) return true;
    // A pattern without a scheme is about the host alone.
    const subject =
      /^[a-z][a-z0-9+.-]*:\/\//i.test(pattern) || /[\^$*+?()[\]|\\]/.test(pattern) ? normal : host;
    return patterns[index]?.test(subject) === true;
  });
  return isAllowed ? normal : undefined;
}

const patternsOf = oncePer((origins: readonly string[]) =>
  origins.map((origin) => compileRegularExpression(originPattern(origin), { dialect: 'pcre' })),
);

/** The whole origin must match. */
export function originPattern(origin: string): string {
  return `^(?:${origin})$`;
}

/** Without the port that the scheme implies. */
function normalizeOrigin(origin: string): string {
  return origin.replace(/^(http:\/\/[^/]+):80$/, '$1').replace(/^(https:\/\/[^/]+):443$/, '$1');
}

function hostOf(origin: string): string {
  return origin.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/:\d+$/, '');
}
