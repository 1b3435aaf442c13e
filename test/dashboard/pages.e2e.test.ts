import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ProblemRow } from '@waygate/dashboard';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FixtureServer } from '../../packages/dashboard/web/testing/fixture-server.ts';
import { type Scene, scenes, serveScene } from '../../packages/dashboard/web/testing/scenes.ts';
import { flowOf } from '../../packages/dashboard/web/testing/shop-flow.ts';
import { shopRoutes } from '../../packages/dashboard/web/testing/shop-routes.ts';
import { hasProgram } from '../real/processes.ts';
import { findChromium, listenToComplaints, openBrowser } from './browser.ts';
import { ingress, RealDashboard } from './real.ts';
import { Stage } from './stage.ts';

let browser: Browser;
const real = new RealDashboard();
const hasReal = hasProgram('kubectl') && findChromium() !== undefined;

beforeAll(async () => {
  if (findChromium() === undefined) return;
  // The real one starts while the others are looked at.
  if (hasReal) real.begin();
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  if (hasReal) await real.stop();
});

describe.skipIf(!findChromium())('the dashboard in Chromium', () => {
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function open(
    scene: Scene,
    path = scene.path,
  ): Promise<{ page: Page; server: FixtureServer; complaints: string[] }> {
    const { address, server, stop } = await serveScene(scene);
    const page = await browser.newPage({
      baseURL: address,
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    });
    closing.push(stop, () => page.close());
    const complaints = listenToComplaints(page);
    await page.goto(path);
    await scene.ready(page);
    return { page, server, complaints };
  }

  function sceneNamed(name: string): Scene {
    return scenes.find((scene) => scene.name === name) ?? expect.fail(name);
  }

  test('every page, full, empty and in error: nobody stumbles over it', async () => {
    expect(scenes.length).toBeGreaterThan(30);
    // Two at a time, as a machine has cores; a failure names its scene, its shape and its theme.
    const stages = await Promise.all([Stage.open(browser), Stage.open(browser)]);
    closing.push(...stages.map((stage) => () => stage.close()));
    const found = await Promise.all(
      stages.map((stage, lane) => stage.examine(scenes.filter((_, at) => at % 2 === lane))),
    );
    expect(found.flat()).toEqual([]);
  }, 300_000);

  test('the first load is under 250 kB, compressed', async () => {
    const { address, stop } = await serveScene(sceneNamed('flow'));
    const page = await browser.newPage({ baseURL: address });
    closing.push(stop, () => page.close());
    const loaded: Promise<Buffer>[] = [];
    page.on('response', (response) => {
      if (!response.url().includes('/api/')) loaded.push(response.body());
    });
    await page.goto('/flow', { waitUntil: 'load' });
    await sceneNamed('flow').ready(page);
    const bodies = await Promise.all(loaded);
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(250_000);
    console.log(`first load: ${bytes} bytes, compressed`);
  });

  test('a change is seen as it comes', async () => {
    const { page, server } = await open(sceneNamed('problems'));
    server.world.put('problems', {
      id: 'new',
      severity: 'outage',
      message: 'A new one.',
      since: Date.now(),
    });
    await page.getByText('A new one.').waitFor();
    expect(await page.locator('.pages .count').textContent()).toBe('5');
    server.world.drop('problems', 'new', 'checkout-endpoints');
    await page.getByText('A new one.').waitFor({ state: 'detached' });
    expect(await page.locator('.problem').count()).toBe(3);
  });

  test('a lost connection comes back by itself, and nothing is lost or doubled', async () => {
    const { page, server } = await open(sceneNamed('problems'));
    await expect.poll(() => server.streamCount).toBe(1);
    server.isDown = true;
    server.cut();
    await page.getByText('Connection lost.').waitFor();
    server.world.put('problems', {
      id: 'meanwhile',
      severity: 'warning',
      message: 'Meanwhile.',
      since: 0,
    });
    server.world.drop('problems', 'cart-target');
    server.isDown = false;
    await page.getByText('Meanwhile.').waitFor();
    expect(await page.locator('.problem').count()).toBe(4);
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    // A server that started anew does not know what the page has seen.
    server.world.drop('problems', 'meanwhile');
    server.world.forgetPast();
    server.cut();
    await page.getByText('Meanwhile.').waitFor({ state: 'detached' });
    expect(await page.locator('.problem').count()).toBe(3);
  });

  test('an object that is deleted while it is looked at, and made again, is there again', async () => {
    const { page, server } = await open(sceneNamed('object'));
    const { answers } = server;
    const node = flowOf(shopRoutes).find(
      ({ object }) => object?.kind === 'Kustomization' && object.name === 'shop',
    )!;
    server.answers = () => undefined;
    server.world.drop('flow', node.id);
    await page.locator('.failure').waitFor();
    server.answers = answers;
    server.world.put('flow', node);
    await page.locator('[data-code=open]').waitFor();
    expect(await page.locator('.failure').count()).toBe(0);
  });

  test('keys: pages, search, help, lists and the graph', async () => {
    const { page } = await open(sceneNamed('routes'));
    const path = () => page.evaluate('location.pathname + location.search');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(path).toMatch(/^\/routes\?route=route-\d+$/);
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await expect.poll(path).toBe('/problems');
    await page.keyboard.press('/');
    await page.keyboard.type('webhooks');
    await page.locator('.finding').first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(path).toBe('/routes?route=route-7');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.locator('.flow-box').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(path).toMatch(/^\/flow\?node=/);
    await page.locator('.flow-selected').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(path).toBe('/flow');
  });

  test('a curl command line is traced, and its link carries no secret', async () => {
    const { page, server } = await open(sceneNamed('trace-start'));
    await page
      .getByRole('textbox')
      .fill(
        `curl -H 'Authorization: Bearer s3cret' -H 'X-Tenant: a' https://api.shop.example/cart`,
      );
    await page.keyboard.press('Enter');
    await page.getByText('shop.cart.cart.api.shop.example.80').first().waitFor();
    const asked = server.posted.at(-1);
    expect(asked).toEqual({
      path: 'trace',
      csrf: 'csrf-of-the-fixture',
      body: {
        url: 'https://api.shop.example/cart',
        headers: { authorization: 'Bearer s3cret', 'x-tenant': 'a' },
      },
    });
    expect(page.url()).toContain('x-tenant');
    expect(page.url()).not.toContain('s3cret');
  });

  test('signing in leads to the page that was asked for', async () => {
    const { page } = await open(sceneNamed('sign-in'));
    await page.getByLabel('Bearer token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The cluster does not know this token.').waitFor();
    await page.getByLabel('Bearer token').fill('open sesame');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Routes', exact: true }).waitFor();
  });

  test('an action is asked for with the token against forged requests', async () => {
    const { page, server } = await open(sceneNamed('object'));
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('Suspended.').waitFor();
    const [posted] = server.posted;
    expect(posted?.csrf).toBe('csrf-of-the-fixture');
    expect(posted?.body).toMatchObject({
      action: 'suspend',
      object: { kind: 'Kustomization', name: 'shop' },
    });
  });

  test('a click follows one path and dims the rest; a group opens', async () => {
    const { page } = await open(sceneNamed('flow'));
    await page.locator('[data-box="service-cart"]').click();
    await page.locator('.flow-selected').waitFor();
    expect(await page.locator('[data-box="service-catalog"]').getAttribute('class')).toContain(
      'flow-dim',
    );
    expect(await page.locator('[data-box="10.42.2.13:8080"]').getAttribute('class')).not.toContain(
      'flow-dim',
    );
    await page.keyboard.press('Escape');
    const group = page.locator('.flow-group', { hasText: 'payments' });
    await group.click();
    await page.locator('[data-box="10.42.6.11:8080"]').waitFor();
  });

  test('10,000 routes are filtered key by key while they change, and only what is seen is drawn', async () => {
    const { page, server } = await open(sceneNamed('routes-many'));
    const rows = server.world.snapshot('routes').items;
    let next = 0;
    const changing = setInterval(() => {
      const row = rows[next++ % rows.length];
      if (row) server.world.put('routes', { ...row, reason: `changed ${next}` });
    }, 10);
    closing.push(async () => clearInterval(changing));
    const field = page.getByLabel('Filter routes');
    await field.focus();
    await page.evaluate(observeKeys);
    for (const key of 'app-4242.team') {
      await page.keyboard.press(key);
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    }
    await page.getByText('1 of 10,000 routes').waitFor();
    const { drawn, most } = (await page.evaluate('({ drawn, most })')) as {
      drawn: number;
      most: number;
    };
    // Every key was drawn by itself, and never more rows than the window holds: how long that takes is the
    // machine's affair, and `npm run bench -- dashboard` says it.
    expect(drawn).toBe(13);
    expect(most).toBeLessThan(60);
  });
});

