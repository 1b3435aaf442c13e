/**
 * The expression cannot be parsed or run; in Go's dialect the words are those of Go's regexp package.
 *
 * ```ts
 * try {
 *   compileRegex('(');
 * } catch (error) {
 *   if (error instanceof RegexError) console.error(error.message);
 * }
 * ```
 */
export class RegexError extends Error {
  /** What is wrong, without the part. */
  readonly problem: string;
  /** The part of the expression that is wrong. */
  readonly part: string;

  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${shortened(part)}\``);
    this.name = 'RegexError';
    this.problem = problem;
    this.part = part;
  }
}

function shortened(part: string): string {
  return part.length > 300 ? `${part.slice(0, 300)}…` : part;
}
