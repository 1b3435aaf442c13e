import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { compileCel } from './cel-rules.ts';
import { type JsonSchema, valuesSchema } from './json-schema.ts';
import { schemaProblems } from './schema-validation.ts';

/** What keeps a schema from being structural, or from being one at all. */
export function schemaShapeProblems(schema: JsonSchema, field: string): FieldProblem[] {
  const plain = [...walk(schema, field, plainProblems)];
  if (plain.length > 0) return plain;
  const structural = [...structuralProblems(schema, field, true)];
  if (structural.length > 0) return structural;
  return [...walk(schema, field, defaultProblems), ...walk(schema, field, ruleProblems)];
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

/** Go's words for the usual slips in an expression. */
function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern.replace(/^\(\?[ims]+\)/, ''), 'u');
    return undefined;
  } catch (error) {
    const text = String((error as Error).message);
    if (text.includes('Unterminated character class') || text.includes('missing ]')) {
      return `error parsing regexp: missing closing ]: \`${pattern.slice(pattern.lastIndexOf('['))}\``;
    }
    if (text.includes('Unterminated group'))
      return `error parsing regexp: missing closing ): \`${pattern}\``;
    if (text.includes('Unmatched')) return `error parsing regexp: unexpected ): \`${pattern}\``;
    if (text.includes('Nothing to repeat')) {
      const sign = /[*+?]/.exec(pattern)?.[0] ?? '*';
      return `error parsing regexp: missing argument to repetition operator: \`${sign}\``;
    }
    return undefined;
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
  if (
    schema['x-kubernetes-list-type'] === 'map' &&
    (schema['x-kubernetes-list-map-keys'] ?? []).length === 0
  ) {
    yield required(
      `${field}.x-kubernetes-list-map-keys`,
      'must not be empty if x-kubernetes-list-type is map',
    );
  }
}

function* defaultProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  if (schema.default === undefined) return;
  for (const problem of schemaProblems(schema.default, schema, '', '')) {
    const path = problem.field === '' ? `${field}.default` : `${field}.default.${problem.field}`;
    yield { ...problem, field: path };
  }
}

function* ruleProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const path = `${field}.x-kubernetes-validations[${index}].rule`;
    if (rule.rule.trim() === '') {
      yield required(path, 'rule is not specified');
      continue;
    }
    const program = compileCel(rule.rule);
    if (!(program instanceof Error)) continue;
    const shown = {
      Rule: rule.rule,
      Message: rule.message ?? '',
      MessageExpression: rule.messageExpression ?? '',
      Reason: rule.reason ?? null,
      FieldPath: rule.fieldPath ?? '',
      OptionalOldSelf: rule.optionalOldSelf ?? null,
    };
    const first = program.message.split('\n')[0] ?? '';
    yield invalid(path, shown, `compilation failed: ERROR: <input>: ${first}`);
  }
}
