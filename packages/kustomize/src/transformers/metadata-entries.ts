import { compareUtf8, newMap, newString } from '@waygate/text';
import { type FieldSpec, visitFields } from '../config/field-spec.ts';
import { setMapField } from '../field-setter.ts';
import type { Resource } from '../resource.ts';
import type { Transformer } from './transformer.ts';

/** Adds labels or annotations, in every field that the specs name. */
export function entriesTransformer(
  kind: 'LabelTransformer' | 'AnnotationsTransformer',
  entries: ReadonlyMap<string, string>,
  specs: readonly FieldSpec[],
): Transformer {
  const sorted = [...entries].sort(([a], [b]) => compareUtf8(a, b));
  return {
    kind,
    transform(resources) {
      if (sorted.length === 0) return;
      for (const resource of resources) {
        if (resource.hasBuildNotes) openAnnotations(resource, specs);
        for (const [key, value] of sorted) {
          // The fields of a resource that get a new entry share it, as in the original: a layer
          // above that changes the label of one changes that of its selectors, too.
          const entry = newString(value);
          visitFields(resource, specs, {
            createKind: 'map',
            createTag: '!!map',
            visit: (node) => setMapField(node, key, entry),
          });
        }
      }
    },
  };
}

/**
 * What the build notes stands in annotations in the original: a spec that creates nothing finds
 * them there. Where it stays empty nobody sees it.
 */
function openAnnotations(resource: Resource, specs: readonly FieldSpec[]): void {
  if (!specs.some((spec) => spec.path === 'metadata/annotations' && spec.create !== true)) return;
  const metadata = resource.metadata();
  if (metadata.get('annotations') === undefined) metadata.set('annotations', newMap());
}
