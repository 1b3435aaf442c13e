import {
  dns1035LabelProblems,
  encodeJson,
  equalJson,
  goRegex,
  isObject,
  type Regex,
  RegexBudget,
  RegexError,
} from '@waygate/text';

import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../status/field-problem.ts';
import { isFormat } from '../validation/formats.ts';
import { type JsonSchema, valuesSchema } from './json-schema.ts';
import { isNumber, numberProblems, numberType, rangeProblem } from './number-rules.ts';

/** What is wrong with a value by its schema, in the words of the API's validator. */
export function schemaProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
  /** How the sentences call the value; differs from the field below /status. */
  body = field,
  /** What stood there before: a value that stays as it was is not complained of. */
  old?: unknown,
): FieldProblem[] {
  patternBudget = new RegexBudget(patternSteps);
  return problemsOf(value, schema, field, body, old);
}

/** Steps that the patterns of one object may take in sum. */
const patternSteps = 16_000_000;
/** A value is checked in one turn: one budget at a time is enough. */
let patternBudget = new RegexBudget(patternSteps);

function problemsOf(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
  old?: unknown,
): FieldProblem[] {
  if (value === null && schema.nullable === true) return enumProblems(value, schema, field);
  if (old !== undefined && equalJson(value, old)) return [];
  const typeProblem = wrongType(value, schema, field, body);
  if (typeProblem !== undefined) {
    const isFraction = schema.type === 'integer' && isNumber(value);
    return [
      typeProblem,
      ...(isFraction ? [rangeProblem(schema, body)] : []),
      ...enumProblems(value, schema, field),
    ];
  }
  return [
    ...objectProblems(value, schema, field, body, old),
    ...listProblems(value, schema, field, body, old),
    ...stringProblems(value, schema, field, body),
    ...numberProblems(value, schema, field, body),
    ...enumProblems(value, schema, field),
    ...combinationProblems(value, schema, field, body),
  ];
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return numberType(value)?.name ?? typeof value;
}

function wrongType(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
): FieldProblem | undefined {
  const actual = nameOfType(value);
  const wanted =
    schema['x-kubernetes-int-or-string'] === true
      ? ['integer', 'string']
      : schema.type === undefined
        ? []
        : [schema.type];
  if (wanted.length === 0) return undefined;
  if (wanted.includes(actual) || (wanted.includes('number') && actual === 'integer'))
    return undefined;
  const format = schema.format !== undefined ? formatOfType(value) : undefined;
  const [sort, shown] = format === undefined ? [wanted.join(','), actual] : [schema.format, format];
  return {
    type: 'typeInvalid',
    field,
    value: shown,
    detail: `${body} in body must be of type ${sort}: ${JSON.stringify(shown)}`,
  };
}

/** Where a format is asked for, numbers are called by their own, and what has none by an empty one. */
function formatOfType(value: unknown): string | undefined {
  if (value === null || typeof value === 'string' || Array.isArray(value)) return undefined;
  return numberType(value)?.format ?? '';
}

function objectProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
  old: unknown,
): FieldProblem[] {
  if (!isObject(value)) return [];
  const before = isObject(old) ? old : {};
  const problems: FieldProblem[] = [];
  const count = Object.keys(value).length;
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    problems.push(
      invalid(
        field,
        count,
        `${body} in body should have at least ${schema.minProperties} properties`,
      ),
    );
  }
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    problems.push(tooMany(field, count, schema.maxProperties));
  }
  const needed =
    schema['x-kubernetes-embedded-resource'] === true
      ? [...new Set(['apiVersion', 'kind', ...(schema.required ?? [])])]
      : (schema.required ?? []);
  for (const name of needed) {
    if (value[name] === undefined) problems.push(required(join(field, name)));
  }
  if (schema['x-kubernetes-embedded-resource'] === true)
    problems.push(...headProblems(value, field));
  const values = valuesSchema(schema);
  for (const key of Object.keys(value).sort()) {
    const property = schema.properties?.[key] ?? values;
    if (property === undefined) continue;
    const [at, named] = [join(field, key), join(body, key)];
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    problems.push(...problemsOf(value[key], property, at, named, was));
  }
  return problems;
}

/** The version and the kind of an object in another. */
function headProblems(value: Readonly<Record<string, unknown>>, field: string): FieldProblem[] {
  const [version, kind] = [String(value.apiVersion ?? ''), String(value.kind ?? '')];
  const wrong = kind === '' ? [] : dns1035LabelProblems(kind.toLowerCase());
  return [
    ...(version.split('/').length > 2
      ? [invalid(join(field, 'apiVersion'), version, `unexpected GroupVersion string: ${version}`)]
      : []),
    ...wrong.map((problem) =>
      invalid(
        join(field, 'kind'),
        kind,
        `may have mixed case, but should otherwise match: ${problem}`,
      ),
    ),
  ];
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function listProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
  old: unknown,
): FieldProblem[] {
  if (!Array.isArray(value)) return [];
  const problems: FieldProblem[] = [];
  const before = itemsByKey(old, schema);
  for (const [index, item] of value.entries()) {
    if (schema.items === undefined) break;
    const [at, named] = [`${field}[${index}]`, `${body}[${index}]`];
    const was = before.get(itemKey(item, schema));
    problems.push(...problemsOf(item, schema.items, at, named, was));
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    problems.push(
      invalid(field, value.length, `${body} in body should have at least ${schema.minItems} items`),
    );
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    problems.push(tooMany(field, value.length, schema.maxItems));
  }
  return problems;
}

