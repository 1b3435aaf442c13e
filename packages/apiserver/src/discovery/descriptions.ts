import { isObject } from '@waygate/text';
import { fieldDescriptions } from './field-descriptions.ts';
import { kindDescriptions } from './kind-descriptions.ts';

type Schemas = Readonly<Record<string, unknown>>;

/**
 * Schemas with words on the types and fields that people look up. What has words keeps them, and nothing is changed
 * in place: the schemas are everybody's.
 */
export function describedSchemas(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, described(name, schema)]),
  );
}

function described(name: string, schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const type = name.slice(name.lastIndexOf('.') + 1);
  const words = kindDescriptions[type.replace(/List$/, '')];
  const said = type.endsWith('List') && words !== undefined ? 'A list of such objects.' : words;
  const properties = isObject(schema.properties)
    ? Object.fromEntries(
        Object.entries(schema.properties).map(([field, part]) => [
          field,
          withWords(type, field, part),
        ]),
      )
    : undefined;
  return {
    ...(said === undefined ? {} : { description: said }),
    ...schema,
    ...(properties === undefined ? {} : { properties }),
  };
}

function withWords(type: string, field: string, part: unknown): unknown {
  const words = fieldDescriptions[`${type}.${field}`] ?? fieldDescriptions[field];
  return words === undefined || !isObject(part) ? part : { description: words, ...part };
}
