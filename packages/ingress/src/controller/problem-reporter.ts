import { type Clock, type EventRecorder, systemClock, type Timer } from '@waygate/runtime';
import type { Problem } from '../translate/problem.ts';

const resolvedReason = 'KongConfigurationConflictResolved';

/** How long a replica that does not speak remembers what the one that does may have left unsaid. */
const handoverMs = 30_000;

interface ProblemReporterOptions {
  readonly recorder: EventRecorder;
  readonly reason: string;
  /** Whether it is this replica that speaks. */
  readonly isSpeaking: () => boolean;
  /**
   * How long a problem must last to be told: objects of one application come one after the other, and
   * an Ingress without its Service is none a moment later. 0 tells at once.
   */
  readonly holdMs?: number;
  /** All problems that there are at the moment that something is to be told. */
  readonly problemsNow?: () => readonly Problem[];
  readonly clock?: Clock;
}

/**
 * Writes an Event on an object when a problem with it appears and lasts, and again only after it had
 * gone: a problem that stays is not news. Of several replicas one speaks; the others keep track, so
 * that whoever takes over repeats nothing.
 */
export class ProblemReporter {
  readonly #options: ProblemReporterOptions;
  readonly #clock: Clock;
  readonly #holdMs: number;
  #known = new Set<string>();
  /** Those of the known ones that are conflicts with other objects. */
  #conflicts = new Map<string, Problem>();
  /** Those of the known ones that nobody was told of yet, the oldest first. */
  readonly #held = new Map<string, { readonly problem: Problem; readonly sinceMs: number }>();
  #timer: Timer | undefined;

  constructor(options: ProblemReporterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#holdMs = options.holdMs ?? 0;
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
      if (this.#held.has(key)) continue;
      waiting.add(keyOf(object));
      this.#tell(object, 'Normal', resolvedReason, `no longer so: ${message}`);
    }
    for (const key of this.#held.keys()) if (!this.#known.has(key)) this.#held.delete(key);
  }

  /** Problems of a part; what is known of others stays. */
  add(problems: readonly Problem[]): void {
    for (const problem of problems) this.#report(problem, this.#known);
  }

  #report(problem: Problem, known: ReadonlySet<string>): void {
    const key = problemKey(problem);
    const isNew = !known.has(key) && !this.#known.has(key);
    this.#known.add(key);
    if (problem.isConflict) this.#conflicts.set(key, problem);
    if (!isNew) return;
    if (this.#holdMs === 0) {
      this.#tell(problem.object, 'Warning', this.#options.reason, problem.message);
      return;
    }
    this.#held.set(key, { problem, sinceMs: this.#clock.monotonicMs() });
    this.#arm(this.#holdMs);
  }

  #arm(delayMs: number): void {
    this.#timer ??= this.#clock.after(delayMs, () => this.#release(), { isBackground: true });
  }

  /** Tells what has lasted long enough and is still so. */
  #release(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    const due = [...this.#held].filter(([, { sinceMs }]) => nowMs - sinceMs >= this.#holdMs);
    if (due.length > 0) this.#dropResolved(due.map(([key]) => key));
    for (const [key, { problem, sinceMs }] of due) {
      if (!this.#held.has(key)) continue;
      if (this.#options.isSpeaking())
        this.#tell(problem.object, 'Warning', this.#options.reason, problem.message);
      // Another one speaks. Should it fall silent just now, this one may still have to say it.
      else if (nowMs - sinceMs < this.#holdMs + handoverMs) continue;
      this.#held.delete(key);
    }
    const [first] = this.#held.values();
    if (first === undefined) return;
    const remainingMs = first.sinceMs + this.#holdMs - nowMs;
    this.#arm(remainingMs > 0 ? remainingMs : this.#holdMs);
  }

  /** A pass over single services does not say what is no longer wrong. */
  #dropResolved(keys: readonly string[]): void {
    const { problemsNow } = this.#options;
    if (problemsNow === undefined) return;
    const still = new Set(problemsNow().map(problemKey));
    for (const key of keys) {
      if (still.has(key)) continue;
      this.#held.delete(key);
      this.#known.delete(key);
      this.#conflicts.delete(key);
    }
  }

  #tell(
    object: Problem['object'],
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const { recorder, isSpeaking } = this.#options;
    if (isSpeaking()) recorder.event(object, type, reason, message);
  }
}

function problemKey({ object, message }: Problem): string {
  return `${keyOf(object)} ${message}`;
}

function keyOf({ kind, namespace, name, uid }: Problem['object']): string {
  return `${kind} ${namespace}/${name} ${uid}`;
}
