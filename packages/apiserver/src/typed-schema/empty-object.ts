import type { StructNode } from './type-node.ts';

/**
 * The object of a kind of which nothing is set, as the typed API would print it: embedded
 * structs are there, lists that are never left out are null. What a new object has beyond it was written
 * by its creator.
 */
export function emptyObject(node: StructNode): Record<string, unknown> {
  const empty: Record<string, unknown> = {};
  for (const [name, field] of node.fields) {
    if (field.isEmbedded && field.type.kind === 'struct') empty[name] = emptyObject(field.type);
    else if (
      (field.default === '' || field.default === 0 || field.default === false) &&
      field.isZeroLeftOut !== true
    ) {
      empty[name] = field.default;
    } else if (field.isNullWhenMissing === true) empty[name] = null;
  }
  return empty;
}
