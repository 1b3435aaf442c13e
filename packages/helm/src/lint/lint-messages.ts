type Severity = 'INFO' | 'WARNING' | 'ERROR';

/** Something that a chart should not have, or should. */
export interface LintMessage {
  readonly severity: Severity;
  /** The file, or the directory, that it is about. */
  readonly path: string;
  readonly text: string;
}

/** Gathers messages in the order of the rules. */
export class LintMessages {
  readonly #messages: LintMessage[] = [];

  get all(): readonly LintMessage[] {
    return this.#messages;
  }

  /** Notes the problem, if there is one; true when there is none. */
  check(severity: Severity, path: string, problem: string | undefined): boolean {
    if (problem === undefined) return true;
    this.#messages.push({ severity, path, text: problem });
    return false;
  }
}
