import { randomBytes, randomUUID } from 'node:crypto';
import { oncePer } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { requiredMessage } from './constraint.ts';
import { deriveFields } from './derived-field.ts';
import { runEntityCheck } from './entity-check.ts';
import { runEntityRules } from './entity-rule.ts';
import type { EntityCheck, EntitySchema, FieldTable } from './field-schema.ts';
import { fillFields, mergeRecord } from './fill-defaults.ts';
import { routeSubschema } from './route-subschema.ts';
import {
  findPluginSchema,
  findSchema,
  findVaultSchema,
  type RouterFlavor,
} from './schema-catalog.ts';
import { type FieldErrors, hasErrors } from './schema-errors.ts';
import { dropShorthands, echoShorthands, expandServiceUrl, expandShorthands } from './shorthand.ts';
import { validateField, validateFields } from './validate-field.ts';

export type ValidationMode = 'insert' | 'update' | 'upsert';

export interface ValidateOptions {
  /** `insert` unless told: an update merges the input into `existing` first. */
  readonly mode?: ValidationMode;
  /** The stored entity, for an update. */
  readonly existing?: JsonObject;
  readonly routerFlavor?: RouterFlavor;
  /** `off` for a Kong without a database, where some values make no sense. */
  readonly database?: 'postgres' | 'off';
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly newId?: () => string;
  /** Text for secrets that Kong makes up, such as the key of a key-auth credential. */
  readonly newSecret?: () => string;
  /** What the router has against an expression (router flavor `expressions`), if it is there to ask. */
  readonly checkExpression?: (expression: string, isStream: boolean) => string | undefined;
  /** What the server cannot run of an entity that is right by all other rules. */
  readonly checkEntity?: (schemaName: string, entity: JsonObject) => FieldErrors | undefined;
  /** The schemas of kinds of the server's version, when they are not those that are built in. */
  readonly entitySchema?: (name: string) => EntitySchema | undefined;
  /** Finds the schema of a plugin that is not built in, or refuses one that is. */
  readonly pluginSchema?: (name: string) => EntitySchema | undefined;
}

export interface ValidationResult {
  /** The entity with defaults, in the shape in which Kong answers it. Only whole without errors. */
  readonly entity: JsonObject;
  readonly errors?: FieldErrors;
}

/** The schema that one entity has: that of its kind with what its plugin or protocol adds. */
export interface ResolvedSchema {
  readonly name: string;
  readonly fields: FieldTable;
  readonly checks: readonly EntityCheck[];
  /** The names under which rules that are code are looked up. */
  readonly ruleNames: readonly string[];
}

type Resolution =
  | { readonly isKnown: true; readonly schema: ResolvedSchema }
  | { readonly isKnown: false; readonly base: EntitySchema; readonly errors: FieldErrors };

const dblessSchemas = new Map<string, EntitySchema>();

/**
 * The schema of a plugin in a Kong without a database, where there are no counters that the nodes of a
 * cluster share.
 *
 * ```ts
 * findDblessPluginSchema('no-such-plugin'); // undefined
 * ```
 */
export function findDblessPluginSchema(name: string): EntitySchema | undefined {
  const schema = findPluginSchema(name);
  const config = schema?.fields.get('config');
  const policy = config?.fields?.get('policy');
  if (schema === undefined || config?.fields === undefined || policy?.one_of === undefined) {
    return schema;
  }
  const known = dblessSchemas.get(name);
  if (known !== undefined) return known;
  const choices = policy.one_of.filter((choice) => choice !== 'cluster');
  const fields = new Map(config.fields).set('policy', { ...policy, one_of: choices });
  const dbless = { ...schema, fields: new Map(schema.fields).set('config', { ...config, fields }) };
  dblessSchemas.set(name, dbless);
  return dbless;
}

/** A schema of a kind with what one of its parts has on top. */
const combiner = oncePer((base: EntitySchema) =>
  oncePer(
    (part: EntitySchema): ResolvedSchema => ({
      name: base.name,
      fields: new Map([...base.fields, ...part.fields]),
      checks: [...base.entityChecks, ...part.entityChecks],
      ruleNames: [base.name, part.name],
    }),
  ),
);

