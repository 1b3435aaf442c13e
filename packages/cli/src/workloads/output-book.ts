/** A line that a process printed. */
interface Line {
  readonly atMs: number;
  readonly text: string;
}

interface Page {
  lines: Line[];
  previous: Line[];
  /** How many lines this run had that are no longer kept. */
  dropped: number;
  isOver: boolean;
  run: number;
  readonly waiting: Set<() => void>;
}

/** How much of a process's output is kept for those who ask later. */
const mostLines = 5_000;

export interface ReadOptions {
  readonly isFollowing: boolean;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
}

/** What processes printed, run by run, for `kubectl logs`. */
export class OutputBook {
  readonly #pages = new Map<string, Page>();

  add(id: string, atMs: number, text: string): void {
    const page = this.#page(id);
    page.lines.push({ atMs, text });
    if (page.lines.length > mostLines) {
      // By the hundred: taking one off the front each time would cost the length each time.
      page.lines.splice(0, 100);
      page.dropped += 100;
    }
    wake(page);
  }

  /** A new run: what was printed before is what `--previous` shows. */
  begin(id: string): void {
    const page = this.#page(id);
    if (page.run > 0 || page.lines.length > 0) page.previous = page.lines;
    page.lines = [];
    page.dropped = 0;
    page.isOver = false;
    page.run += 1;
    wake(page);
  }

  /** The run is over: whoever follows it has seen all. */
  end(id: string): void {
    const page = this.#page(id);
    page.isOver = true;
    wake(page);
  }

  async *read(id: string, options: ReadOptions): AsyncGenerator<string> {
    const page = this.#page(id);
    const { run } = page;
    const { tailLines, sinceMs = 0, signal } = options;
    const text = (line: Line): string =>
      options.hasTimestamps
        ? `${new Date(line.atMs).toISOString()} ${line.text}\n`
        : `${line.text}\n`;
    const source = options.isPrevious ? page.previous : page.lines;
    const wanted = source.filter(({ atMs }) => atMs >= sinceMs);
    let next = page.dropped + page.lines.length;
    for (const line of tailLines === undefined
      ? wanted
      : wanted.slice(Math.max(wanted.length - tailLines, 0)))
      yield text(line);
    if (!options.isFollowing || options.isPrevious) return;
    for (;;) {
      if (page.run !== run || signal.aborted) return;
      for (; next < page.dropped + page.lines.length; next += 1) {
        const line = page.lines[Math.max(next - page.dropped, 0)];
        if (line !== undefined) yield text(line);
        if (page.run !== run || signal.aborted) return;
      }
      if (page.isOver) return;
      await change(page, signal);
    }
  }

  #page(id: string): Page {
    let page = this.#pages.get(id);
    if (page === undefined) {
      page = { lines: [], previous: [], dropped: 0, isOver: false, run: 0, waiting: new Set() };
      this.#pages.set(id, page);
    }
    return page;
  }
}

function wake(page: Page): void {
  for (const each of page.waiting) each();
  page.waiting.clear();
}

function change(page: Page, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      page.waiting.delete(done);
      resolve();
    };
    page.waiting.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
