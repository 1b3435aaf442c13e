import { readFileSync } from 'node:fs';
import type { CustomResourceDefinition } from '@waygate/schema';

const file = new URL('../../data/generated/flux-definitions.json', import.meta.url);

/**
 * The definitions of all kinds that these controllers read, sorted by name. They accept what Flux' accept, its older
 * versions, and repositories on the machine itself. `deploy/crds/flux` holds the same as YAML; `scripts/crds.mjs`
 * makes both.
 *
 * ```ts
 * customResourceDefinitions().some(({ spec }) => spec.names.kind === 'Kustomization'); // true
 * ```
 */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return JSON.parse(readFileSync(file, 'utf8'));
}
