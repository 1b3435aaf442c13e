import { compileRegex, RegexError } from '@waygate/text';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { collectionProblems } from './collection-shape.ts';
import { normalizeFieldPath } from './field-path.ts';
import { type JsonSchema, valuesSchema } from './json-schema.ts';
import { ruleProblems } from './rule-check.ts';
import { schemaProblems } from './schema-validation.ts';

const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const ruleReasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** What keeps a schema from being structural, or from being one at all. */
export function schemaShapeProblems(schema: JsonSchema, field: string): FieldProblem[] {
  const structural = [
    ...structuralProblems(schema, field, true),
    ...walk(schema, field, junctorProblems),
    ...ownFieldProblems(schema, field),
  ];
  const plain = [...walk(schema, field, plainProblems)];
  // A schema that says what may not be said is not looked at any further.
  const isHopeless = plain.some(({ type }) => type === 'notSupported' || type === 'invalid');
  if (isHopeless || plain.some(({ detail }) => detail === '$ref is not supported')) return plain;
  const ruleForm = [...walk(schema, field, ruleFormProblems)];
  const shape = [...plain, ...ruleForm, ...structural];
  if (shape.length > 0) return shape;
  const defaults = [...walk(schema, field, defaultProblems)];
  return defaults.length > 0 ? defaults : ruleProblems(schema, field);
}

function* walk(
  schema: JsonSchema,
  field: string,
  check: (schema: JsonSchema, field: string) => Iterable<FieldProblem>,
): Generator<FieldProblem> {
  yield* check(schema, field);
  for (const [name, property] of sortedProperties(schema)) {
    yield* walk(property, `${field}.properties[${name}]`, check);
  }
  if (schema.items !== undefined) yield* walk(schema.items, `${field}.items`, check);
  const values = valuesSchema(schema);
  if (values !== undefined) yield* walk(values, `${field}.additionalProperties`, check);
}

function sortedProperties(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

function* plainProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  if (schema.uniqueItems === true) {
    yield forbidden(
      `${field}.uniqueItems`,
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
  if (schema.additionalProperties === false) {
    yield forbidden(`${field}.additionalProperties`, 'additionalProperties cannot be set to false');
  }
  if (schema.properties !== undefined && valuesSchema(schema) !== undefined) {
    yield forbidden(
      `${field}.additionalProperties`,
      'additionalProperties and properties are mutual exclusive',
    );
  }
  if ((schema as { $ref?: string }).$ref !== undefined)
    yield forbidden(`${field}.$ref`, '$ref is not supported');
  const isTyped = (schema.type ?? '') === '' || schemaTypes.includes(schema.type as string);
  if (!isTyped) yield notSupported(`${field}.type`, schema.type, schemaTypes);
  if (schema.pattern !== undefined) {
    const problem = patternProblem(schema.pattern);
    if (problem !== undefined) {
      yield invalid(
        `${field}.pattern`,
        schema.pattern,
        `must be a valid regular expression, but isn't: ${problem}`,
      );
    }
  }
}

function patternProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RegexError) return error.message;
    throw error;
  }
}

function* structuralProblems(
  schema: JsonSchema,
  field: string,
  isRoot: boolean,
): Generator<FieldProblem> {
  for (const [name, property] of sortedProperties(schema)) {
    if (isRoot && name === 'metadata') continue;
    yield* structuralProblems(property, `${field}.properties[${name}]`, false);
  }
  if (schema.items !== undefined) yield* structuralProblems(schema.items, `${field}.items`, false);
  const values = valuesSchema(schema);
  if (values !== undefined)
    yield* structuralProblems(values, `${field}.additionalProperties`, false);
  const needsNoType =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  if ((schema.type ?? '') === '' && (isRoot || !needsNoType)) {
    yield required(
      `${field}.type`,
      isRoot
        ? 'must not be empty at the root'
        : `must not be empty for specified ${field.endsWith('.items') ? 'array items' : 'object fields'}`,
    );
  }
  if (isRoot && schema.type !== undefined && schema.type !== 'object') {
    yield invalid(`${field}.type`, schema.type, 'must be object at the root');
  }
  if (schema.type === 'array' && schema.items === undefined) {
    yield required(`${field}.items`, 'must be specified');
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const why = 'must be true or undefined';
    yield invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, why);
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded && !isOpen && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    yield required(`${field}.properties`, why);
  }
  yield* collectionProblems(schema, field);
}

