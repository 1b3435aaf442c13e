import { helmReleaseKind, kustomizationKind } from '@waygate/gitops';

/** Who applied an object. */
export interface Owner {
  readonly kind: 'Kustomization' | 'HelmRelease';
  readonly name: string;
  readonly namespace: string;
}

/** The owner that an object's labels name, as Flux' controllers and ours write them. */
export function ownerOf(labels: Readonly<Record<string, string>>): Owner | undefined {
  for (const { group, kind } of [kustomizationKind, helmReleaseKind]) {
    const name = labels[`${group}/name`];
    const namespace = labels[`${group}/namespace`];
    if (name !== undefined && namespace !== undefined)
      return { kind: kind as Owner['kind'], name, namespace };
  }
  return undefined;
}
