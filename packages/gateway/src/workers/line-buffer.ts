/** Gathers lines and hands them on together: one message between processes instead of one a line. */
export class LineBuffer {
  readonly #flush: (lines: readonly string[]) => void;
  readonly #delayMs: number;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(flush: (lines: readonly string[]) => void, delayMs: number) {
    this.#flush = flush;
    this.#delayMs = delayMs;
  }

  push(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length >= maximumLines) {
      this.flush();
      return;
    }
    this.#timer ??= setTimeout(() => this.flush(), this.#delayMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      this.#flush(lines);
    }
  }
}

const maximumLines = 512;
