import type { StructNode } from './type-node.ts';

/**
 * The object of a kind of which nothing is set, as the typed API would print it: embedded
 * structs are there, required lists are null. What a new object has beyond it was written
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
    else if (field.isRequired && (field.type.kind === 'list' || field.type.kind === 'map')) {
      empty[name] = null;
    }
  }
  return empty;
}
