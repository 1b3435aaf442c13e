import { type FieldSpec, visitFields } from '../config/field-spec.ts';
import { setMapField } from '../field-setter.ts';
import { compareBytes } from '../yaml/json-text.ts';
import { newString } from '../yaml/node.ts';
import type { Transformer } from './transformer.ts';

/** Adds labels or annotations, in every field that the specs name. */
export function entriesTransformer(
  kind: 'LabelTransformer' | 'AnnotationsTransformer',
  entries: ReadonlyMap<string, string>,
  specs: readonly FieldSpec[],
): Transformer {
  const sorted = [...entries].sort(([a], [b]) => compareBytes(a, b));
  return {
    kind,
    transform(resources) {
      if (sorted.length === 0) return;
      for (const resource of resources) {
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
