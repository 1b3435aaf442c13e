import type { Origin, ShownObject } from './reference.ts';

/** Worst first: traffic fails now; a change does not get through; something will fail or is odd. */
export type Severity = 'outage' | 'blocked' | 'warning';

/** One line of the Problems page and of `waygate problems`. */
export interface ProblemRow {
  /** The same for as long as the problem lasts. */
  readonly id: string;
  readonly severity: Severity;
  readonly object?: ShownObject;
  /** `spec.rules[0].http.paths[0].backend`. */
  readonly field?: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What it does to traffic. */
  readonly effect?: string;
  /** What to do. */
  readonly fix?: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly origin?: Origin;
}
