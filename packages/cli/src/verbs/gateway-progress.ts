import type { CliContext } from '../context.ts';
import { commandTerminal } from '../terminal-stream.ts';

const barWidth = 30;

/** Shows how far a long sync is, with its rate and the time that is left, on a terminal only. */
export class SyncProgress {
  readonly #context: CliContext;
  readonly #total: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  #done = 0;
  #shownAt = 0;
  #isShown = false;

  constructor(context: CliContext, total: number, now: () => number = Date.now) {
    this.#context = context;
    this.#total = total;
    this.#now = now;
    this.#startedAt = now();
  }

  /** One more operation is through. */
  advance(): void {
    this.#done += 1;
    const now = this.#now();
    const elapsedMs = now - this.#startedAt;
    const isDue = elapsedMs > 1000 && now - this.#shownAt > 200;
    if (this.#context.stderr.isTTY !== true || !isDue) return;
    this.#shownAt = now;
    const rate = (this.#done * 1000) / elapsedMs;
    const left = Math.ceil((this.#total - this.#done) / rate);
    const filled = Math.round((this.#done / this.#total) * barWidth);
    const bar = '#'.repeat(filled).padEnd(barWidth, '-');
    const text = `[${bar}] ${this.#done}/${this.#total}, ${Math.round(rate)}/s, ${left} s left`;
    commandTerminal(this.#context.stderr, `\r\u001b[K${text}`);
    this.#isShown = true;
  }

  /** Clears the line, for something else to stand there. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    commandTerminal(this.#context.stderr, '\r\u001b[K');
  }
}
