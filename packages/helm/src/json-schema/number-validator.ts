import type { JsonNumber } from './json-number.ts';
import type { Validation } from './validator.ts';
import { count, float, quote } from './wording.ts';

/** What a schema says of numbers. */
export function validateNumber(validation: Validation, value: JsonNumber): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = validation.schema;
  const report = (keyword: string, want: JsonNumber): void => {
    validation.add(validation.problem(`${keyword}: got ${float(value)}, want ${float(want)}`));
  };
  if (minimum !== undefined && value.compare(minimum) < 0) report('minimum', minimum);
  if (maximum !== undefined && value.compare(maximum) > 0) report('maximum', maximum);
  if (exclusiveMinimum !== undefined && value.compare(exclusiveMinimum) <= 0) {
    report('exclusiveMinimum', exclusiveMinimum);
  }
  if (exclusiveMaximum !== undefined && value.compare(exclusiveMaximum) >= 0) {
    report('exclusiveMaximum', exclusiveMaximum);
  }
  if (multipleOf !== undefined && !value.isMultipleOf(multipleOf)) report('multipleOf', multipleOf);
}

/** What a schema says of texts. Lengths count characters, not UTF-16 units. */
export function validateText(validation: Validation, value: string): void {
  const { minLength, maxLength, pattern } = validation.schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength) {
    validation.add(validation.problem(`minLength: got ${count(length)}, want ${count(minLength)}`));
  }
  if (maxLength !== undefined && length > maxLength) {
    validation.add(validation.problem(`maxLength: got ${count(length)}, want ${count(maxLength)}`));
  }
  if (pattern !== undefined && !pattern.test(value)) {
    validation.add(
      validation.problem(`${quote(value)} does not match pattern ${quote(pattern.pattern)}`),
    );
  }
}
