import { type CaseFiles, WatchedFiles } from './case-files.ts';
import { readJson } from './data-file.ts';
import { type ConformanceCase, type Driver, type Outcome, skip } from './driver.ts';
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

/**
 * Runs every case of one suite, in order. A case that throws or hangs fails; it never ends the run.
 * Cases in files that the driver does not read count too, as left out: nothing is hidden.
 */
export async function runSuite(
  driver: Driver,
  files: CaseFiles,
  options: RunOptions,
): Promise<SuiteResult> {
  const cases: CaseResult[] = [];
  const watched = new WatchedFiles(files);
  for await (const one of withUnread(driver, watched)) {
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

async function* withUnread(driver: Driver, files: WatchedFiles): AsyncIterable<ConformanceCase> {
  yield* driver.cases(files);
  for (const file of files.unread())
    yield* leftOut(file, readJson(files, file), 'no driver reads it yet');
}

/** The cases of a file that is not run: one for each of a list, else one for the file. */
export function* leftOut(file: string, data: unknown, why: string): Iterable<ConformanceCase> {
  const name = file.replace(/\.json$/, '');
  const feature = name.replace(/\/.*$/, '');
  const run = async () => skip(why);
  if (!Array.isArray(data)) yield { id: name, feature, run };
  else for (const index of data.keys()) yield { id: `${name}/${index + 1}`, feature, run };
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
