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

/**
 * What a screen reader would stumble over, as axe finds it: serious and critical. Once a page has been looked at whole,
 * another theme changes its colours only.
 */
export async function stumblingBlocks(page: Page, only?: 'colours'): Promise<string[]> {
  // By the debugger, not as an element: the page's policy would rightly refuse it.
  await page.evaluate(axeScript);
  const { violations } = (await page.evaluate(
    only === 'colours' ? "axe.run({ runOnly: ['color-contrast'] })" : 'axe.run()',
  )) as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

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
