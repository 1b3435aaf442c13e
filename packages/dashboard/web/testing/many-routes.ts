import type { RouteRow, RouteTraffic } from '../../src/protocol/routes.ts';
import { origin, shopApps, shown } from './shop-objects.ts';

/** As many routes as asked for, in 40 namespaces. One in 500 has lost its targets. */
export function manyRoutes(count: number): readonly RouteRow[] {
  return Array.from({ length: count }, (_, index) => {
    const namespace = `team-${String(index % 40).padStart(2, '0')}`;
    const isBad = index % 500 === 7;
    return {
      id: `route-${index}`,
      name: `${namespace}.app-${index}.web.80`,
      protocols: ['http', 'https'],
      hosts: [`app-${index}.${namespace}.example`],
      paths: [`/v${index % 3}`],
      methods: index % 5 === 0 ? ['GET', 'POST'] : [],
      plugins: index % 4 === 0 ? [{ name: 'rate-limiting', scope: 'route' }] : [],
      service: {
        id: `service-${index}`,
        name: `app-${index}`,
        address: `http://app-${index}.${namespace}.svc:80`,
      },
      targets: isBad
        ? []
        : [
            {
              target: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}:80`,
              weight: 100,
              health: 'healthy',
            },
          ],
      object: shown('Ingress', namespace, `app-${index}`),
      origin: origin(shopApps, `apps/${namespace}/app-${index}.yaml:1`),
      health: isBad ? 'degraded' : 'healthy',
      ...(isBad && { reason: 'No ready endpoint.' }),
    };
  });
}

export function trafficOf(routes: readonly RouteRow[], endedAt: number): readonly RouteTraffic[] {
  return routes.map(({ id }, index) => {
    const requests = Array.from({ length: 30 }, (_, slot) => (index * 7 + slot * 13) % 90);
    return {
      id,
      slotMs: 10_000,
      endedAt,
      requests,
      errors: requests.map((number) => (index % 50 === 0 ? number % 3 : 0)),
      p50: requests.map(() => 12),
      p99: requests.map((number) => 20 + number),
    };
  });
}
