import type { Moment } from './recording-proxy.ts';
import type { Replica } from './replica.ts';

/** A signal that comes to a replica once: at one of its writes, or when it is told to. */
export class Blow {
  readonly struck: Promise<{ readonly story: string; readonly atMs: number }>;
  readonly #victim: Replica;
  readonly #way: NodeJS.Signals;
  #resolve: (struck: { story: string; atMs: number }) => void = () => undefined;
  #isStruck = false;

  constructor(victim: Replica, way: NodeJS.Signals) {
    this.#victim = victim;
    this.#way = way;
    this.struck = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Strikes at the n-th write from now on. */
  await(n: number, moment: Moment): void {
    for (const proxy of this.#victim.proxies)
      proxy.arm(n, moment, ({ method, path }) => this.strike(`${moment} ${method} ${path}`));
  }

  strike(story: string): void {
    if (this.#isStruck) return;
    this.#isStruck = true;
    for (const proxy of this.#victim.proxies) proxy.disarm();
    this.#victim.signal(this.#way);
    this.#resolve({ story, atMs: performance.now() });
  }
}
