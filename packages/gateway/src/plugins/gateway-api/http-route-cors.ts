import { configSchema, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

interface Config {
  readonly allow_origins: readonly string[];
  readonly allow_methods: readonly string[];
  readonly allow_headers: readonly string[];
  readonly expose_headers: readonly string[];
  readonly allow_credentials: boolean;
  readonly max_age: number;
}

/** What was found out of a request, for its answer. */
const originKey = 'http-route-cors';

/**
 * Cross-origin requests as the Gateway API's CORS filter says. An origin that is not allowed gets no
 * headers; browsers do the rest. Preflights are answered here.
 */
export const httpRouteCors = definePlugin<Config>({
  name: 'http-route-cors',
  isUnlisted: true,
  priority: 2000,
  schema: configSchema({
    allow_origins: texts(),
    allow_methods: texts(),
    allow_headers: texts(),
    expose_headers: texts(),
    allow_credentials: { type: 'boolean', default: false, required: true },
    max_age: { type: 'integer', default: 5, required: true },
  }),
  access(context, config) {
    const origin = context.headers.get('origin');
    if (origin === undefined) return;
    const isAllowed = config.allow_origins.some((pattern) => isOriginOf(pattern, origin));
    if (isAllowed) context.shared.set(originKey, origin);
    const method = context.headers.get('access-control-request-method');
    if (context.method === 'OPTIONS' && method !== undefined) {
      context.exit(204, '', isAllowed ? preflightHeaders(context, config, method) : {});
    }
  },
  headerFilter(context, config) {
    const { response } = context;
    if (response === undefined || response.source === 'exit') return;
    // Of two words on who may read an answer the gateway's is the one that its owner configured.
    for (const name of [...response.headers.raw.filter((_, index) => index % 2 === 0)]) {
      if (name.toLowerCase().startsWith('access-control-')) response.headers.remove(name);
    }
    const origin = context.shared.get(originKey);
    if (typeof origin !== 'string') return;
    for (const [name, value] of Object.entries(commonHeaders(origin, config))) {
      response.headers.set(name, value);
    }
  },
});

function preflightHeaders(
  context: RequestContext,
  config: Config,
  method: string,
): Record<string, string> {
  const asked = context.headers.get('access-control-request-headers');
  const headers = commonHeaders(context.headers.get('origin') ?? '', config);
  // A star means everything only to who brings no credentials: others are told what they asked for.
  const methods = starred(config.allow_methods, config, method);
  const allowed = starred(config.allow_headers, config, asked ?? '');
  if (methods !== '') headers['Access-Control-Allow-Methods'] = methods;
  if (allowed !== '') headers['Access-Control-Allow-Headers'] = allowed;
  headers['Access-Control-Max-Age'] = String(config.max_age);
  return headers;
}

function starred(values: readonly string[], config: Config, asked: string): string {
  if (!values.includes('*')) return values.join(', ');
  return config.allow_credentials ? asked : '*';
}

function commonHeaders(origin: string, config: Config): Record<string, string> {
  const isOpen = config.allow_origins.includes('*') && !config.allow_credentials;
  return {
    'Access-Control-Allow-Origin': isOpen ? '*' : origin,
    ...(isOpen ? {} : { Vary: 'Origin' }),
    ...(config.allow_credentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
    ...(config.expose_headers.length === 0
      ? {}
      : { 'Access-Control-Expose-Headers': config.expose_headers.join(', ') }),
  };
}

/** `*` is any, and `https://*.example.com` any host below, of the same scheme and port. */
function isOriginOf(pattern: string, origin: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), origin.toLowerCase()];
  if (wanted === '*' || wanted === given) return true;
  const star = wanted.indexOf('*');
  if (star < 0) return false;
  const [start, end] = [wanted.slice(0, star), wanted.slice(star + 1)];
  const middle = given.slice(start.length, given.length - end.length);
  const isLongEnough = given.length > start.length + end.length;
  return isLongEnough && given.startsWith(start) && given.endsWith(end) && !/[/:@?#]/.test(middle);
}
