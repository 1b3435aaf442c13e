import type { KongPlugin } from '@waygate/kong';
import { ExpiringCounters } from './expiring-counters.ts';
import { type LimitPeriod, limitPeriods, periodBounds } from './limit-period.ts';
import type { PluginRuntime } from './plugin-runtime.ts';
import { RedisClient, type RedisSettings } from './redis-client.ts';
import type { RequestContext } from './request-context.ts';

/** How much may be used in a period. */
export interface Limit {
  readonly period: LimitPeriod;
  readonly limit: number;
}

/** The limits that a plugin's settings name, shortest period first. */
export function limitsOf(
  settings: Readonly<Partial<Record<LimitPeriod, number | null>>> | undefined,
): readonly Limit[] {
  return limitPeriods.flatMap((period) => {
    const limit = settings?.[period];
    return typeof limit === 'number' ? [{ period, limit }] : [];
  });
}

/** Whose requests are counted together; the address stands in for a client that is not known. */
export function countedClient(
  { client, consumer, credential }: RequestContext,
  by: 'consumer' | 'credential' | 'ip',
): string {
  const known = by === 'consumer' ? (consumer?.id ?? credential?.id) : credential?.id;
  return by === 'ip' ? client.ip : (known ?? client.ip);
}

/** Limits of different plugins do not add up, except of those with the same scope. */
export function countedScope({ route, service }: KongPlugin): string {
  return `${route?.id ?? ''}:${service?.id ?? ''}`;
}

/** Says that counters cannot be read; a request only goes on if the plugin's owner wants that. */
export function withoutCounts(context: RequestContext, isTolerant: boolean, error: unknown): void {
  context.runtime.log.error('limits cannot be read', { error: String(error) });
  if (!isTolerant) context.fail(500, 'An unexpected error occurred');
}

/** What is asked of counters. */
interface LimitRequest {
  /**
   * `take` adds unless some limit is reached already, in one step that no other request comes between;
   * `read` adds nothing, `add` adds in any case.
   */
  readonly action: 'take' | 'read' | 'add';
  readonly key: string;
  readonly limits: readonly Limit[];
  readonly by: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What was used in each period before the request. */
export type LimitCounts = readonly number[];

/** Counts in this process. */
class LocalLimitCounters {
  readonly #counters = new ExpiringCounters();

  handle({ action, key, limits, by, now }: LimitRequest): LimitCounts {
    const names = limits.map(({ period }) => nameOf(key, period, now));
    const counts = names.map((name) => this.#counters.get(name, now));
    const isFree = limits.every(({ limit }, index) => (counts[index] ?? 0) < limit);
    if (action === 'add' || (action === 'take' && isFree)) {
      for (const [index, { period }] of limits.entries()) {
        this.#counters.add(names[index] ?? '', by, now, periodBounds(period, now).end);
      }
    }
    return counts;
  }
}

/**
 * Reads the counters, and adds to them if it may: KEYS are the counters; ARGV the action, the amount,
 * then for each counter its limit and how long it is kept. One script, so that gateways which share a
 * Redis never let more through together than is allowed.
 */
const script = `
local counts, free = {}, true
for i, key in ipairs(KEYS) do
  counts[i] = tonumber(redis.call('GET', key) or '0')
  if counts[i] >= tonumber(ARGV[1 + i * 2]) then free = false end
end
if ARGV[1] == 'add' or (ARGV[1] == 'take' and free) then
  for i, key in ipairs(KEYS) do
    if redis.call('INCRBY', key, ARGV[2]) == tonumber(ARGV[2]) then
      redis.call('PEXPIRE', key, ARGV[2 + i * 2])
    end
  end
end
return counts`;

/** Counts in a Redis that several gateways share. */
class RedisLimitCounters {
  readonly #client: RedisClient;

  constructor(settings: RedisSettings) {
    this.#client = new RedisClient(settings);
  }

  async handle({ action, key, limits, by, now }: LimitRequest): Promise<LimitCounts> {
    const keys = limits.map(({ period }) => nameOf(key, period, now));
    const rules = limits.flatMap(({ period, limit }) => [
      limit,
      Math.max(Math.ceil(periodBounds(period, now).end - now), 1),
    ]);
    const reply = await this.#client.command(
      'EVAL',
      script,
      keys.length,
      ...keys,
      action,
      by,
      ...rules,
    );
    return Array.isArray(reply) ? reply.map(Number) : limits.map(() => 0);
  }

  close(): void {
    this.#client.close();
  }
}

function nameOf(key: string, period: LimitPeriod, now: number): string {
  return `ratelimit:${key}:${periodBounds(period, now).start}:${period}`;
}

/**
 * The counters of a plugin, by its policy. `local` counts for the whole node: with several workers in
 * the process that they all ask. One Redis connection is kept for each set of settings.
 */
export class LimitCounterPool {
  readonly #plugin: string;
  readonly #local = new LocalLimitCounters();
  readonly #redis = new Map<string, RedisLimitCounters>();

  constructor(plugin: string) {
    this.#plugin = plugin;
  }

  /** For the plugin's `serve`. */
  readonly serve = (request: unknown): LimitCounts => this.#local.handle(request as LimitRequest);

  handle(
    runtime: PluginRuntime,
    policy: string,
    redis: RedisSettings | undefined,
    request: LimitRequest,
  ): LimitCounts | Promise<LimitCounts> {
    if (policy === 'redis' && redis !== undefined) {
      return this.#redisCounters(redis).handle(request);
    }
    return runtime.ask(this.#plugin, request) as LimitCounts | Promise<LimitCounts>;
  }

  close(): void {
    for (const counters of this.#redis.values()) counters.close();
    this.#redis.clear();
  }

  #redisCounters(settings: RedisSettings): RedisLimitCounters {
    const key = JSON.stringify(settings);
    let counters = this.#redis.get(key);
    if (counters === undefined) {
      counters = new RedisLimitCounters(settings);
      this.#redis.set(key, counters);
    }
    return counters;
  }
}