/** The branches of a schema say which values are fine, never what they are. */
function* junctorProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (schema[name] ?? []).entries())
      yield* branchProblems(branch, `${field}.${name}[${index}]`, schema);
  }
  if (schema.not !== undefined) yield* branchProblems(schema.not, `${field}.not`, schema);
}

function* branchProblems(
  branch: JsonSchema,
  field: string,
  parent: JsonSchema,
): Generator<FieldProblem> {
  const mayBeTyped =
    parent['x-kubernetes-int-or-string'] === true &&
    /\.(?:anyOf|allOf)\[\d+\](?:\.anyOf\[\d+\])?$/.test(field);
  const why = 'must be empty to be structural';
  if ((branch.type ?? '') !== '' && !mayBeTyped) yield forbidden(`${field}.type`, why);
  for (const name of ['description', 'nullable', 'default'] as const) {
    const value = branch[name];
    if (value !== undefined && value !== '' && value !== false)
      yield forbidden(
        `${field}.${name}`,
        name === 'nullable' ? 'must be false to be structural' : why,
      );
  }
  for (const [name, property] of sortedProperties(branch))
    yield* branchProblems(property, `${field}.properties[${name}]`, {});
  if (branch.items !== undefined) yield* branchProblems(branch.items, `${field}.items`, {});
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, each] of (branch[name] ?? []).entries())
      yield* branchProblems(each, `${field}.${name}[${index}]`, parent);
  }
  if (branch.not !== undefined) yield* branchProblems(branch.not, `${field}.not`, {});
}

/**
 * What every object has is the server's: of its metadata a definition may say how it is named, and not even
 * what it is for.
 */
function* ownFieldProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  const { metadata, ...others } = schema.properties ?? {};
  for (const name of ['apiVersion', 'kind']) {
    const type = others[name] && (others[name].type ?? '');
    if (type !== undefined && type !== 'string')
      yield invalid(`${field}.properties[${name}].type`, type, 'must be string');
  }
  if (metadata === undefined) return;
  const { properties, type = '', default: otherwise, ...rest } = metadata;
  const at = `${field}.properties[metadata]`;
  if (type !== 'object') yield invalid(`${at}.type`, type, 'must be object');
  if (otherwise !== undefined)
    yield forbidden(`${at}.default`, 'must not be set in top-level metadata');
  const isNaming = Object.keys(properties ?? {}).every((name) =>
    /^(name|generateName)$/.test(name),
  );
  if (isNaming && Object.values(rest).every(isNothing)) return;
  const why =
    'must not specify anything other than name and generateName, but metadata is implicitly specified';
  yield forbidden(at, why);
}

function isNothing(value: unknown): boolean {
  return (Array.isArray(value) && value.length === 0) || !value;
}

function* ruleFormProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = `${field}.x-kubernetes-validations[${index}]`;
    const { message = '', reason, fieldPath, messageExpression = '' } = rule;
    const text = message.trim();
    if (rule.rule.trim() === '') yield required(`${at}.rule`, 'rule is not specified');
    else if (message !== '' && text === '')
      yield invalid(`${at}.message`, message, 'must be non-empty if specified');
    else if (/[\n\r]/.test(text))
      yield invalid(`${at}.message`, message, 'must not contain line breaks');
    else if (text === '' && /[\n\r]/.test(rule.rule.trim())) {
      const why = 'message must be specified if rule contains line breaks';
      yield required(`${at}.message`, why);
    }
    if (messageExpression !== '' && messageExpression.trim() === '') {
      const why = 'messageExpression must be non-empty if specified';
      yield required(`${at}.messageExpression`, why);
    }
    if (reason !== undefined && !ruleReasons.includes(reason))
      yield notSupported(`${at}.reason`, reason, ruleReasons);
    if (
      fieldPath !== undefined &&
      fieldPath !== '' &&
      normalizeFieldPath(fieldPath, schema) === undefined
    )
      yield invalid(`${at}.fieldPath`, fieldPath, 'must be a valid path');
  }
}

function* defaultProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  if (schema.default === undefined) return;
  for (const problem of schemaProblems(schema.default, schema, '', '')) {
    const path = problem.field === '' ? `${field}.default` : `${field}.default.${problem.field}`;
    yield { ...problem, field: path };
  }
}
