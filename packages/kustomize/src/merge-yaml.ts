import { parseYamlNode } from '@waygate/text';
import { builtinSchemas } from './schema-facts.ts';
import { strategicMerge } from './strategic-merge.ts';
import { deAnchor } from './yaml/de-anchor.ts';
import { emitYaml } from './yaml/emit.ts';

/** How two documents are merged. */
export interface MergeYamlOptions {
  /** Where new items of a merged list go. Kustomize's patches put them in front. */
  readonly newItems?: 'prepend' | 'append';
  /** Whether lists of unknown kinds merge when all their items have a key such as `name`. */
  readonly infersLists?: boolean;
}

/**
 * Merges one YAML document into another, as a strategic merge patch is. Empty when the patch
 * deletes all of it.
 *
 * ```ts
 * mergeYaml('{a: 1, b: 2}', '{b: null}'); // 'a: 1\n'
 * ```
 */
export function mergeYaml(target: string, patch: string, options: MergeYamlOptions = {}): string {
  const targetNode = parseYamlNode(target);
  const patchNode = parseYamlNode(patch);
  if (patchNode === undefined)
    return targetNode === undefined ? '' : emitYaml(deAnchor(targetNode));
  if (targetNode === undefined) return emitYaml(deAnchor(patchNode));
  const merged = strategicMerge(deAnchor(targetNode), deAnchor(patchNode), {
    schemas: builtinSchemas,
    newItems: options.newItems ?? 'prepend',
    infersLists: options.infersLists ?? false,
  });
  return merged === undefined ? '' : emitYaml(merged);
}
