import type { Origin, ShownObject } from '../../src/protocol/reference.ts';

/** Objects of a small shop, as short as they can be written. */
export function shown(
  kind: string,
  namespace: string,
  name: string,
  group = groups[kind] ?? '',
): ShownObject {
  return { group, version: versions[kind] ?? 'v1', kind, namespace, name };
}

const groups: Readonly<Record<string, string>> = {
  Ingress: 'networking.k8s.io',
  HTTPRoute: 'gateway.networking.k8s.io',
  GitRepository: 'source.toolkit.fluxcd.io',
  Kustomization: 'kustomize.toolkit.fluxcd.io',
  KongPlugin: 'configuration.konghq.com',
  Deployment: 'apps',
};
const versions: Readonly<Record<string, string>> = { KongPlugin: 'v1', Kustomization: 'v1' };

export const fleet = shown('GitRepository', 'flux-system', 'fleet');
export const storefrontRepository = shown('GitRepository', 'flux-system', 'storefront');
export const shopApps = shown('Kustomization', 'flux-system', 'shop');
export const platformApps = shown('Kustomization', 'flux-system', 'platform');
export const storefrontApps = shown('Kustomization', 'flux-system', 'storefront');

export const fleetCommit = '8f2c41d90be7a6653c1f0de42b9a7c55e01d3f88';
export const storefrontCommit = 'c0ffee17b2d94a60e8f3157d2c96b4a1d07e5f23';

/** Where something of the shop comes from. */
export function origin(kustomization: ShownObject, file: string): Origin {
  const isStorefront = kustomization === storefrontApps;
  const commit = isStorefront ? storefrontCommit : fleetCommit;
  return {
    kustomization,
    source: isStorefront ? storefrontRepository : fleet,
    revision: `main@sha1:${commit}`,
    commit,
    file,
  };
}
