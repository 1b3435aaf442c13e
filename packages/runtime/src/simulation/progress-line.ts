/** A line on a terminal that says how far it is; nothing where nobody watches. */
export class ProgressLine {
  readonly #name: string;
  readonly #seeds: number;
  readonly #began = performance.now();
  #done = 0;
  #shownMs = 0;

  constructor(name: string, seeds: number) {
    this.#name = name;
    this.#seeds = seeds;
  }

  add(seeds: number): void {
    this.#done += seeds;
    const elapsedMs = performance.now() - this.#began;
    if (!process.stderr.isTTY || elapsedMs - this.#shownMs < 500) return;
    this.#shownMs = elapsedMs;
    const leftSeconds = ((elapsedMs / this.#done) * (this.#seeds - this.#done)) / 1_000;
    const line = `${this.#name}: ${this.#done} of ${this.#seeds} seeds, ${Math.ceil(leftSeconds)} s left`;
    process.stderr.write(`\r\x1b[K${line}`);
  }

  clear(): void {
    if (this.#shownMs > 0) process.stderr.write('\r\x1b[K');
  }
}
