import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';

/** The namespaces and kinds that a set of objects brings: `Namespace/shop`, `example.com/Widget`. */
export function expectedOf(objects: readonly DynamicObject[]): Set<string> {
  const expected = new Set<string>();
  for (const { kind, metadata, spec } of objects) {
    if (kind === 'Namespace') expected.add(`Namespace/${metadata.name}`);
    if (kind !== 'CustomResourceDefinition' || !isObject(spec) || !isObject(spec.names)) continue;
    expected.add(`${String(spec.group)}/${String(spec.names.kind)}`);
  }
  return expected;
}
