import type { Health, ShownObject } from '../../src/protocol/reference.ts';
import type { RouteRow, RouteTraffic } from '../../src/protocol/routes.ts';
import { origin, platformApps, shopApps, shown, storefrontApps } from './shop-objects.ts';

interface ShortRoute {
  readonly host: string;
  readonly path: string;
  readonly methods?: readonly string[];
  readonly plugins?: readonly string[];
  readonly service: string;
  readonly targets: readonly Health[];
  readonly object: ShownObject;
  readonly from: ShownObject;
  readonly file: string;
  readonly rate: number;
  readonly errors?: number;
  readonly ms: number;
  readonly reason?: string;
}

const good: Health = 'healthy';
const bad: Health = 'degraded';

const short: readonly ShortRoute[] = [
  {
    host: 'shop.example',
    path: '/',
    plugins: ['proxy-cache', 'response-transformer'],
    service: 'web',
    targets: [good, good, good],
    object: shown('Ingress', 'storefront', 'web'),
    from: storefrontApps,
    file: 'deploy/ingress.yaml:1',
    rate: 84,
    ms: 38,
  },
  {
    host: 'shop.example',
    path: '/assets',
    plugins: ['proxy-cache'],
    service: 'assets',
    targets: [good, good],
    object: shown('Ingress', 'storefront', 'web'),
    from: storefrontApps,
    file: 'deploy/ingress.yaml:1',
    rate: 210,
    ms: 6,
  },
  {
    host: 'api.shop.example',
    path: '/cart',
    plugins: ['jwt', 'rate-limiting', 'cors', 'correlation-id'],
    service: 'cart',
    targets: [good, good, bad],
    object: shown('HTTPRoute', 'shop', 'cart'),
    from: shopApps,
    file: 'apps/cart/route.yaml:1',
    rate: 31,
    errors: 0.014,
    ms: 92,
    reason: 'One of three targets fails its health check.',
  },
  {
    host: 'api.shop.example',
    path: '/checkout',
    methods: ['POST'],
    plugins: ['jwt', 'rate-limiting'],
    service: 'checkout',
    targets: [],
    object: shown('Ingress', 'shop', 'checkout'),
    from: shopApps,
    file: 'apps/checkout/ingress.yaml:14',
    rate: 4,
    errors: 1,
    ms: 3,
    reason: 'Service checkout has no ready endpoint.',
  },
  {
    host: 'api.shop.example',
    path: '/catalog',
    plugins: ['proxy-cache', 'cors'],
    service: 'catalog',
    targets: [good, good, good, good],
    object: shown('HTTPRoute', 'shop', 'catalog'),
    from: shopApps,
    file: 'apps/catalog/route.yaml:1',
    rate: 142,
    ms: 24,
  },
  {
    host: 'api.shop.example',
    path: '~/orders/(?<id>\\d+)$',
    methods: ['GET', 'DELETE'],
    plugins: ['jwt'],
    service: 'orders',
    targets: [good, good],
    object: shown('Ingress', 'shop', 'orders'),
    from: shopApps,
    file: 'apps/orders/ingress.yaml:9',
    rate: 12,
    ms: 61,
  },
  {
    host: 'pay.shop.example',
    path: '/',
    plugins: ['ip-restriction', 'key-auth'],
    service: 'payments',
    targets: [good, good],
    object: shown('Ingress', 'payments', 'gateway'),
    from: shopApps,
    file: 'apps/payments/ingress.yaml:1',
    rate: 6,
    ms: 188,
  },
  {
    host: 'pay.shop.example',
    path: '/webhooks',
    methods: ['POST'],
    plugins: ['hmac-auth'],
    service: 'webhooks',
    targets: [good],
    object: shown('Ingress', 'payments', 'webhooks'),
    from: shopApps,
    file: 'apps/payments/webhooks.yaml:1',
    rate: 0.6,
    ms: 45,
  },
  {
    host: 'status.shop.example',
    path: '/',
    service: 'status',
    targets: [good],
    object: shown('Ingress', 'platform', 'status'),
    from: platformApps,
    file: 'platform/status/ingress.yaml:1',
    rate: 0.2,
    ms: 11,
  },
  {
    host: 'grafana.internal.example',
    path: '/',
    plugins: ['oauth2-introspection'],
    service: 'grafana',
    targets: [good],
    object: shown('Ingress', 'platform', 'grafana'),
    from: platformApps,
    file: 'platform/monitoring/ingress.yaml:22',
    rate: 1.4,
    ms: 130,
  },
];

export const shopRoutes: readonly RouteRow[] = short.map((route, index) => routeRow(route, index));

function routeRow(route: ShortRoute, index: number): RouteRow {
  const { namespace, name } = route.object;
  const isBad = route.targets.length === 0 || route.targets.every((health) => health === bad);
  return {
    id: `route-${index}`,
    name: `${namespace}.${name}.${route.service}.${route.host}.80`,
    protocols: ['http', 'https'],
    hosts: [route.host],
    paths: [route.path],
    methods: route.methods ?? [],
    plugins: (route.plugins ?? []).map((plugin) => ({
      name: plugin,
      scope: plugin === 'cors' ? 'service' : 'route',
    })),
    service: {
      id: `service-${route.service}`,
      name: route.service,
      address: `http://${route.service}.${namespace}.80.svc:80`,
    },
    targets: route.targets.map((health, place) => ({
      target: `10.42.${index}.${place + 11}:8080`,
      weight: 100,
      health,
    })),
    object: route.object,
    origin: origin(route.from, route.file),
    health: isBad || route.targets.includes(bad) ? 'degraded' : 'healthy',
    ...(route.reason && { reason: route.reason }),
  };
}

const slots = 60;
const slotMs = 5_000;

/** Five minutes of traffic that looks like traffic and is the same every time. */
export function shopTraffic(endedAt: number): readonly RouteTraffic[] {
  return short.map((route, index) => {
    const wave = (slot: number) =>
      1 + 0.25 * Math.sin(slot / 7 + index) + 0.12 * Math.sin(slot * 1.7 + index * 3);
    const requests = Array.from({ length: slots }, (_, slot) =>
      Math.round(route.rate * (slotMs / 1_000) * wave(slot)),
    );
    const failing = route.errors ?? 0;
    return {
      id: `route-${index}`,
      slotMs,
      endedAt,
      requests,
      errors: requests.map((count, slot) =>
        failing === 1 ? (slot > 38 ? count : 0) : Math.round(count * failing * wave(slot * 3)),
      ),
      p50: requests.map((count, slot) => (count === 0 ? null : (route.ms / 3) * wave(slot + 5))),
      p99: requests.map((count, slot) => (count === 0 ? null : route.ms * wave(slot * 2))),
    };
  });
}
