import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

/** What a person with a browser waits for, in milliseconds. */
export interface PageMeasures {
  /** From the address to the first rows. */
  readonly paintMs: number;
  /** From a key to the frame that shows what it did: the median, and the worst of a word. */
  readonly keyMs: number;
  readonly slowestKeyMs: number;
  readonly longestFrameMs: number;
  /** Of a core, by the processor time of the page's main thread: whatever else the machine does. */
  readonly share: number;
}

const word = 'app-123.example';

/** Opens the Routes page in Chromium, and filters it while a hundred changes a second arrive. */
export async function measurePage(
  port: number,
  changes: (count: number, pauseMs: number) => Promise<void>,
): Promise<PageMeasures | undefined> {
  const executablePath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'chromium'))
    .find((file) => existsSync(file));
  // A bench that cannot have a browser measures the rest.
  if (executablePath === undefined) return undefined;
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const started = performance.now();
    await page.goto(`http://127.0.0.1:${port}/routes`);
    await page.locator('.route-line .route-address').first().waitFor();
    await page.evaluate(nextFrame);
    const paintMs = performance.now() - started;
    const changing = changes(400, 10);
    await page.getByLabel('Filter routes').focus();
    await page.evaluate(observe);
    const worked = await workOf(page);
    const typedFrom = performance.now();
    await page.keyboard.type(word, { delay: 120 });
    await page.evaluate(nextFrame);
    const { keys, frame } = (await page.evaluate('({ keys, frame: longest })')) as {
      keys: number[];
      frame: number;
    };
    const share = ((await worked()) * 1_000) / (performance.now() - typedFrom);
    await changing;
    keys.sort((left, right) => left - right);
    return {
      paintMs,
      keyMs: keys[Math.floor(keys.length / 2)] ?? Number.NaN,
      slowestKeyMs: keys.at(-1) ?? Number.NaN,
      longestFrameMs: frame,
      share,
    };
  } finally {
    await browser.close();
  }
}

/** Answers how many seconds the main thread has worked since. */
async function workOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const seconds = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await seconds();
  return async () => (await seconds()) - before;
}

const nextFrame =
  'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve())))';

/** Notes from each key how long it took to be seen, and the longest time between two frames. */
const observe = `{
  globalThis.keys = [];
  globalThis.longest = 0;
  document.addEventListener('input', () => {
    const at = performance.now();
    requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - at)));
  }, true);
  let last = performance.now();
  const tick = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}`;
