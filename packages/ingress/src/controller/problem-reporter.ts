import type { EventRecorder } from '@waygate/runtime';
import type { Problem } from '../translate/problem.ts';

const resolvedReason = 'KongConfigurationConflictResolved';

/**
 * Writes an Event on an object when a problem with it appears, and again only after it had gone:
 * a problem that stays is not news.
 */
export class ProblemReporter {
  readonly #recorder: EventRecorder;
  readonly #reason: string;
  #known = new Set<string>();
  /** Those of the known ones that are conflicts with other objects. */
  #conflicts = new Map<string, Problem>();

  constructor(recorder: EventRecorder, reason: string) {
    this.#recorder = recorder;
    this.#reason = reason;
  }

  /**
   * All problems that there are now. An object that was in conflict and no longer is hears of that
   * too: it has been in wait for another one, unless it is gone itself.
   */
  replace(problems: readonly Problem[], isGone: (object: Problem['object']) => boolean): void {
    const before = this.#known;
    const conflicts = this.#conflicts;
    this.#known = new Set();
    this.#conflicts = new Map();
    for (const problem of problems) this.#report(problem, before);
    const waiting = new Set([...this.#conflicts.values()].map(({ object }) => keyOf(object)));
    for (const [key, { object, message }] of conflicts) {
      if (this.#conflicts.has(key) || waiting.has(keyOf(object)) || isGone(object)) continue;
      waiting.add(keyOf(object));
      this.#recorder.event(object, 'Normal', resolvedReason, `no longer so: ${message}`);
    }
  }

  /** Problems of a part; what is known of others stays. */
  add(problems: readonly Problem[]): void {
    for (const problem of problems) this.#report(problem, this.#known);
  }

  #report(problem: Problem, known: ReadonlySet<string>): void {
    const { object, message, isConflict } = problem;
    const key = `${keyOf(object)} ${message}`;
    const isNew = !known.has(key) && !this.#known.has(key);
    this.#known.add(key);
    if (isConflict) this.#conflicts.set(key, problem);
    if (isNew) this.#recorder.event(object, 'Warning', this.#reason, message);
  }
}

function keyOf({ kind, namespace, name, uid }: Problem['object']): string {
  return `${kind} ${namespace}/${name} ${uid}`;
}
