/** What became of the tests of a run, by name. */
export interface SuiteResult {
  readonly version: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/** Reads what `go test -v` wrote; tests of features that are not claimed are skipped, and not counted. */
export function readResult(version: string, output: string): SuiteResult {
  const named = (word: string): string[] =>
    [...output.matchAll(new RegExp(`^ {4}--- ${word}: TestConformance/(\\w+) `, 'gm'))]
      .map(([, name = '']) => name)
      .sort();
  return { version, passed: named('PASS'), failed: named('FAIL') };
}

/** What was known before of other tests, and what became of these now. */
export function withResult(before: SuiteResult | undefined, now: SuiteResult): SuiteResult {
  const isNew = (name: string) => [...now.passed, ...now.failed].includes(name);
  const merged = (key: 'passed' | 'failed') =>
    [...(before?.[key] ?? []).filter((name) => !isNew(name)), ...now[key]].sort();
  return { version: now.version, passed: merged('passed'), failed: merged('failed') };
}
