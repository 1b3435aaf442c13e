type Fields = readonly Record<string, FieldSchema>[];

interface FieldSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly fields?: Fields;
}

/** A plugin's configuration with the defaults of its schema, as old Admin APIs describe it. */
export function withSchemaDefaults(
  config: Readonly<Record<string, unknown>>,
  schema: unknown,
): Record<string, unknown> {
  const fields = (schema as { fields?: Fields } | undefined)?.fields;
  const filled = Array.isArray(fields) ? fill(config, fields) : { ...config };
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null));
}

function fill(config: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> {
  const result = new Map<string, unknown>(Object.entries(config));
  for (const field of fields) {
    for (const [name, schema] of Object.entries(field ?? {})) {
      const value = result.get(name);
      if (schema?.type === 'record' && Array.isArray(schema.fields)) {
        const inner = typeof value === 'object' && value !== null ? value : {};
        result.set(name, fill(inner as Record<string, unknown>, schema.fields));
      } else if (value === undefined) {
        result.set(name, schema?.default ?? null);
      }
    }
  }
  return Object.fromEntries(result);
}
