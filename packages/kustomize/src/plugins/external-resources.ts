import { KustomizeError } from '../kustomize-error.ts';
import { readResources } from '../read-resources.ts';
import type { Resource } from '../resource.ts';
import { idKey } from '../resource-id.ts';
import type { ResourceList } from '../resource-list.ts';
import type { SchemaSet } from '../schema-facts.ts';

const needsHashKey = 'kustomize.config.k8s.io/needs-hash';
const behaviorKey = 'kustomize.config.k8s.io/behavior';

/** What a generator printed: annotations say which names get a hash, and how others are merged. */
export function generatedResources(text: string, schemas: SchemaSet): Resource[] {
  const resources = readResources(text, schemas);
  for (const resource of resources) {
    const annotations = resource.annotations();
    const needsHash = annotations.get(needsHashKey);
    const behavior = annotations.get(behaviorKey);
    if (needsHash === undefined && behavior === undefined) continue;
    resource.needsHash = needsHash === 'true';
    if (behavior === 'create' || behavior === 'merge' || behavior === 'replace') {
      resource.behavior = behavior;
    }
    annotations.delete(needsHashKey);
    annotations.delete(behaviorKey);
    resource.setAnnotations(annotations);
  }
  return resources;
}

/**
 * Takes what a transformer printed in place of what it was given: known ids are updated, others
 * are added, and what is not there any more goes.
 */
export function replaceResources(
  resources: ResourceList,
  text: string,
  schemas: SchemaSet,
  plugin: string,
): void {
  const printed = readResources(text, schemas);
  const seen = new Set<string>();
  const added: Resource[] = [];
  for (const resource of printed) {
    const { key } = resource;
    if (seen.has(key)) {
      throw new KustomizeError(
        `plugin ${plugin} generated duplicate resource: ${JSON.stringify(resource.id)}`,
      );
    }
    seen.add(key);
    const old = resources.findById(resource.id)[0];
    if (old === undefined) added.push(resource);
    else old.node = resource.node;
  }
  resources.keep((resource) => seen.has(idKey(resource.id)));
  resources.reindex();
  resources.appendAll(added);
}
