import { applySelectors } from '@waygate/apply';
import { type Kustomization, kustomizationGroup } from '../api/kustomization-object.ts';

/** Owns the fields of what Kustomizations apply. */
export const fieldManager = 'kustomize-controller';

/** Labels and annotations by which an object says how it wants to be treated. */
export const selectors = applySelectors(kustomizationGroup);

/** What every object has that a Kustomization applied. */
export function ownerLabels({ metadata }: Kustomization): Record<string, string> {
  return {
    [`${kustomizationGroup}/name`]: metadata.name ?? '',
    [`${kustomizationGroup}/namespace`]: metadata.namespace ?? '',
  };
}
