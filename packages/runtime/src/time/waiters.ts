/** Promises that wait for one condition to be worth looking at again. */
export class Waiters {
  #resolvers: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#resolvers.push(resolve));
  }

  wakeAll(): void {
    if (this.#resolvers.length === 0) return;
    const resolvers = this.#resolvers;
    this.#resolvers = [];
    for (const resolve of resolvers) resolve();
  }
}
