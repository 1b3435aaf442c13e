import type { Browser, BrowserContext, Page } from 'playwright-core';
import { FixtureServer } from '../../packages/dashboard/web/testing/fixture-server.ts';
import type { Scene } from '../../packages/dashboard/web/testing/scenes.ts';
import { colourBlocks, listenToComplaints, overflowing, stumblingBlocks } from './browser.ts';

const wide = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** One server and one page, on which scenes are played one after the other: what was loaded once is not loaded again. */
export class Stage {
  readonly #server = new FixtureServer();
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #complaints: string[];

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.#page = page;
    this.#complaints = listenToComplaints(page);
  }

  static async open(browser: Browser): Promise<Stage> {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    return new Stage(context, await context.newPage());
  }

  /**
   * Whatever somebody would stumble over in these scenes, each wide and on a phone, light and dark: by axe, by what
   * hangs over the edge, and by what the page complained of.
   */
  async examine(scenes: readonly Scene[]): Promise<string[]> {
    const address = await this.#server.start();
    const found: string[] = [];
    for (const scene of scenes) {
      this.#server.clear();
      scene.prepare(this.#server);
      await this.#page.setViewportSize(wide);
      await this.#page.emulateMedia({ colorScheme: 'light' });
      await this.#page.goto(address + scene.path);
      await scene.ready(this.#page);
      const blocks = await this.#looks();
      const complaints = this.#complaints.splice(0);
      found.push(...[...blocks, ...complaints].map((block) => `${scene.name}: ${block}`));
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#context.close();
    await this.#server.stop();
  }

  async #looks(): Promise<string[]> {
    const page = this.#page;
    const found = [...told('wide', await stumblingBlocks(page))];
    await page.emulateMedia({ colorScheme: 'dark' });
    found.push(...told('wide, dark', await colourBlocks(page)));
    await page.setViewportSize(phone);
    found.push(...told('phone, dark', await stumblingBlocks(page)));
    const over = (await page.evaluate(overflowing)) as number;
    if (over !== 0) found.push(`phone: ${over} pixels wider than the window`);
    await page.emulateMedia({ colorScheme: 'light' });
    found.push(...told('phone', await colourBlocks(page)));
    return found;
  }
}

function told(look: string, blocks: readonly string[]): string[] {
  return blocks.map((block) => `${look}: ${block}`);
}
