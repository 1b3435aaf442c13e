import { labelValueProblems, qualifiedNameProblems } from '@waygate/text';
import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { validateLabels } from '../validation/object-meta.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { textProblems } from './rule.ts';

/** A label selector in its object form. */
export function selectorProblems(selector: unknown, field: string): FieldProblem[] {
  if (typeof selector !== 'object' || selector === null) return [];
  const fields = selector as Fields;
  return [
    ...validateLabels(
      objectAt(fields, 'matchLabels') as Record<string, string>,
      `${field}.matchLabels`,
    ),
    ...listAt(fields, 'matchExpressions').flatMap((expression, index) =>
      requirementProblems(expression, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

/** What a requirement of a selector may have: those on nodes know two operators more. */
interface RequirementRules {
  readonly allowsComparison?: boolean;
  /** True by default. */
  readonly checksValues?: boolean;
}

/** One of the `matchExpressions` of a selector, of labels or of nodes. */
export function requirementProblems(
  expression: Fields,
  at: string,
  { allowsComparison = false, checksValues = true }: RequirementRules = {},
): FieldProblem[] {
  const values = (expression.values ?? []) as string[];
  const operator = textAt(expression, 'operator');
  const problems: FieldProblem[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) problems.push(required(`${at}.values`, why));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) problems.push(forbidden(`${at}.values`, why));
  } else if (allowsComparison && (operator === 'Gt' || operator === 'Lt')) {
    const why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    if (values.length !== 1) problems.push(required(`${at}.values`, why));
  } else problems.push(invalid(`${at}.operator`, operator, 'not a valid selector operator'));
  problems.push(...textProblems(`${at}.key`, textAt(expression, 'key'), qualifiedNameProblems));
  if (!checksValues) return problems;
  return [
    ...problems,
    ...values.flatMap((value, i) => textProblems(`${at}.values[${i}]`, value, labelValueProblems)),
  ];
}

export function isEmptySelector(selector: unknown): boolean {
  if (typeof selector !== 'object' || selector === null) return true;
  const fields = selector as Fields;
  return (
    Object.keys(objectAt(fields, 'matchLabels')).length === 0 &&
    listAt(fields, 'matchExpressions').length === 0
  );
}

/** Whether the selector can be made into a matcher at all. */
export function isParsable(selector: unknown): boolean {
  return selectorProblems(selector, '').length === 0;
}
