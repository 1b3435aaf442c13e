import { configSchema, problemsOf } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { cachedPattern } from '../../router/cached-pattern.ts';
import { patternBudget } from '../../router/pattern-budget.ts';
import { regularExpressionProblem } from '../../router/regular-expression.ts';
import { cookieValue } from '../nginx/variable-text.ts';
import { affinityOf } from './affinity-state.ts';

interface Config {
  readonly upstream: string;
  readonly port: number;
  readonly header: string | null;
  readonly header_value: string | null;
  readonly header_pattern: string | null;
  readonly cookie: string | null;
  readonly weight: number;
  readonly weight_total: number;
  readonly sticky: boolean;
}

/**
 * Sends some requests to another upstream: by a header, then by a cookie, then by chance. A client whom
 * `cookie-affinity` bound to one of the two stays there.
 */
export const canary = definePlugin<Config>({
  name: 'canary',
  isUnlisted: true,
  priority: 90,
  schema: createSchema(),
  check: ({ header_pattern: pattern }) =>
    problemsOf({
      header_pattern:
        pattern === null ? undefined : regularExpressionProblem(pattern, { dialect: 'pcre' }),
    }),
  access(context, config) {
    const affinity = affinityOf(context);
    if (!isChosen(context, config, affinity?.boundTo)) return;
    if (!config.sticky && affinity !== undefined) affinity.isOff = true;
    const { upstream: host, port } = config;
    context.manner = { ...context.manner, destination: { host, port } };
  },
});

function isChosen(context: RequestContext, config: Config, boundTo: string | undefined): boolean {
  if (boundTo !== undefined && (config.sticky || boundTo !== config.upstream)) {
    return boundTo === config.upstream;
  }
  return byHeader(context, config) ?? byCookie(context, config) ?? isByChance(config);
}

/** Undefined if the header leaves it open. */
function byHeader(context: RequestContext, config: Config): boolean | undefined {
  const values = config.header === null ? [] : context.headers.getAll(config.header);
  if (values.length === 0) return undefined;
  const value = values.join(', ');
  if (config.header_value !== null) return value === config.header_value ? true : undefined;
  if (config.header_pattern !== null) {
    patternBudget.renew();
    return cachedPattern(config.header_pattern)?.test(value) === true ? true : undefined;
  }
  return alwaysOrNever(value);
}

function byCookie(context: RequestContext, { cookie }: Config): boolean | undefined {
  return cookie === null
    ? undefined
    : alwaysOrNever(cookieValue(context.headers.getAll('cookie'), cookie) ?? '');
}

function alwaysOrNever(value: string): boolean | undefined {
  return value === 'always' ? true : value === 'never' ? false : undefined;
}

function isByChance({ weight, weight_total: total }: Config): boolean {
  return Math.random() * total < weight;
}

function createSchema() {
  const text = { type: 'string' };
  return configSchema({
    upstream: { type: 'string', required: true },
    port: { type: 'integer', required: true, default: 80, between: [1, 65_535] },
    header: text,
    header_value: text,
    header_pattern: text,
    cookie: text,
    weight: { type: 'integer', required: true, default: 0, between: [0, 2 ** 31 - 1] },
    weight_total: { type: 'integer', required: true, default: 100, between: [1, 2 ** 31 - 1] },
    sticky: { type: 'boolean', required: true, default: true },
  });
}
