import type { ConformanceCase, Driver, Outcome } from './driver.ts';
import type { KnownFailures } from './known-failures.ts';

export interface CaseResult {
  readonly id: string;
  readonly feature: string;
  readonly outcome: Outcome;
}

export interface SuiteResult {
  readonly suite: string;
  readonly cases: readonly CaseResult[];
  /** Failed without being listed: each is a regression, or a case that was never run before. */
  readonly unexpectedFailures: readonly CaseResult[];
  /** Listed as failing but passed: the list has to lose these lines. */
  readonly unexpectedPasses: readonly string[];
}

export interface RunOptions {
  readonly known: KnownFailures;
  /** Only cases whose id contains this text. */
  readonly filter?: string | undefined;
  readonly caseTimeoutMs: number;
  readonly onCase?: (result: CaseResult) => void;
}

/** Runs every case of one suite, in order. A case that throws or hangs fails; it never ends the run. */
export async function runSuite(
  driver: Driver,
  directory: string,
  options: RunOptions,
): Promise<SuiteResult> {
  const cases: CaseResult[] = [];
  for await (const one of driver.cases(directory)) {
    if (options.filter !== undefined && !one.id.includes(options.filter)) continue;
    const outcome = await runCase(one, options.caseTimeoutMs);
    const result = { id: one.id, feature: one.feature, outcome };
    cases.push(result);
    options.onCase?.(result);
  }
  return {
    suite: driver.suite,
    cases,
    unexpectedFailures: cases.filter(
      ({ id, outcome }) => outcome.kind === 'fail' && !options.known.has(id),
    ),
    unexpectedPasses: cases
      .filter(({ id, outcome }) => outcome.kind === 'pass' && options.known.has(id))
      .map(({ id }) => id),
  };
}

async function runCase(one: ConformanceCase, timeoutMs: number): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Outcome>((resolve) => {
    timer = setTimeout(
      () => resolve({ kind: 'fail', reason: `no answer within ${timeoutMs} ms` }),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([one.run(), timeout]);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { kind: 'fail', reason: `threw ${reason}` };
  } finally {
    clearTimeout(timer);
  }
}
