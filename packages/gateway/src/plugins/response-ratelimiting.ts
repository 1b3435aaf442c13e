import type { KongPlugin } from '@waygate/kong';
import {
  countedClient,
  countedScope,
  LimitCounterPool,
  limitsOf,
  withoutCounts,
} from '../plugin/limit-counters.ts';
import type { LimitPeriod } from '../plugin/limit-period.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RedisSettings } from '../plugin/redis-client.ts';
import type { RequestContext } from '../plugin/request-context.ts';

type Limits = Readonly<Record<string, Readonly<Partial<Record<LimitPeriod, number | null>>>>>;

interface Config {
  readonly header_name: string;
  readonly limit_by: 'consumer' | 'credential' | 'ip';
  readonly policy: string;
  readonly fault_tolerant: boolean;
  readonly hide_client_headers: boolean;
  readonly block_on_first_violation: boolean;
  readonly limits: Limits;
  readonly redis?: RedisSettings;
}

interface Usage {
  readonly name: string;
  readonly period: LimitPeriod;
  readonly limit: number;
  remaining: number;
}

const usageKey = 'response-ratelimiting usage';

/** Lets services say in their answers how much of a client's quota a request used. */
export function responseRatelimiting(): AnyPlugin {
  const pool = new LimitCounterPool('response-ratelimiting');
  return definePlugin<Config>({
    name: 'response-ratelimiting',
    priority: 900,
    async access(context, config, entity) {
      try {
        const usages = await readUsage(context, config, entity, pool);
        const spent = usages.find((usage) => usage.remaining <= 0);
        if (config.block_on_first_violation && spent !== undefined) {
          context.fail(429, `API rate limit exceeded for '${spent.name}'`);
          return;
        }
        context.shared.set(usageKey, usages);
      } catch (error) {
        withoutCounts(context, config.fault_tolerant, error);
      }
    },
    headerFilter(context, config) {
      const usages = context.shared.get(usageKey) as Usage[] | undefined;
      const { response } = context;
      if (usages === undefined || response === undefined) return;
      const used = parseUsed(response.headers.getAll(config.header_name));
      response.headers.remove(config.header_name);
      const isOver = usages.some(
        ({ name, remaining }) => (used.get(name) ?? 0) > 0 && remaining <= 0,
      );
      for (const usage of usages) {
        usage.remaining = Math.max(0, usage.remaining - (used.get(usage.name) ?? 0));
      }
      if (!config.hide_client_headers) setHeaders(context, usages);
      if (isOver) {
        // The answer would use what is not there any more: the client does not get it, nor pays for it.
        response.status = 429;
        response.isBodyDropped = true;
        return;
      }
      context.shared.set(`${usageKey} used`, used);
    },
    log(context, config, entity) {
      const used = context.shared.get(`${usageKey} used`) as
        | ReadonlyMap<string, number>
        | undefined;
      const now = context.runtime.now();
      const pending = [...(used ?? [])].map(([name, by]) => {
        const key = keyOf(context, config, entity, name);
        const limits = limitsOf(config.limits[name]);
        return pool.handle(context.runtime, config.policy, config.redis, {
          action: 'add',
          ...{ key, limits, by, now },
        });
      });
      return Promise.all(pending).then(() => undefined);
    },
    serve: pool.serve,
    close: () => pool.close(),
  });
}

async function readUsage(
  context: RequestContext,
  config: Config,
  entity: KongPlugin,
  pool: LimitCounterPool,
): Promise<Usage[]> {
  const now = context.runtime.now();
  const usages: Usage[] = [];
  for (const [name, periods] of Object.entries(config.limits)) {
    const limits = limitsOf(periods);
    const key = keyOf(context, config, entity, name);
    const counts = await pool.handle(context.runtime, config.policy, config.redis, {
      action: 'read',
      ...{ key, limits, by: 0, now },
    });
    for (const [index, { period, limit }] of limits.entries()) {
      usages.push({ name, period, limit, remaining: limit - (counts[index] ?? 0) });
    }
  }
  return usages;
}

function setHeaders(context: RequestContext, usages: readonly Usage[]): void {
  const headers = context.response?.headers;
  for (const { name, period, limit, remaining } of usages) {
    const title = `${capital(name)}-${capital(period)}`;
    headers?.set(`X-RateLimit-Remaining-${capital(name)}`, String(remaining));
    headers?.set(`X-RateLimit-Limit-${title}`, String(limit));
    headers?.set(`X-RateLimit-Remaining-${title}`, String(remaining));
  }
}

/** `video=2, image=1`, in one header or several. */
function parseUsed(values: readonly string[]): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  for (const part of values.flatMap((value) => value.split(','))) {
    const [name = '', amount] = part.trim().split('=');
    const number = amount === undefined ? 1 : Number(amount);
    if (name !== '' && Number.isInteger(number) && number >= 0) {
      used.set(name, (used.get(name) ?? 0) + number);
    }
  }
  return used;
}

function keyOf(context: RequestContext, config: Config, entity: KongPlugin, name: string): string {
  return `${countedScope(entity)}:${countedClient(context, config.limit_by)}:${name}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
