import type { Page } from 'playwright-core';
import type { FlowNode } from '../../src/protocol/flow.ts';
import type { RouteRow } from '../../src/protocol/routes.ts';
import { FixtureServer } from './fixture-server.ts';
import { manyRoutes, trafficOf } from './many-routes.ts';
import { shopAnswers } from './shop-answers.ts';
import { shopChanges } from './shop-changes.ts';
import { flowOf } from './shop-flow.ts';
import { fleetCommit } from './shop-objects.ts';
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
  server.world.put('flow', ...flowOf(shopRoutes));
  server.world.put('routes', ...shopRoutes);
  server.world.put('traffic', ...shopTraffic(now));
  server.world.put('problems', ...shopProblems(now));
  server.world.put('changes', ...shopChanges(now));
  server.answers = shopAnswers;
}

/** A company. */
export function tenThousand(server: FixtureServer): void {
  company ??= { routes: manyRoutes(10_000), flow: flowOf(manyRoutes(10_000)) };
  const { routes, flow } = company;
  server.world.put('flow', ...flow);
  server.world.put('routes', ...routes);
  server.world.put('traffic', ...trafficOf(routes, Date.now()));
}

/** What a page is told while nobody can ask the gateway. */
const gatewayGone = {
  id: 'gateway/read',
  severity: 'blocked',
  message:
    'the gateway cannot be read: cannot reach the Admin API at http://10.42.0.7:8001: connect ECONNREFUSED',
  since: Date.now(),
} as const;

/** Made once: three scenes show it. */
let company:
  | { readonly routes: readonly RouteRow[]; readonly flow: readonly FlowNode[] }
  | undefined;

