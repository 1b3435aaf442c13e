import { noContent, YamlNode } from '@waygate/text';
import { appliesTo, type FieldSpec, visitFields } from '../config/field-spec.ts';
import type { Replica } from '../config/kustomization.ts';
import { setScalar } from '../field-setter.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { gvkString } from '../resource-id.ts';
import type { Transformer } from './transformer.ts';

/** Sets the number of replicas of what has, or had, a name. */
export function replicaTransformer(replica: Replica, specs: readonly FieldSpec[]): Transformer {
  const name = replica.name ?? '';
  return {
    kind: 'ReplicaCountTransformer',
    transform(resources) {
      let isFound = false;
      for (const resource of resources) {
        const ids = resource.allIds.filter((id) => id.name === name);
        if (ids.length === 0) continue;
        const fitting = specs.filter((spec) => ids.some((id) => appliesTo(spec, id)));
        if (fitting.length === 0) continue;
        isFound = true;
        visitFields(resource, fitting, {
          createKind: 'scalar',
          createTag: '!!int',
          visit: (node) =>
            setScalar(node, new YamlNode('scalar', '!!int', String(replica.count ?? 0), noContent)),
        });
      }
      if (isFound) return;
      const kinds = specs.map(gvkString).join(' ');
      throw new KustomizeError(
        `resource with name ${name} does not match a config with the following GVK [${kinds}]`,
      );
    },
  };
}
