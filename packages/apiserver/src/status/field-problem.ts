import { goJson, goQuote } from '@waygate/text';

/** The kinds of a field problem, with the reason and the words that the API uses for each. */
const words = {
  required: { reason: 'FieldValueRequired', text: 'Required value', hasValue: false },
  invalid: { reason: 'FieldValueInvalid', text: 'Invalid value', hasValue: true },
  invalidWithoutValue: { reason: 'FieldValueInvalid', text: 'Invalid value', hasValue: false },
  typeInvalid: { reason: 'FieldValueTypeInvalid', text: 'Invalid value', hasValue: true },
  notSupported: { reason: 'FieldValueNotSupported', text: 'Unsupported value', hasValue: true },
  duplicate: { reason: 'FieldValueDuplicate', text: 'Duplicate value', hasValue: true },
  duplicateWithoutValue: {
    reason: 'FieldValueDuplicate',
    text: 'Duplicate value',
    hasValue: false,
  },
  notFound: { reason: 'FieldValueNotFound', text: 'Not found', hasValue: true },
  forbidden: { reason: 'FieldValueForbidden', text: 'Forbidden', hasValue: false },
  tooLong: { reason: 'FieldValueTooLong', text: 'Too long', hasValue: false },
  tooMany: { reason: 'FieldValueTooMany', text: 'Too many', hasValue: true },
  internal: { reason: 'InternalError', text: 'Internal error', hasValue: false },
} as const;

export type ProblemType = keyof typeof words;

/** One thing that is wrong with one field of an object, in the API's own terms. */
export interface FieldProblem {
  readonly type: ProblemType;
  /** As in `spec.containers[0].name`. */
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

export function required(field: string, detail = ''): FieldProblem {
  return { type: 'required', field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldProblem {
  return { type: 'invalid', field, value, detail };
}

export function forbidden(field: string, detail: string): FieldProblem {
  return { type: 'forbidden', field, detail };
}

export function duplicate(field: string, value: unknown): FieldProblem {
  return { type: 'duplicate', field, value, detail: '' };
}

export function notFoundValue(field: string, value: unknown): FieldProblem {
  return { type: 'notFound', field, value, detail: '' };
}

export function notSupported(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldProblem {
  const detail =
    supported.length === 0
      ? ''
      : `supported values: ${supported.map((each) => goQuote(each)).join(', ')}`;
  return { type: 'notSupported', field, value, detail };
}

export function tooLong(field: string, maxBytes: number): FieldProblem {
  return { type: 'tooLong', field, detail: `may not be more than ${maxBytes} bytes` };
}

export function tooMany(field: string, count: number, max: number): FieldProblem {
  const noun = max === 1 ? 'item' : 'items';
  return { type: 'tooMany', field, value: count, detail: `must have at most ${max} ${noun}` };
}

/** The `reason` of the cause that a problem becomes. */
export function causeReason(problem: FieldProblem): string {
  return words[problem.type].reason;
}

/** What is said of the field, without its name. */
export function problemBody(problem: FieldProblem): string {
  const word = words[problem.type];
  let text: string = word.text;
  if (word.hasValue) text += `: ${renderValue(problem.value)}`;
  if (problem.detail !== '') text += `: ${problem.detail}`;
  return text;
}

export function problemText(problem: FieldProblem): string {
  return `${problem.field === '' ? '<nil>' : problem.field}: ${problemBody(problem)}`;
}

function renderValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return goQuote(value);
  return goJson(value);
}