function alone(base: EntitySchema, name: string): ResolvedSchema {
  return { name: base.name, fields: base.fields, checks: base.entityChecks, ruleNames: [name] };
}

const routeParts = new WeakMap<EntitySchema, Map<string, EntitySchema | undefined>>();

function resolveRoute(base: EntitySchema, input: JsonObject): Resolution {
  const protocols = input.protocols ?? (input.protocols === undefined ? ['http', 'https'] : null);
  if (protocols === null) return { isKnown: false, base, errors: { protocols: requiredMessage } };
  const list = Array.isArray(protocols) ? protocols : [protocols];
  const parts = routeParts.get(base) ?? new Map<string, EntitySchema | undefined>();
  routeParts.set(base, parts);
  const key = JSON.stringify(list);
  if (!parts.has(key)) {
    if (parts.size > 1000) parts.clear();
    parts.set(key, routeSubschema(list, base));
  }
  const part = parts.get(key);
  if (part === undefined) {
    const [first = 'nil'] = list;
    const shown = typeof first === 'string' ? first : JSON.stringify(first);
    return { isKnown: false, base, errors: { protocols: `unknown type: ${shown}` } };
  }
  return { isKnown: true, schema: { ...combiner(base)(part), ruleNames: ['routes'] } };
}

function resolveByName(
  base: EntitySchema,
  input: JsonObject,
  find: (name: string) => EntitySchema | undefined,
  unknown: (name: string) => string,
): Resolution {
  const name = input.name;
  if (name === undefined || name === null) {
    return { isKnown: false, base, errors: { name: requiredMessage } };
  }
  if (typeof name !== 'string') {
    return { isKnown: false, base, errors: { name: 'expected a string' } };
  }
  const part = find(name);
  if (part === undefined) return { isKnown: false, base, errors: { name: unknown(name) } };
  return { isKnown: true, schema: combiner(base)(part) };
}

/** Finds the schema for an entity of a kind, or says why there is none. */
function resolve(name: string, input: JsonObject, options: ValidateOptions): Resolution {
  const base = options.entitySchema?.(name) ?? findSchema(name, options.routerFlavor);
  if (base === undefined) throw new Error(`no schema named ${name}`);
  switch (name) {
    case 'plugins':
      return resolveByName(
        base,
        input,
        options.pluginSchema ??
          (options.database === 'off' ? findDblessPluginSchema : findPluginSchema),
        (plugin) =>
          `plugin '${plugin}' not enabled; add it to the 'plugins' configuration property`,
      );
    case 'vaults':
      return resolveByName(
        base,
        input,
        findVaultSchema,
        (vault) => `vault '${vault}' is not installed`,
      );
    case 'routes':
      if (options.routerFlavor === 'expressions')
        return { isKnown: true, schema: alone(base, name) };
      return resolveRoute(base, input);
    default:
      return { isKnown: true, schema: alone(base, name) };
  }
}

/**
 * The schema that an entity of a kind has, with what its plugin, vault or protocol adds; undefined
 * when the plugin, vault or protocol is not known.
 */
export function resolveSchema(
  name: string,
  input: JsonObject,
  options: ValidateOptions = {},
): ResolvedSchema | undefined {
  const resolution = resolve(name, input, options);
  return resolution.isKnown ? resolution.schema : undefined;
}

/**
 * The schema that two entities of a kind are compared by: what is known of one. Of a plugin or vault that
 * is not known here, that is what all plugins or vaults have.
 */
export function comparableSchema(
  name: string,
  input: JsonObject,
  options: ValidateOptions = {},
): ResolvedSchema {
  const isExpression = name === 'routes' && typeof input.expression === 'string';
  const flavored = isExpression ? { ...options, routerFlavor: 'expressions' as const } : options;
  const resolution = resolve(name, input, flavored);
  return resolution.isKnown ? resolution.schema : alone(resolution.base, name);
}

const autoFieldsOf = oncePer((fields: FieldTable) =>
  [...fields].filter(([, { auto }]) => auto === true),
);

