import { ExpiringCounters } from './expiring-counters.ts';
import { type LimitPeriod, periodBounds } from './limit-period.ts';
import { RedisClient, type RedisSettings } from './redis-client.ts';

/** Where limits are counted: in this process, or in a Redis that several gateways share. */
export interface LimitCounters {
  /** How much was used in the current period. */
  get(key: string, period: LimitPeriod, now: number): number | Promise<number>;
  add(key: string, period: LimitPeriod, by: number, now: number): void | Promise<void>;
}

export class LocalLimitCounters implements LimitCounters {
  readonly #counters = new ExpiringCounters();

  get(key: string, period: LimitPeriod, now: number): number {
    return this.#counters.get(counterKey(key, period, now), now);
  }

  add(key: string, period: LimitPeriod, by: number, now: number): void {
    const { end } = periodBounds(period, now);
    this.#counters.add(counterKey(key, period, now), by, now, end);
  }
}

export class RedisLimitCounters implements LimitCounters {
  readonly #client: RedisClient;

  constructor(settings: RedisSettings) {
    this.#client = new RedisClient(settings);
  }

  async get(key: string, period: LimitPeriod, now: number): Promise<number> {
    const reply = await this.#client.command('GET', counterKey(key, period, now));
    return typeof reply === 'string' ? Number(reply) : 0;
  }

  async add(key: string, period: LimitPeriod, by: number, now: number): Promise<void> {
    const name = counterKey(key, period, now);
    const { end } = periodBounds(period, now);
    const count = await this.#client.command('INCRBY', name, by);
    if (count === by) {
      await this.#client.command('PEXPIRE', name, Math.max(Math.ceil(end - now), 1));
    }
  }

  close(): void {
    this.#client.close();
  }
}

function counterKey(key: string, period: LimitPeriod, now: number): string {
  return `ratelimit:${key}:${periodBounds(period, now).start}:${period}`;
}

/** Counters by policy; one Redis connection for each set of settings. */
export class LimitCounterPool {
  readonly #local = new LocalLimitCounters();
  readonly #redis = new Map<string, RedisLimitCounters>();

  get(policy: string, redis: RedisSettings | undefined): LimitCounters {
    if (policy !== 'redis' || redis === undefined) {
      return this.#local;
    }
    const key = JSON.stringify(redis);
    let counters = this.#redis.get(key);
    if (counters === undefined) {
      counters = new RedisLimitCounters(redis);
      this.#redis.set(key, counters);
    }
    return counters;
  }

  /** For when a Redis cannot be reached and requests shall pass. */
  get local(): LimitCounters {
    return this.#local;
  }

  close(): void {
    for (const counters of this.#redis.values()) {
      counters.close();
    }
    this.#redis.clear();
  }
}
