import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const axeScript = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Where the system's Chromium is; undefined where there is none. */
export function findChromium(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'chromium'))
    .find((file) => existsSync(file));
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    // As root, in a container, its own sandbox cannot be.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/** What a screen reader would stumble over, as axe finds it: serious and critical. */
export function stumblingBlocks(page: Page): Promise<string[]> {
  return examine(page, {});
}

/** Of these, what another theme can change. */
export function colourBlocks(page: Page): Promise<string[]> {
  return examine(page, { runOnly: ['color-contrast'] });
}

async function examine(page: Page, options: object): Promise<string[]> {
  // By the debugger, not as an element: the page's policy would rightly refuse it.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeScript);
  // What is in order is not described, which is most of the work.
  const wishes = { resultTypes: ['violations'], selectors: false, iframes: false, ...options };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(wishes)})`)) as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** How much wider than the window the page is. */
export const overflowing =
  'document.documentElement.scrollWidth - document.documentElement.clientWidth';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Complaints of the page itself: what its policy refused, and what was thrown. */
export function listenToComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    // A refused or failed answer is the browser's to report; the tests make them on purpose.
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(text))
      complaints.push(text);
  });
  return complaints;
}