/** A record with the defaults of its fields, and with what Kong makes up for those that have none. */
function fillAllFields(
  fields: FieldTable,
  input: JsonObject,
  options: ValidateOptions,
): JsonObject {
  const isUpdate = options.mode === 'update';
  const now = options.now?.() ?? Date.now();
  const filled = fillFields(fields, input) as { [key: string]: JsonValue };
  for (const [name, field] of autoFieldsOf(fields)) {
    const given = input[name];
    const isUnset = given === undefined || given === null;
    if (field.timestamp === true) {
      const isChange = isUpdate && name === 'updated_at';
      if (!isUnset && !isChange) continue;
      filled[name] = field.type === 'integer' ? Math.floor(now / 1000) : now / 1000;
    } else if (field.uuid === true) {
      if (given === undefined) filled[name] = (options.newId ?? randomUUID)();
    } else if (field.type === 'string' && isUnset) {
      filled[name] = (options.newSecret ?? (() => randomBytes(24).toString('base64url')))();
    }
  }
  return filled;
}

/**
 * An entity with its id, timestamps and defaults, whatever else it holds: what a Kong of another
 * version may answer. Plugin configurations are left as they are.
 */
export function completeEntity(
  schemaName: string,
  input: JsonObject,
  options: ValidateOptions = {},
): JsonObject {
  const base = findSchema(schemaName, options.routerFlavor);
  if (base === undefined) throw new Error(`no schema named ${schemaName}`);
  const merged = options.mode === 'update' ? { ...options.existing, ...input } : input;
  return fillAllFields(base.fields, merged, options);
}

/** A stored entity without the old names that its own schema, maybe of another plugin, adds. */
function withoutShorthands(
  schemaName: string,
  existing: JsonObject,
  options: ValidateOptions,
): JsonObject {
  const resolution = resolve(schemaName, existing, options);
  return resolution.isKnown ? dropShorthands(resolution.schema.fields, existing) : existing;
}

/** Credentials that expire take a `ttl` that no schema lists; with a database they always have one. */
function withLifetime(
  schema: string,
  input: JsonObject,
  fields: FieldTable,
  database: ValidateOptions['database'],
): FieldTable {
  if (schema !== 'keyauth_credentials') return fields;
  if (input.ttl === undefined && database !== 'postgres') return fields;
  return new Map([...fields, ['ttl', { type: 'json' }]]);
}

/**
 * Checks an entity as Kong's Admin API does before it writes one, and fills its defaults.
 *
 * @example
 * const { entity, errors } = validateEntity('services', { name: 'shop', host: 'shop.internal' });
 * // errors is undefined, entity.port is 80
 */
export function validateEntity(
  schemaName: string,
  input: JsonObject,
  options: ValidateOptions = {},
): ValidationResult {
  const isUpdate = options.mode === 'update';
  const url = schemaName === 'services' ? expandServiceUrl(input, 'url') : { record: input };
  if (url.errors !== undefined) return { entity: input, errors: url.errors };
  const existing = options.existing ?? {};
  const whole =
    isUpdate && url.record.name === undefined ? { ...existing, ...url.record } : url.record;
  const resolution = resolve(schemaName, whole, options);
  if (!resolution.isKnown) return { entity: input, errors: resolution.errors };
  const { checks, ruleNames } = resolution.schema;
  const fields = withLifetime(schemaName, input, resolution.schema.fields, options.database);

  const expanded = expandShorthands(fields, url.record);
  if (expanded.errors !== undefined) return { entity: input, errors: expanded.errors };
  const merged = isUpdate
    ? mergeRecord(fields, withoutShorthands(schemaName, existing, options), expanded.record)
    : expanded.record;
  const entity = fillAllFields(fields, merged, options);

  const errors = validateFields(fields, entity);
  const subject = { input: entity, fields, isUpdate, validate: validateField };
  for (const check of checks) runEntityCheck(check, subject, errors);
  const context = {
    routerFlavor: options.routerFlavor ?? ('traditional_compatible' as const),
    now: options.now?.() ?? Date.now(),
    ...(options.checkExpression === undefined ? {} : { checkExpression: options.checkExpression }),
  };
  for (const name of ruleNames) runEntityRules(name, entity, context, errors);
  if (hasErrors(errors)) return { entity, errors };
  const refusal = options.checkEntity?.(schemaName, entity);
  if (refusal !== undefined) return { entity, errors: refusal };
  return { entity: echoShorthands(fields, deriveFields(schemaName, entity)) };
}
