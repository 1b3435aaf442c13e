import { builtinTypes } from './open-api-types.ts';
import type { StructNode } from './type-node.ts';

/** The type of `metadata`, which custom resources share with the built-in kinds. */
export function metadataType(): StructNode {
  return builtinTypes.definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta') as StructNode;
}
