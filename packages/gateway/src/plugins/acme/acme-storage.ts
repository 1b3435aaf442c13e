import { RedisClient, type RedisSettings } from '../../plugin/redis-client.ts';
import type { PluginStorage } from '../../storage/plugin-storage.ts';

/** Where accounts, certificates and answers to challenges are kept. */
export interface AcmeStorage {
  get(key: string): Promise<string | undefined>;
  /** Without a time it is kept for good. */
  put(key: string, value: string, seconds?: number): Promise<void>;
  /** Puts it unless it is there; says whether it did. */
  claim(key: string, seconds: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  close(): void;
}

interface Kept {
  readonly value: string;
  readonly until: number | undefined;
}

/** In the process for the whole node, and on its disk if it has a database: `shm` and `kong`. */
export class LocalAcmeStorage implements AcmeStorage {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;
  #disk: PluginStorage | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  open(disk: PluginStorage): void {
    this.#disk = disk;
    for (const [key, value] of disk.entries()) {
      this.#kept.set(key, { value: String(value), until: undefined });
    }
  }

  async get(key: string): Promise<string | undefined> {
    const kept = this.#kept.get(key);
    if (kept?.until !== undefined && kept.until <= this.#now()) {
      this.#kept.delete(key);
      return undefined;
    }
    return kept?.value;
  }

  async put(key: string, value: string, seconds?: number): Promise<void> {
    this.#kept.set(key, {
      value,
      until: seconds === undefined ? undefined : this.#now() + seconds * 1_000,
    });
    if (seconds === undefined) {
      this.#disk?.put(key, value);
      await this.#disk?.flush();
    }
  }

  async claim(key: string, seconds: number): Promise<boolean> {
    if ((await this.get(key)) !== undefined) return false;
    await this.put(key, '1', seconds);
    return true;
  }

  async delete(key: string): Promise<void> {
    this.#kept.delete(key);
    this.#disk?.delete(key);
  }

  close(): void {}
}

/** In a Redis that several nodes share: any of them may be asked for the answer to a challenge. */
export class RedisAcmeStorage implements AcmeStorage {
  readonly #redis: RedisClient;
  readonly #prefix: string;

  constructor(settings: RedisSettings, prefix: string) {
    this.#redis = new RedisClient(settings);
    this.#prefix = prefix;
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#redis.command('GET', this.#prefix + key);
    return value === null ? undefined : String(value);
  }

  async put(key: string, value: string, seconds?: number): Promise<void> {
    const time = seconds === undefined ? [] : ['EX', seconds];
    await this.#redis.command('SET', this.#prefix + key, value, ...time);
  }

  async claim(key: string, seconds: number): Promise<boolean> {
    const reply = await this.#redis.command('SET', this.#prefix + key, '1', 'EX', seconds, 'NX');
    return reply !== null;
  }

  async delete(key: string): Promise<void> {
    await this.#redis.command('DEL', this.#prefix + key);
  }

  close(): void {
    this.#redis.close();
  }
}
