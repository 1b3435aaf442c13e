import type { OpenApiSchema } from '../schema-node.ts';

/** A name that can stand bare in a type; others are quoted. */
const bareName = /^[A-Za-z_$][\w$]*$/u;

/** How schemas that a type only refers to, or that are objects with fields of their own, are called. */
export interface TypeNames {
  /** The type that `$ref` names. */
  reference(name: string): string;
  /** A name for the object at this place, declared elsewhere; without it the object is written in place. */
  object?(schema: OpenApiSchema, path: readonly string[]): string;
}

/**
 * The type of a schema, as TypeScript. What a schema leaves open is `unknown`; what it allows beside its
 * fields is an index signature.
 */
export function typeText(
  schema: OpenApiSchema,
  names: TypeNames,
  path: readonly string[] = [],
): string {
  const text = bareType(schema, names, path);
  return schema.nullable === true && text !== 'unknown' ? `${text} | null` : text;
}

/** The fields of an object's type, one on a line. */
export function fieldLines(
  schema: OpenApiSchema,
  names: TypeNames,
  path: readonly string[] = [],
): string[] {
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...commentLines(field.description),
    `${keyText(name)}${required.has(name) ? '' : '?'}: ${typeText(field, names, [...path, name])};`,
  ]);
  if (isOpen(schema)) lines.push('[field: string]: unknown;');
  return lines;
}

/** A description as a comment, which nothing in it can end. */
export function commentLines(description: unknown): string[] {
  const text = typeof description === 'string' ? description.trim().replaceAll('*/', '*\\/') : '';
  if (text === '') return [];
  const lines = text.split(/\r?\n/u).map((line) => line.trimEnd());
  if (lines.length === 1) return [`/** ${lines[0]} */`];
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'];
}

function bareType(schema: OpenApiSchema, names: TypeNames, path: readonly string[]): string {
  if (schema.$ref !== undefined) return names.reference(schema.$ref.split('/').at(-1) ?? '');
  const [only, ...others] = schema.allOf ?? [];
  if (only?.$ref !== undefined && others.length === 0) return bareType(only, names, path);
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string')
    return 'number | string';
  if (schema.enum !== undefined && schema.enum.length > 0)
    return schema.enum
      .map((value) => JSON.stringify(value))
      .map(singleQuoted)
      .join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return listType(schema.items, names, path);
    default:
      return objectType(schema, names, path);
  }
}

function objectType(schema: OpenApiSchema, names: TypeNames, path: readonly string[]): string {
  if (Object.keys(schema.properties ?? {}).length > 0) {
    const name = names.object?.(schema, path);
    return name ?? `{ ${fieldLines(schema, names, path).join(' ')} }`;
  }
  const { additionalProperties: values } = schema;
  if (typeof values === 'object')
    return `Record<string, ${typeText(values, names, [...path, 'value'])}>`;
  // Custom resources may leave out `type` for a field that takes anything.
  return schema.type === 'object' ? 'Record<string, unknown>' : 'unknown';
}

function listType(
  items: OpenApiSchema | undefined,
  names: TypeNames,
  path: readonly string[],
): string {
  const item = items === undefined ? 'unknown' : typeText(items, names, [...path, 'item']);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function isOpen(schema: OpenApiSchema): boolean {
  const { additionalProperties: values } = schema;
  return (
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    values === true ||
    typeof values === 'object'
  );
}

function keyText(name: string): string {
  return bareName.test(name) ? name : singleQuoted(JSON.stringify(name));
}

function singleQuoted(json: string): string {
  return json.startsWith('"')
    ? `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : json;
}
