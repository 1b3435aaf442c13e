/** Changes to the fields of a body, each as `name` or `name:value`. */
export interface FieldChanges {
  readonly remove: readonly string[];
  readonly rename: readonly (readonly [string, string])[];
  readonly replace: readonly (readonly [string, unknown])[];
  readonly add: readonly (readonly [string, unknown])[];
  readonly append: readonly (readonly [string, unknown])[];
}

/** Applies changes to the fields at the top of an object, in Kong's order. */
export function changeFields(
  object: Record<string, unknown>,
  changes: FieldChanges,
): Record<string, unknown> {
  const result = { ...object };
  for (const name of changes.remove) delete result[name];
  for (const [from, to] of changes.rename) {
    if (Object.hasOwn(result, from)) {
      result[to] = result[from];
      delete result[from];
    }
  }
  for (const [name, value] of changes.replace) {
    if (Object.hasOwn(result, name)) result[name] = value;
  }
  for (const [name, value] of changes.add) {
    if (!Object.hasOwn(result, name)) result[name] = value;
  }
  for (const [name, value] of changes.append) {
    const before = result[name];
    result[name] =
      before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return result;
}

/** `name:value` apart. A name without a colon has an empty value. */
export function splitPair(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** A configured value as JSON: numbers and booleans if the configuration says so. */
export function typedValue(text: string, type: string | undefined): unknown {
  switch (type) {
    case 'number': {
      const number = Number(text);
      return Number.isNaN(number) ? text : number;
    }
    case 'boolean':
      return text === 'true';
    default:
      return text;
  }
}
