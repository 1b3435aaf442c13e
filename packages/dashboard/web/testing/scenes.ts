import type { Page } from 'playwright-core';
import { FixtureServer } from './fixture-server.ts';
import { shopProblems } from './shop-problems.ts';
import { shopRoutes, shopTraffic } from './shop-routes.ts';

/** One page in one state, as the screenshots and the tests look at it. */
export interface Scene {
  readonly name: string;
  readonly path: string;
  readonly prepare: (server: FixtureServer) => void;
  /** Resolves when everything is there that shall be seen. */
  readonly ready: (page: Page) => Promise<void>;
  /** The pictures of it that the documentation shows: `light-wide`. */
  readonly documented?: readonly string[];
}

/** A shop in which one thing is broken, one is stuck and two are odd. */
export function shop(server: FixtureServer): void {
  const now = Date.now();
  server.world.put('routes', ...shopRoutes);
  server.world.put('traffic', ...shopTraffic(now));
  server.world.put('problems', ...shopProblems(now));
}

export const scenes: readonly Scene[] = [
  { name: 'routes', path: '/routes', prepare: shop, ready: seen('.route-line') },
  {
    name: 'routes-panel',
    path: '/routes?route=route-2',
    prepare: shop,
    ready: seen('.plot canvas'),
  },
  {
    name: 'routes-none-match',
    path: '/routes?q=nowhere',
    prepare: shop,
    ready: seen('.none-left'),
  },
  { name: 'routes-empty', path: '/routes', prepare: () => {}, ready: seen('.empty') },
  { name: 'problems', path: '/problems', prepare: shop, ready: seen('.problem') },
  { name: 'problems-empty', path: '/problems', prepare: () => {}, ready: seen('.empty') },
  {
    name: 'routes-error',
    path: '/routes',
    prepare: fail('routes'),
    ready: seen('.failure'),
  },
  {
    name: 'sign-in',
    path: '/routes',
    prepare: (server) => {
      server.token = 'open sesame';
    },
    ready: seen('#token'),
  },
];

export async function serveScene(scene: Scene) {
  const server = new FixtureServer();
  scene.prepare(server);
  const address = await server.start();
  return { address, server, stop: () => server.stop() };
}

function seen(selector: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator(selector).first().waitFor();
  };
}

function fail(path: string): (server: FixtureServer) => void {
  return (server) => {
    server.failures.set(path, {
      status: 503,
      refusal: {
        code: 'WG_DASHBOARD_NOT_READY',
        message: 'The caches are not filled yet.',
        hint: 'This passes by itself within a few seconds of the start.',
      },
    });
  };
}
