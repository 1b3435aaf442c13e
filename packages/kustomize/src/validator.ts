import { KustomizeError } from './kustomize-error.ts';
import type { ResourceList } from './resource-list.ts';
import type { Transformer } from './transformers/transformer.ts';

/** Runs a validator: a transformer that must not change anything but one label. */
export function runValidator(validator: Transformer, resources: ResourceList): void {
  const before = new Map([...resources].map((resource) => [resource.key, resource.toString()]));
  const after = resources.copy();
  validator.transform(after);
  for (const resource of after) {
    const labels = resource.labels();
    if (labels.delete('validated-by')) resource.setLabels(labels);
    const old = before.get(resource.key);
    if (old === resource.toString()) continue;
    const shown = resource.kind === 'Secret' ? ['***', '***'] : [old ?? '', resource.toString()];
    throw new KustomizeError(
      `validator shouldn't modify the resource map: nodes unequal: \n -- ${shown[0]},\n -- ${shown[1]}\n`,
    );
  }
}
