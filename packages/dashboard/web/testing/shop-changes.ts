import type { ChangeDetail, ChangeRow, CommitPage } from '../../src/protocol/changes.ts';
import {
  fleetCommit,
  origin,
  platformApps,
  shopApps,
  shown,
  storefrontApps,
  storefrontCommit,
} from './shop-objects.ts';

const minute = 60_000;
const hour = 60 * minute;

/** What happened in the shop lately. */
export function shopChanges(now: number): readonly ChangeRow[] {
  const of = origin(shopApps, 'apps/cart/route.yaml:1');
  const storefront = origin(storefrontApps, 'deploy/ingress.yaml:1');
  const rows: readonly Omit<ChangeRow, 'id'>[] = [
    {
      at: now - 30 * hour,
      kind: 'fetch',
      title: 'fetched storefront main@c0ffee1: Serve assets from their own service',
      namespaces: ['flux-system'],
      objects: [],
      origin: storefront,
      author: 'Linus Pauling',
      hasDetail: false,
    },
    {
      at: now - 30 * hour + 9_000,
      kind: 'apply',
      title: 'applied 3 objects of storefront',
      namespaces: ['storefront'],
      objects: [shown('Ingress', 'storefront', 'web')],
      origin: storefront,
      author: 'Linus Pauling',
      hasDetail: true,
    },
    {
      at: now - 30 * hour + 10_000,
      kind: 'sync',
      title: 'synced 1 route, 1 service and 2 targets to the gateway',
      namespaces: ['storefront'],
      objects: [shown('Ingress', 'storefront', 'web')],
      origin: storefront,
      hasDetail: true,
    },
    {
      at: now - 4 * hour,
      kind: 'drift',
      title: 'put Deployment shop/catalog back to 4 replicas; kubectl had made it 2',
      namespaces: ['shop'],
      objects: [shown('Deployment', 'shop', 'catalog')],
      origin: of,
      hasDetail: true,
    },
    {
      at: now - 26 * minute,
      kind: 'fetch',
      title: 'fetched fleet main@8f2c41d: Give the cart a stricter rate limit',
      namespaces: ['flux-system'],
      objects: [],
      origin: of,
      author: 'Grace Hopper',
      hasDetail: false,
    },
    {
      at: now - 26 * minute + 4_000,
      kind: 'error',
      title: 'could not build platform: patches/retention.yaml is not there',
      namespaces: ['flux-system'],
      objects: [platformApps],
      origin: origin(platformApps, 'platform/monitoring/kustomization.yaml:11'),
      author: 'Grace Hopper',
      hasDetail: true,
    },
    {
      at: now - 26 * minute + 6_000,
      kind: 'apply',
      title: 'applied 2 objects of shop',
      namespaces: ['shop', 'payments'],
      objects: [shown('KongPlugin', 'shop', 'cart-limit'), shown('HTTPRoute', 'shop', 'cart')],
      origin: of,
      author: 'Grace Hopper',
      hasDetail: true,
    },
    {
      at: now - 26 * minute + 7_000,
      kind: 'sync',
      title: 'synced 1 plugin and 1 route to the gateway',
      namespaces: ['shop'],
      objects: [shown('HTTPRoute', 'shop', 'cart')],
      origin: of,
      author: 'Grace Hopper',
      hasDetail: true,
    },
    {
      at: now - 9 * minute,
      kind: 'error',
      title: 'Service shop/checkout lost its last ready endpoint',
      namespaces: ['shop'],
      objects: [shown('Service', 'shop', 'checkout')],
      hasDetail: false,
    },
    {
      at: now - 9 * minute + 200,
      kind: 'sync',
      title: 'synced 0 targets of checkout to the gateway',
      namespaces: ['shop'],
      objects: [shown('Service', 'shop', 'checkout')],
      hasDetail: true,
    },
  ];
  return rows.map((row, index) => ({ id: String(1_000 + index), ...row }));
}

const limitBefore = `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata:
  name: cart-limit
  namespace: shop
plugin: rate-limiting
config:
  minute: 600
  policy: local
  fault_tolerant: true
`;
const routeBefore = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: cart
  namespace: shop
  annotations:
    konghq.com/plugins: jwt
spec:
  parentRefs:
    - name: waygate
  hostnames:
    - api.shop.example
`;

/** What the apply of the shop changed. */
export function shopDetail(change: ChangeRow): ChangeDetail {
  if (change.kind === 'error')
    return {
      change,
      objects: [],
      entities: [],
      message:
        'accumulating resources: open platform/monitoring/patches/retention.yaml: no such file or directory\nlisted in platform/monitoring/kustomization.yaml:11',
    };
  const objects = [
    {
      object: shown('KongPlugin', 'shop', 'cart-limit'),
      action: 'configured' as const,
      before: limitBefore,
      after: limitBefore
        .replace('minute: 600', 'minute: 240')
        .replace('policy: local', 'policy: redis'),
    },
    {
      object: shown('HTTPRoute', 'shop', 'cart'),
      action: 'configured' as const,
      before: routeBefore,
      after: routeBefore.replace('plugins: jwt', 'plugins: jwt, cart-limit'),
    },
  ];
  const entities = [
    {
      kind: 'plugins',
      name: 'rate-limiting of shop.cart',
      action: 'created' as const,
      before: '',
      after:
        'name: rate-limiting\nconfig:\n  minute: 240\n  policy: redis\n  redis:\n    password: "***"\nroute: shop.cart\n',
    },
  ];
  return {
    change,
    objects: change.kind === 'sync' ? [] : objects,
    entities: change.kind === 'apply' ? [] : entities,
  };
}

export function shopCommit(commit: string, now: number): CommitPage | undefined {
  if (!fleetCommit.startsWith(commit) && !storefrontCommit.startsWith(commit)) return undefined;
  const changes = shopChanges(now).filter(
    (row) => row.origin?.commit?.startsWith(commit) && row.hasDetail && row.kind !== 'drift',
  );
  return {
    commit,
    author: 'Grace Hopper',
    message:
      'Give the cart a stricter rate limit\n\nThe sale begins on Friday; one client took a third of all requests last time.',
    at: now - 27 * minute,
    changes: changes.map(shopDetail),
  };
}
