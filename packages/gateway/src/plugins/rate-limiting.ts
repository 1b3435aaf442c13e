import {
  countedClient,
  countedScope,
  type Limit,
  LimitCounterPool,
  type LimitCounts,
  limitsOf,
  withoutCounts,
} from '../plugin/limit-counters.ts';
import { type LimitPeriod, periodBounds } from '../plugin/limit-period.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RedisSettings } from '../plugin/redis-client.ts';
import type { RequestContext } from '../plugin/request-context.ts';

interface Config extends Partial<Record<LimitPeriod, number | null>> {
  readonly limit_by: 'consumer' | 'credential' | 'ip' | 'service' | 'header' | 'path';
  readonly header_name: string | null;
  readonly path: string | null;
  readonly policy: string;
  readonly fault_tolerant: boolean;
  readonly hide_client_headers: boolean;
  readonly error_code: number;
  readonly error_message: string;
  readonly redis?: RedisSettings;
}

interface Usage {
  readonly period: LimitPeriod;
  readonly limit: number;
  readonly remaining: number;
}

const headersKey = 'rate-limiting headers';

/** Lets each client make so many requests in a period of time. */
export function rateLimiting(): AnyPlugin {
  const pool = new LimitCounterPool('rate-limiting');
  return definePlugin<Config>({
    name: 'rate-limiting',
    priority: 910,
    access(context, config, entity) {
      const now = context.runtime.now();
      const limits = limitsOf(config);
      const key = `${countedScope(entity)}:${identifier(context, config)}`;
      const request = { action: 'take', key, limits, by: 1, now } as const;
      const counts = pool.handle(context.runtime, config.policy, config.redis, request);
      if (!(counts instanceof Promise)) {
        decide(context, config, limits, counts, now);
        return undefined;
      }
      return counts.then(
        (found) => decide(context, config, limits, found, now),
        (error: unknown) => withoutCounts(context, config.fault_tolerant, error),
      );
    },
    headerFilter(context) {
      const headers = context.shared.get(headersKey) as Record<string, string> | undefined;
      for (const [name, value] of Object.entries(headers ?? {})) {
        context.response?.headers.set(name, value);
      }
    },
    serve: pool.serve,
    close: () => pool.close(),
  });
}

function decide(
  context: RequestContext,
  config: Config,
  limits: readonly Limit[],
  counts: LimitCounts,
  now: number,
): void {
  const usages: readonly Usage[] = limits.map(({ period, limit }, index) => ({
    period,
    limit,
    remaining: limit - (counts[index] ?? 0),
  }));
  const exceeded = usages.find((item) => item.remaining <= 0);
  const isOver = exceeded !== undefined;
  const headers: Record<string, string> = {};
  let tightest: (Usage & { left: number }) | undefined;
  for (const item of usages) {
    const left = Math.max(0, item.remaining - (isOver && item !== exceeded ? 0 : 1));
    const title = item.period.charAt(0).toUpperCase() + item.period.slice(1);
    headers[`X-RateLimit-Limit-${title}`] = String(item.limit);
    headers[`X-RateLimit-Remaining-${title}`] = String(isOver ? Math.max(0, item.remaining) : left);
    if (tightest === undefined || left < tightest.left) tightest = { ...item, left };
  }
  if (tightest !== undefined) {
    const { end } = periodBounds(tightest.period, now);
    const reset = String(Math.max(1, Math.floor((end - now) / 1_000)));
    headers['RateLimit-Limit'] = String(tightest.limit);
    headers['RateLimit-Remaining'] = String(tightest.left);
    headers['RateLimit-Reset'] = reset;
    if (isOver) headers['Retry-After'] = reset;
  }
  if (!config.hide_client_headers) context.shared.set(headersKey, headers);
  if (isOver) context.fail(config.error_code, config.error_message);
}

function identifier(context: RequestContext, config: Config): string {
  const { ip } = context.client;
  switch (config.limit_by) {
    case 'service':
      return context.service?.id ?? ip;
    case 'header':
      return context.headers.get(config.header_name ?? '') ?? ip;
    case 'path': {
      const { target } = context;
      const question = target.indexOf('?');
      return (question === -1 ? target : target.slice(0, question)) === config.path
        ? config.path
        : ip;
    }
    default:
      return countedClient(context, config.limit_by);
  }
}
