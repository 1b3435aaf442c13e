import type { ProblemRow } from '../../src/protocol/problems.ts';
import { fleet, origin, platformApps, shopApps, shown } from './shop-objects.ts';

const minute = 60_000;

/** What is wrong in the shop. */
export function shopProblems(now: number): readonly ProblemRow[] {
  return [
    {
      id: 'checkout-endpoints',
      severity: 'outage',
      object: shown('Ingress', 'shop', 'checkout'),
      field: 'spec.rules[0].http.paths[0].backend.service.name',
      message: 'Service shop/checkout has no ready endpoint.',
      effect: 'POST api.shop.example/checkout answers 503.',
      fix: 'Pods of Deployment shop/checkout are not ready: look at their readiness probe, or roll back to c31a9e0.',
      since: now - 9 * minute,
      origin: origin(shopApps, 'apps/checkout/ingress.yaml:14'),
    },
    {
      id: 'platform-build',
      severity: 'blocked',
      object: platformApps,
      field: 'spec.path',
      message:
        'platform/monitoring/kustomization.yaml names a patch that is not there: patches/retention.yaml',
      effect: 'Nothing of Kustomization platform has been applied since main@8f2c41d.',
      fix: 'Add the file, or take it out of the list of patches.',
      since: now - 26 * minute,
      origin: origin(platformApps, 'platform/monitoring/kustomization.yaml:11'),
    },
    {
      id: 'cart-target',
      severity: 'warning',
      object: shown('Service', 'shop', 'cart'),
      message: 'One of three targets of shop/cart fails its health check.',
      effect: 'The other two take all requests.',
      fix: 'Look at Pod shop/cart-6d9f-x2x7k (10.42.2.13).',
      since: now - 3 * minute,
    },
    {
      id: 'plugin-unused',
      severity: 'warning',
      object: shown('KongPlugin', 'payments', 'allow-office'),
      field: 'config.allow[2]',
      message: '10.0.0.0/8 includes 10.42.0.0/16, which is in the same list.',
      fix: 'Leave the narrower one out.',
      since: now - 3 * 24 * 60 * minute,
      origin: { ...origin(shopApps, 'apps/payments/plugins.yaml:31'), source: fleet },
    },
  ];
}
