import type { CaseFiles } from './case-files.ts';

/** What running one case gave. A skip says why the case does not apply here, and is never a pass. */
export type Outcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly reason: string }
  | { readonly kind: 'skip'; readonly reason: string };

/** One case of a suite, read from data. */
export interface ConformanceCase {
  /** Stable and unique in its suite: known failures are listed by it. */
  readonly id: string;
  /** The row of the table that the case counts in. */
  readonly feature: string;
  run(): Promise<Outcome>;
}

/**
 * Turns the data files of one suite into cases. A driver knows the format, never a single case.
 * Cases are run one by one in the order in which they are yielded, so a transcript
 * may carry state from one exchange to the next.
 */
export interface Driver {
  readonly suite: string;
  cases(files: CaseFiles): AsyncIterable<ConformanceCase>;
}

export const pass: Outcome = { kind: 'pass' };

export function fail(reason: string): Outcome {
  return { kind: 'fail', reason };
}

export function skip(reason: string): Outcome {
  return { kind: 'skip', reason };
}