/** Only the items of a map list have something to be known again by. */
function itemsByKey(items: unknown, schema: JsonSchema): ReadonlyMap<string, unknown> {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(items)) return new Map();
  return new Map(items.map((item) => [itemKey(item, schema), item]));
}

function itemKey(item: unknown, schema: JsonSchema): string {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return isObject(item) ? encodeJson(keys.map((key) => item[key])) : '';
}

/** Sets and map lists may not hold an item twice; checked apart, after the schema itself. */
export function listTypeProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
): FieldProblem[] {
  if (Array.isArray(value)) {
    const own = repeatedItems(value, schema, field);
    const inner = value.flatMap((item, index) =>
      schema.items === undefined ? [] : listTypeProblems(item, schema.items, `${field}[${index}]`),
    );
    return [...own, ...inner];
  }
  if (!isObject(value)) return [];
  const values = valuesSchema(schema);
  return Object.keys(value).flatMap((key) => {
    const property = schema.properties?.[key] ?? values;
    return property === undefined ? [] : listTypeProblems(value[key], property, join(field, key));
  });
}

function repeatedItems(
  items: readonly unknown[],
  schema: JsonSchema,
  field: string,
): FieldProblem[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const stranger = items.findIndex((item) => item !== null && !isObject(item));
  if (listType === 'map' && stranger !== -1) {
    const why = 'must be an object for an array of list-type map';
    return [invalid(`${field}[${stranger}]`, items[stranger], why)];
  }
  const seen: unknown[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, item] of items.entries()) {
    const identity = listType === 'set' ? item : keysOf(item, keys);
    // What is there three times is told of once.
    if (seen.filter((each) => equalJson(each, identity)).length === 1)
      problems.push(duplicate(`${field}[${index}]`, identity));
    seen.push(identity);
  }
  return problems;
}

function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => key in item).map((key) => [key, item[key]]));
}

function stringProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
): FieldProblem[] {
  if (typeof value !== 'string') return [];
  const problems: FieldProblem[] = [];
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return [{ type: 'tooLong', field, detail: `may not be more than ${schema.maxLength} bytes` }];
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    const why = `${body} in body should be at least ${schema.minLength} chars long`;
    problems.push(invalid(field, value, why));
  } else if (schema.pattern !== undefined) {
    const problem = patternProblem(value, schema.pattern);
    if (problem !== undefined) problems.push(invalid(field, value, `${body} in body ${problem}`));
  }
  if (schema.format !== undefined && !isFormat(value, schema.format)) {
    problems.push({
      type: 'typeInvalid',
      field,
      value,
      detail: `${body} in body must be of type ${schema.format}: ${JSON.stringify(value)}`,
    });
  }
  return problems;
}

function patternProblem(value: string, pattern: string): string | undefined {
  let regex: Regex;
  try {
    regex = goRegex(pattern);
  } catch (error) {
    // It was refused with the definition; one from before lets everything pass.
    if (error instanceof RegexError) return undefined;
    throw error;
  }
  try {
    return regex.test(value, patternBudget) ? undefined : `should match '${pattern}'`;
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    return `cannot be matched with '${pattern}': the patterns of one object may take ${patternSteps} steps`;
  }
}

function enumProblems(value: unknown, schema: JsonSchema, field: string): FieldProblem[] {
  if (schema.enum === undefined || schema.enum.some((each) => equalJson(each, value))) return [];
  return [
    notSupported(
      field,
      value,
      schema.enum.map((each) => (typeof each === 'string' ? each : encodeJson(each))),
    ),
  ];
}

function combinationProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const of = (each: JsonSchema) => problemsOf(value, each, field, body);
  const say = (detail: string) =>
    problems.push({
      type: 'invalid',
      field: '',
      value: '',
      detail: `${JSON.stringify(body)} ${detail}`,
    });
  const all = (schema.allOf ?? []).map(of);
  problems.push(...all.flat());
  if (problems.length > 0) {
    const isNone = all.every((found) => found.length > 0);
    say(`must validate all the schemas (allOf)${isNone ? '. None validated' : ''}`);
  }
  if (schema.anyOf !== undefined && !schema.anyOf.some((each) => of(each).length === 0)) {
    say('must validate at least one schema (anyOf)');
    problems.push(...of(schema.anyOf[0] as JsonSchema));
  }
  if (schema.oneOf !== undefined) {
    const valid = schema.oneOf.filter((each) => of(each).length === 0).length;
    if (valid === 0) {
      say('must validate one and only one schema (oneOf). Found none valid');
      problems.push(...of(schema.oneOf[0] as JsonSchema));
    } else if (valid > 1) {
      say(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
    }
  }
  if (schema.not !== undefined && of(schema.not).length === 0)
    say('must not validate the schema (not)');
  return problems;
}