export const scenes: readonly Scene[] = [
  {
    name: 'flow',
    path: '/flow',
    prepare: shop,
    ready: seen('.flow-box'),
    documented: ['light-wide'],
  },
  {
    name: 'flow-followed',
    path: '/flow?node=service-cart',
    prepare: shop,
    ready: seen('.flow-selected'),
  },
  {
    name: 'flow-broken',
    path: '/flow?show=broken',
    prepare: shop,
    ready: seen('.flow-box'),
  },
  { name: 'flow-many', path: '/flow', prepare: tenThousand, ready: seen('.flow-group') },
  {
    name: 'flow-many-followed',
    path: '/flow?node=route-507',
    prepare: tenThousand,
    ready: seen('.flow-selected'),
  },
  { name: 'flow-empty', path: '/flow', prepare: () => {}, ready: seen('.empty') },

  { name: 'routes', path: '/routes', prepare: shop, ready: seen('.virtual-row .route-line') },
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
  {
    name: 'routes-many',
    path: '/routes',
    prepare: tenThousand,
    ready: seen('.virtual-row .route-line'),
  },
  { name: 'routes-empty', path: '/routes', prepare: () => {}, ready: seen('.empty') },
  { name: 'problems', path: '/problems', prepare: shop, ready: seen('.problem') },
  { name: 'problems-empty', path: '/problems', prepare: () => {}, ready: seen('.empty') },
  { name: 'migration', path: '/migration', prepare: shop, ready: seen('.migrated') },
  {
    name: 'migration-empty',
    path: '/migration',
    prepare: (server) => {
      server.answers = () => ({ ingresses: [], annotations: [], settings: [], notes: [] });
    },
    ready: seen('.empty'),
  },
  {
    name: 'migration-error',
    path: '/migration',
    prepare: fail('migration'),
    ready: seen('.failure'),
  },
  { name: 'trace-start', path: '/trace', prepare: shop, ready: seen('.empty') },
  {
    name: 'trace',
    path: '/trace?url=https%3A%2F%2Fapi.shop.example%2Fcart%2F7',
    prepare: shop,
    ready: seen('.chain-link'),
  },
  {
    name: 'trace-none',
    path: '/trace?url=https%3A%2F%2Fapi.shop.example%2Fadmin',
    prepare: shop,
    ready: seen('.step-bad'),
  },
  {
    name: 'trace-error',
    path: '/trace?url=https%3A%2F%2Fapi.shop.example%2Fcart',
    prepare: fail('trace'),
    ready: seen('.failure'),
  },
  { name: 'changes', path: '/changes', prepare: shop, ready: seen('.change') },
  {
    name: 'changes-empty',
    path: '/changes',
    prepare: () => {},
    ready: seen('.empty'),
  },
  {
    name: 'changes-error',
    path: '/changes',
    prepare: fail('changes'),
    ready: seen('.failure'),
  },
  { name: 'change', path: '/changes/1006', prepare: shop, ready: seen('[data-code=open]') },
  {
    name: 'change-error',
    path: '/changes/1005',
    prepare: shop,
    ready: seen('.note-bad'),
  },
  {
    name: 'change-gone',
    path: '/changes/1',
    prepare: shop,
    ready: seen('.failure'),
  },
  { name: 'commit', path: `/commits/${fleetCommit}`, prepare: shop, ready: seen('.diff') },
  { name: 'preview-start', path: '/preview', prepare: shop, ready: seen('.reference-group') },
  {
    name: 'preview',
    path: '/preview?source=flux-system%2Ffleet&ref=refs%2Fpull%2F412%2Fhead',
    prepare: shop,
    ready: seen('[data-code=open]'),
  },
  {
    name: 'preview-same',
    path: '/preview?source=flux-system%2Ffleet&ref=main',
    prepare: shop,
    ready: seen('.preview-result .empty'),
  },
  {
    name: 'preview-nothing-made',
    path: '/preview?source=flux-system%2Ffleet&ref=release-7',
    prepare: shop,
    ready: seen('.preview-result .empty'),
  },
  {
    name: 'preview-error',
    path: '/preview?source=flux-system%2Ffleet&ref=nowhere',
    prepare: (server) => {
      shop(server);
      fail('preview')(server);
    },
    ready: seen('.failure'),
  },
  {
    name: 'preview-empty',
    path: '/preview',
    prepare: () => {},
    ready: seen('.empty'),
  },
  {
    name: 'object',
    path: '/objects/kustomize.toolkit.fluxcd.io/v1/Kustomization/flux-system/shop',
    prepare: shop,
    ready: seen('[data-code=open]'),
  },
  {
    name: 'object-gone',
    path: '/objects/core/v1/Service/shop/gone',
    prepare: shop,
    ready: seen('.failure'),
  },
  { name: 'nowhere', path: '/nowhere', prepare: shop, ready: seen('.empty') },
  {
    name: 'flow-error',
    path: '/flow',
    prepare: fail('flow'),
    ready: seen('.failure'),
  },
  {
    name: 'problems-error',
    path: '/problems',
    prepare: fail('problems'),
    ready: seen('.failure'),
  },
  {
    name: 'routes-error',
    path: '/routes',
    prepare: fail('routes'),
    ready: seen('.failure'),
  },
  {
    name: 'routes-no-gateway',
    path: '/routes',
    prepare: (server) => server.world.put('problems', gatewayGone),
    ready: seen('.empty a'),
  },
  {
    name: 'flow-no-gateway',
    path: '/flow',
    prepare: (server) => {
      shop(server);
      server.world.put('problems', gatewayGone);
    },
    ready: seen('.gateway-fault'),
  },
  {
    name: 'object-many',
    path: '/objects/kustomize.toolkit.fluxcd.io/v1/Kustomization/flux-system/everything',
    prepare: shop,
    ready: seen('[data-code=open]'),
  },
  {
    name: 'waiting',
    path: '/flow',
    prepare: (server) => {
      server.isSilent = true;
    },
    ready: seen('.alone .empty'),
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
        error: {
          code: 'WG_DASHBOARD_NOT_READY',
          message: 'The caches are not filled yet.',
          hint: 'This passes by itself within a few seconds of the start.',
        },
      },
    });
  };
}