describe.skipIf(!hasReal)('on a real waygate up', () => {
  /** Who sits at the machine: the printed address opens once, and leaves a cookie. */
  let owner: BrowserContext;

  beforeAll(async () => {
    await real.started();
    owner = await browser.newContext();
    const page = await owner.newPage();
    await page.goto(real.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.close();
  });

  test('what kubectl applies and what a commit changes are seen as they come', async () => {
    const page = await owner.newPage();
    const complaints = listenToComplaints(page);
    await page.goto(new URL('/flow', real.url).href);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByText('/of-one').first().waitFor();
    real.kubectl(['apply', '-f', '-'], ingress('by-hand', 'one'));
    await page.getByText('/by-hand').first().waitFor();
    real.write(
      'all.yaml',
      `${readFileSync(join(real.project, 'all.yaml'))}---\n${ingress('landed', 'one')}`,
    );
    const commit = real.commit('One more way in');
    await page.getByText('/landed').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByText('project: One more way in').waitFor();
    await page
      .getByRole('link', { name: commit.slice(0, 7) })
      .first()
      .click();
    await page.locator('.commit-subject', { hasText: 'One more way in' }).waitFor();
    // What it did to the cluster, what the gateway took of it, and whose it was.
    await page.getByText('created Ingress one/landed of project').waitFor();
    await page.getByText(/the gateway took \d+ changes? of Ingress one\/landed/).waitFor();
    await page.getByText('Ada Lovelace').first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('`waygate problems` and the page tell the same, and its exit code says how it went', async () => {
    // One that cannot be translated, beside those whose Service is not there.
    real.kubectl(
      ['apply', '-f', '-'],
      ingress('odd', 'two').replace(
        '{name: odd',
        '{annotations: {konghq.com/plugins: nowhere}, name: odd',
      ),
    );
    const page = await owner.newPage();
    await page.goto(new URL('/problems', real.url).href);
    const told = async () => {
      const { items } = (await page.evaluate(
        "fetch('/api/problems').then((answer) => answer.json())",
      )) as { items: ProblemRow[] };
      return comparable(items);
    };
    await expect.poll(async () => JSON.stringify(await told())).toContain('nowhere');
    await expect
      .poll(async () => {
        const { status, output } = await real.waygate('problems', '--output', 'json');
        const { problems } = JSON.parse(output) as { problems: ProblemRow[] };
        return { status, problems: comparable(problems) };
      })
      .toEqual({ status: 0, problems: await told() });
    expect((await told()).length).toBeGreaterThan(1);
    const ends = await Promise.all([
      real.waygate('problems', '--exit-code'),
      real.waygate('problems', '--exit-code', '--skip-gateway', '-n', 'kube-public'),
      real.waygate('problems', '--kubeconfig', join(real.home, 'none')),
      real.waygate('problems', '--no-such-flag'),
    ]);
    expect(ends.map(({ status }) => status)).toEqual([2, 0, 1, 64]);
    expect(ends[1]?.output).toBe('Nothing is wrong.\n');
    await page.close();
  });

  test('a tenant sees their namespace, and finds nothing of others', async () => {
    const token = real.tenantToken('one');
    const page = await browser.newPage({ baseURL: real.tenantUrl });
    const said: Promise<string>[] = [];
    page.on('response', (response) => {
      if (/\/api\/(?!stream)/.test(response.url())) said.push(response.text().catch(() => ''));
    });
    await page.goto('/routes');
    await page.getByLabel('Bearer token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByText('/of-one').first().waitFor();
    expect(await page.getByText('/of-two').count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type('of-');
    await page.locator('.finding').first().waitFor();
    expect(await page.locator('.finding', { hasText: 'two' }).count()).toBe(0);
    expect((await Promise.all(said)).some((text) => text.includes('of-two'))).toBe(false);
    await page.goto('/objects/networking.k8s.io/v1/Ingress/two/of-two');
    await page.locator('.failure').waitFor();
    await page.close();
  });
});

/** Since when, and by which commit, differs: one has watched it begin, the other has just come. */
function comparable(problems: readonly ProblemRow[]): { readonly id: string }[] {
  return problems
    .map(({ since: _since, origin, ...problem }) => {
      const { commit: _commit, revision: _revision, ...place } = origin ?? {};
      return { ...problem, ...place };
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Counts the keys whose frame came before the next key, and the most rows that there were in one. */
const observeKeys = `{
  globalThis.drawn = 0;
  globalThis.most = 0;
  document.addEventListener('input', () => {
    requestAnimationFrame(() => {
      drawn += 1;
      most = Math.max(most, document.querySelectorAll('.virtual-row').length);
    });
  }, true);
}`;
