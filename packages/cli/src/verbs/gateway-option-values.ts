import { InvalidArgumentError } from 'commander';

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('must be 1 or more');
  return value;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('must be 0 or more');
  return value;
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The same for lists: values may also be put together with commas. */
export function collectList(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(',').filter((part) => part !== '')];
}

/** Several headers may stand in one value; a comma inside of a header's value stays. */
export function collectHeaders(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(/,(?=[A-Za-z0-9-]+:)/)];
}
