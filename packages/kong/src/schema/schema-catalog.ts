import { readFileSync } from 'node:fs';
import { formatRules } from './field-format.ts';
import type { EntityCheck, EntitySchema, FieldSchema, FieldTable } from './field-schema.ts';
import { formatNameOf } from './format-table.ts';
import { listRuleOf, recordRuleOf } from './record-rule.ts';
import { supplementarySchemas } from './supplementary-schemas.ts';

/** How `/schemas` writes fields: a list of one-key objects, so that the order is kept. */
type WireFields = readonly Readonly<Record<string, WireField>>[];

export interface WireField {
  readonly type: string;
  readonly fields?: WireFields;
  readonly shorthand_fields?: WireFields;
  readonly elements?: WireField;
  readonly keys?: WireField;
  readonly values?: WireField;
  readonly [property: string]: unknown;
}

export interface WireSchema {
  readonly fields: WireFields;
  readonly entity_checks?: readonly EntityCheck[];
}

export type RouterFlavor = 'traditional_compatible' | 'traditional' | 'expressions';

/** The schemas of Kong 3.9, as a real one answered them, beside this module in `data`. */
const schemaFile = new URL('../../data/generated/kong-3.9-schemas.json', import.meta.url);

let wireSchemas: Readonly<Record<string, WireSchema>> | undefined;
const parsedSchemas = new Map<string, EntitySchema | undefined>();

function wireCatalog(): Readonly<Record<string, WireSchema>> {
  wireSchemas ??= {
    ...(JSON.parse(readFileSync(schemaFile, 'utf8')) as Record<string, WireSchema>),
    ...supplementarySchemas,
  };
  return wireSchemas;
}

/** Where a field stands, so that the rules that are code are found once, when a schema is read. */
interface Place {
  readonly schema: string;
  readonly path: string;
}

function within(place: Place, name: string): Place {
  return { schema: place.schema, path: place.path === '' ? name : `${place.path}.${name}` };
}

function parseFields(fields: WireFields, place: Place): FieldTable {
  const table = new Map<string, FieldSchema>();
  for (const entry of fields) {
    for (const [name, field] of Object.entries(entry)) {
      table.set(name, parseField(field, within(place, name)));
    }
  }
  return table;
}

function parseField(field: WireField, place: Place): FieldSchema {
  const { fields, shorthand_fields, elements, keys, values, ...rest } = field;
  const format = formatNameOf(place.schema, place.path);
  const rule = recordRuleOf(place.schema, place.path);
  const listRule = listRuleOf(place.schema, place.path);
  return {
    ...(rest as unknown as FieldSchema),
    ...(fields === undefined ? {} : { fields: parseFields(fields, place) }),
    ...(shorthand_fields === undefined
      ? {}
      : { shorthand_fields: parseFields(shorthand_fields, place) }),
    ...(elements === undefined ? {} : { elements: parseField(elements, within(place, '*')) }),
    ...(keys === undefined ? {} : { keys: parseField(keys, within(place, '@')) }),
    ...(values === undefined ? {} : { values: parseField(values, within(place, '*')) }),
    ...(format === undefined ? {} : { format: formatRules[format] }),
    ...(rule === undefined ? {} : { rule }),
    ...(listRule === undefined ? {} : { listRule }),
  };
}

/**
 * Reads a schema in the form that Kong's `/schemas/<entity>` answers.
 *
 * ```ts
 * const wire = { fields: [{ minute: { type: 'integer', default: 60 } }] };
 * parseSchema('limits', wire).fields.get('minute')?.default; // 60
 * ```
 */
export function parseSchema(name: string, wire: WireSchema): EntitySchema {
  return {
    name,
    fields: parseFields(wire.fields, { schema: name, path: '' }),
    entityChecks: (wire.entity_checks ?? []).map((check) => withFormat(name, check)),
  };
}

/** A condition with the rule for the text that it asks for, if there is one. */
function withFormat(schema: string, check: EntityCheck): EntityCheck {
  const { conditional } = check;
  if (conditional === undefined) return check;
  const format = formatNameOf(schema, `then.${conditional.then_field}`);
  if (format === undefined) return check;
  const thenMatch = { ...conditional.then_match, format: formatRules[format] };
  return { ...check, conditional: { ...conditional, then_match: thenMatch } };
}

function lookUp(name: string): EntitySchema | undefined {
  if (parsedSchemas.has(name)) return parsedSchemas.get(name);
  const catalog = wireCatalog();
  const wire = Object.hasOwn(catalog, name) ? catalog[name] : undefined;
  const parsed = wire === undefined ? undefined : parseSchema(name, wire);
  parsedSchemas.set(name, parsed);
  return parsed;
}

/**
 * The schema of an entity, e.g. `services`; routes differ by the flavor of the router.
 *
 * ```ts
 * findSchema('services')?.fields.has('host'); // true
 * ```
 */
export function findSchema(
  name: string,
  flavor: RouterFlavor = 'traditional_compatible',
): EntitySchema | undefined {
  if (name.startsWith('plugin-') || name.startsWith('vault-')) return undefined;
  if (name !== 'routes' || flavor === 'traditional_compatible') return lookUp(name);
  return lookUp(`routes-flavor-${flavor}`);
}

/**
 * What a plugin adds to the schema of `plugins`, or undefined when it is not known.
 *
 * ```ts
 * findPluginSchema('no-such-plugin'); // undefined
 * ```
 */
export function findPluginSchema(plugin: string): EntitySchema | undefined {
  return lookUp(`plugin-${plugin}`);
}

/** What a vault adds to the schema of `vaults`, or undefined when it is not installed. */
export function findVaultSchema(vault: string): EntitySchema | undefined {
  return lookUp(`vault-${vault}`);
}

/**
 * The names of all plugins that have a schema here, sorted.
 *
 * ```ts
 * pluginNames().includes('key-auth'); // true
 * ```
 */
export function pluginNames(): readonly string[] {
  return Object.keys(wireCatalog())
    .filter((name) => name.startsWith('plugin-'))
    .map((name) => name.slice('plugin-'.length))
    .sort();
}

/**
 * The schema of an entity or plugin (`plugin-key-auth`) as `/schemas` answers it, or undefined.
 * The value is shared: do not change it.
 *
 * ```ts
 * wireSchema('plugin-key-auth') !== undefined; // true
 * ```
 */
export function wireSchema(name: string): WireSchema | undefined {
  const catalog = wireCatalog();
  return Object.hasOwn(catalog, name) ? catalog[name] : undefined;
}
