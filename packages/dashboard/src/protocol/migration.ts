import type { ShownObject } from './reference.ts';

/** `GET migration`: what serving the Ingresses of ingress-nginx here would change. Nothing is written. */
export interface MigrationPage {
  /** Worst first. */
  readonly ingresses: readonly MigratedIngress[];
  /** Most used first. */
  readonly annotations: readonly MigratedName[];
  /** Keys of its ConfigMap that are set. */
  readonly settings: readonly MigratedName[];
  /** What could not be read, and so is not judged. */
  readonly notes: readonly string[];
}

/** `same`: it answers as before. `but`: as before, but for what is named. `cannot`: it would not be served. */
export type MigrationVerdict = 'same' | 'but' | 'cannot';

export interface MigratedIngress {
  readonly object: ShownObject;
  readonly verdict: MigrationVerdict;
  readonly differences: readonly string[];
  /** What is wrong with it in ingress-nginx as well. */
  readonly notes: readonly string[];
}

export interface MigratedName {
  readonly name: string;
  readonly count: number;
  /** `supported`, `partly`, `not needed`, `reported`, `unknown`. */
  readonly support: string;
  readonly note: string;
}
