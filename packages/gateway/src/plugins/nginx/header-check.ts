import { variableProblem } from './variable-text.ts';

/** A header that is set, with variables in its value. */
export interface HeaderSetting {
  readonly name: string;
  readonly value: string;
}

const isName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What is wrong with headers that may hold variables: one entry each, or undefined if nothing is. */
export function headerProblems(
  settings: readonly HeaderSetting[],
  check: (value: string) => string | undefined = variableProblem,
): (string | null)[] | undefined {
  const problems = settings.map(({ name, value }) =>
    isName.test(name) ? (check(value) ?? null) : `${JSON.stringify(name)} is no name of a header`,
  );
  return problems.some((problem) => problem !== null) ? problems : undefined;
}

/** What is wrong with a text that stands in a header as it is. */
export function literalProblem(value: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  return /[\x00-\x08\x0a-\x1f\x7f]/.test(value) ? 'control characters are not allowed' : undefined;
}
