import type { CustomResourceDefinition } from './definition.ts';
import { kustomization } from './kustomization-definition.ts';
import { bucket, externalArtifact, gitRepository, ociRepository } from './source-definitions.ts';

/**
 * The definitions of all kinds that these controllers read, sorted by name. They accept what Flux'
 * accept, and repositories on the machine itself. `deploy/crds` holds the same as YAML.
 */
export const customResourceDefinitions: readonly CustomResourceDefinition[] = [
  bucket,
  externalArtifact,
  gitRepository,
  kustomization,
  ociRepository,
].sort((left, right) => ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1));
