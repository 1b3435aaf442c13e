import type { EventRecorder } from '@waygate/runtime';
import type { Problem } from '../translate/problem.ts';

/**
 * Writes an Event on an object when a problem with it appears, and again only after it had gone:
 * a problem that stays is not news.
 */
export class ProblemReporter {
  readonly #recorder: EventRecorder;
  readonly #reason: string;
  #known = new Set<string>();

  constructor(recorder: EventRecorder, reason: string) {
    this.#recorder = recorder;
    this.#reason = reason;
  }

  /** All problems that there are now. */
  replace(problems: readonly Problem[]): void {
    const before = this.#known;
    this.#known = new Set();
    for (const problem of problems) this.#report(problem, before);
  }

  /** Problems of a part; what is known of others stays. */
  add(problems: readonly Problem[]): void {
    for (const problem of problems) this.#report(problem, this.#known);
  }

  #report({ object, message }: Problem, known: ReadonlySet<string>): void {
    const key = `${object.kind} ${object.namespace}/${object.name} ${object.uid} ${message}`;
    const isNew = !known.has(key) && !this.#known.has(key);
    this.#known.add(key);
    if (isNew) this.#recorder.event(object, 'Warning', this.#reason, message);
  }
}
