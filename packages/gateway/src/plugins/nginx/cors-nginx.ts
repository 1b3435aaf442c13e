import { configSchema, problemsOf, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { literalProblem } from './header-check.ts';

interface Config {
  readonly allow_origin: readonly string[];
  readonly allow_methods: string;
  readonly allow_headers: string;
  readonly expose_headers: string | null;
  readonly allow_credentials: boolean;
  readonly max_age: number;
}

const defaultHeaders =
  'DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization';

/**
 * CORS as ingress-nginx has it: every answer carries all headers, and every `OPTIONS` of an origin that is
 * allowed is answered here. Kong's `cors` answers preflights only.
 */
export const corsNginx = definePlugin<Config>({
  name: 'cors-nginx',
  isUnlisted: true,
  priority: 2_990,
  schema: configSchema({
    allow_origin: texts({ required: true, default: ['*'] }),
    allow_methods: {
      type: 'string',
      required: true,
      default: 'GET, PUT, POST, DELETE, PATCH, OPTIONS',
    },
    allow_headers: { type: 'string', required: true, default: defaultHeaders },
    expose_headers: { type: 'string' },
    allow_credentials: { type: 'boolean', required: true, default: true },
    max_age: { type: 'integer', required: true, default: 1_728_000 },
  }),
  check: (config) =>
    problemsOf({
      allow_methods: literalProblem(config.allow_methods),
      allow_headers: literalProblem(config.allow_headers),
      expose_headers: literalProblem(config.expose_headers ?? ''),
    }),
  access(context, config) {
    if (context.method === 'OPTIONS' && allowedOrigin(context, config) !== undefined) {
      context.exit(204, '', { 'Content-Type': 'text/plain charset=UTF-8' });
    }
  },
  headerFilter(context, config) {
    const origin = allowedOrigin(context, config);
    const headers = context.response?.headers;
    if (origin === undefined || headers === undefined) return;
    headers.set('Access-Control-Allow-Origin', origin);
    if (config.allow_credentials) headers.set('Access-Control-Allow-Credentials', 'true');
    headers.set('Access-Control-Allow-Methods', config.allow_methods);
    headers.set('Access-Control-Allow-Headers', config.allow_headers);
    if (config.expose_headers !== null) {
      headers.set('Access-Control-Expose-Headers', config.expose_headers);
    }
    headers.set('Access-Control-Max-Age', String(config.max_age));
  },
});

function allowedOrigin({ headers }: RequestContext, config: Config): string | undefined {
  if (config.allow_origin.includes('*')) return '*';
  const origin = headers.get('origin');
  if (origin === undefined) return undefined;
  const lower = origin.toLowerCase();
  return config.allow_origin.some((allowed) => matches(lower, allowed.toLowerCase()))
    ? origin
    : undefined;
}

/**
 * Whether an origin ends as one that is allowed: nginx does not look at what stands before the scheme,
 * where browsers put nothing. An asterisk stands for one label.
 */
function matches(origin: string, allowed: string): boolean {
  const star = allowed.indexOf('*');
  if (star === -1) return origin.endsWith(allowed);
  const [before, after] = [allowed.slice(0, star), allowed.slice(star + 1)];
  if (!origin.endsWith(after)) return false;
  const rest = origin.slice(0, origin.length - after.length);
  const label = rest.slice(rest.lastIndexOf(before) + before.length);
  return rest.includes(before) && /^[a-z0-9-]+$/.test(label);
}
