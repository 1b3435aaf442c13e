import { ItemExponentialFailureRateLimiter } from '../queue/rate-limiter.ts';
import { RateLimitingQueue } from '../queue/rate-limiting-queue.ts';
import type { FakeClock } from '../time/fake-clock.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Workers on a queue that fail now and then. They note the state that they acted on last. */
export class SimulatedController {
  readonly queue: RateLimitingQueue<string>;
  /** Key to the version that was acted on; undefined for a deletion. */
  readonly actedOn = new Map<string, string | undefined>();
  readonly violations: string[] = [];
  readonly #inWork = new Set<string>();
  readonly #clock: FakeClock;
  readonly #random: SeededRandom;
  readonly #versionOf: (key: string) => string | undefined;

  constructor(
    clock: FakeClock,
    random: SeededRandom,
    versionOf: (key: string) => string | undefined,
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#versionOf = versionOf;
    this.queue = new RateLimitingQueue({
      clock,
      rateLimiter: new ItemExponentialFailureRateLimiter(5, 10_000),
    });
  }

  /** Nothing waits, now or later, and nothing is worked on. */
  get isIdle(): boolean {
    return this.queue.length === 0 && this.queue.waitingCount === 0 && this.#inWork.size === 0;
  }

  run(workers: number): Promise<unknown> {
    return Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  async #work(): Promise<void> {
    const { queue } = this;
    const random = this.#random;
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      if (this.#inWork.has(key)) this.violations.push(`${key} is in two workers`);
      this.#inWork.add(key);
      const version = this.#versionOf(key);
      if (random.chance(0.3)) await this.#clock.sleep(random.between(0, 500));
      this.#inWork.delete(key);
      if (random.chance(0.1)) queue.addRateLimited(key);
      else {
        this.actedOn.set(key, version);
        queue.forget(key);
      }
      queue.done(key);
    }
  }
}
