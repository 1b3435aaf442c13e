import { quote } from './wording.ts';

/** What did not fit, and where. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly message: string;
  readonly causes: readonly SchemaProblem[];
  /** A `$ref`: it says nothing itself when it has one cause. */
  readonly isReference?: boolean;
  /** Several at once: whoever takes it over takes its causes. */
  readonly isGroup?: boolean;
}

/** The problems one below the other: `- at '/a': got number, want string`. */
export function printProblems(problems: readonly SchemaProblem[], depth = 0): string {
  return problems.map((problem) => printProblem(problem, depth)).join('');
}

function printProblem(problem: SchemaProblem, depth: number): string {
  if (problem.isReference === true && problem.causes.length === 1) {
    return printProblems(problem.causes, depth);
  }
  const line = `\n${'  '.repeat(depth)}- at ${quote(pointerOf(problem.path))}: ${problem.message}`;
  return line + printProblems(problem.causes, depth + 1);
}

function pointerOf(path: readonly string[]): string {
  return path.map((part) => `/${escapePointer(part)}`).join('');
}

export function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
