import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { labelValueProblems, qualifiedNameProblems } from '../validation/names.ts';
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
      expressionProblems(expression, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function expressionProblems(expression: Fields, at: string): FieldProblem[] {
  const values = (expression.values ?? []) as string[];
  const operator = textAt(expression, 'operator');
  const problems: FieldProblem[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) problems.push(required(`${at}.values`, why));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) problems.push(forbidden(`${at}.values`, why));
  } else problems.push(invalid(`${at}.operator`, operator, 'not a valid selector operator'));
  return [
    ...problems,
    ...textProblems(`${at}.key`, textAt(expression, 'key'), qualifiedNameProblems),
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
