import { type FieldProblem, invalid } from '../status/field-problem.ts';
import type { JsonSchema } from './json-schema.ts';

/** A number of JSON; whole ones beyond 2^53 are `bigint`. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** What a number is called by its type, and by its format; undefined for all else. */
export function numberType(value: unknown): { name: string; format: string } | undefined {
  if (!isNumber(value)) return undefined;
  return typeof value === 'bigint' || Number.isInteger(value)
    ? { name: 'integer', format: 'int64' }
    : { name: 'number', format: 'float64' };
}

/** Said of a number that its integer cannot hold; if it is none at all, after its type was complained of. */
export function rangeProblem({ format }: JsonSchema, body: string): FieldProblem {
  const kind = format === undefined ? 'integer (default format)' : `integer with format ${format}`;
  const detail = `Checked value must be of type ${kind} in ${body}`;
  return { type: 'invalid', field: '', value: '', detail };
}

/** What is wrong with a number by the bounds of its schema. */
export function numberProblems(
  value: unknown,
  schema: JsonSchema,
  field: string,
  body: string,
): FieldProblem[] {
  if (!isNumber(value)) return [];
  const problems: FieldProblem[] = [];
  const say = (detail: string) =>
    problems.push(invalid(field, value, `${body} in body should be ${detail}`));
  const { minimum, maximum, multipleOf } = schema;
  const isShort = schema.type === 'integer' && schema.format === 'int32';
  if (isShort && Math.abs(Number(value) + 0.5) > 2 ** 31) problems.push(rangeProblem(schema, body));
  if (multipleOf !== undefined && !isMultiple(Number(value), multipleOf))
    // Whole numbers are divided as such.
    say(
      `a multiple of ${numberType(value)?.name === 'integer' && multipleOf >= 1 ? Math.trunc(multipleOf) : multipleOf}`,
    );
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true && value >= maximum) say(`less than ${maximum}`);
    else if (value > maximum) say(`less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true && value <= minimum) say(`greater than ${minimum}`);
    else if (value < minimum) say(`greater than or equal to ${minimum}`);
  }
  return problems;
}

function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}
