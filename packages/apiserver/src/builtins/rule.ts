import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';

/** A text that has to be there. */
export function needed(
  parent: Readonly<Record<string, unknown>>,
  name: string,
  field: string,
): FieldProblem[] {
  const value = parent[name];
  return typeof value === 'string' && value !== '' ? [] : [required(`${field}.${name}`)];
}

/** A text of a closed list; empty is missing. */
export function oneOf(field: string, value: unknown, supported: readonly string[]): FieldProblem[] {
  if (value === undefined || value === '') return [required(field)];
  return supported.includes(String(value)) ? [] : [notSupported(field, value, supported)];
}

/** A text of a closed list; one that is missing is as wrong as any other. */
export function listed(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldProblem[] {
  return supported.includes(String(value)) ? [] : [notSupported(field, value ?? '', supported)];
}

/** What a rule of `validation/names.ts` says of a text. */
export function textProblems(
  field: string,
  value: string,
  rule: (text: string) => readonly string[],
): FieldProblem[] {
  return rule(value).map((problem) => invalid(field, value, problem));
}

/** The rule of counts: none is fine, less is not. */
export function nonNegative(field: string, value: unknown): FieldProblem[] {
  return (typeof value === 'number' || typeof value === 'bigint') && value < 0
    ? [invalid(field, value, 'must be greater than or equal to 0')]
    : [];
}

const percent = /^[0-9]+%$/;

/** `3` or `25%`, as in maxUnavailable. */
export function countOrPercentProblems(field: string, value: unknown): FieldProblem[] {
  if (value === undefined) return [];
  if (typeof value === 'number') return nonNegative(field, value);
  if (percent.test(String(value))) return [];
  const why =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalid(field, value, why)];
}

export function overWholeProblems(field: string, value: unknown): FieldProblem[] {
  const isOver =
    typeof value === 'string' && percent.test(value) && Number.parseInt(value, 10) > 100;
  return isOver ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** The number of `3` and of `25%`; 0 for what is neither. */
export function countOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && percent.test(value) ? Number.parseInt(value, 10) : 0;
}
