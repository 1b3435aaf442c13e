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

/** The profiles, by how the names of their tests start; what is left belongs to all of them. */
const groups: readonly (readonly [title: string, pattern: RegExp])[] = [
  ['HTTPRoute', /^HTTPRoute/],
  ['GRPCRoute', /^GRPC/],
  ['TLSRoute', /^TLSRoute/],
  ['Gateway and GatewayClass', /^Gateway/],
];

/** The table of a page: one line for each group, one column for each release. */
export function resultTable(results: readonly SuiteResult[]): string {
  const cell = ({ passed, failed }: SuiteResult, pattern: RegExp): string => {
    const count = (names: readonly string[]) => names.filter((name) => pattern.test(name)).length;
    return `${count(passed)} of ${count(passed) + count(failed)}`;
  };
  const rows = [...groups, ['all', /./] as const].map(
    ([title, pattern]) =>
      `| ${title} | ${results.map((result) => cell(result, pattern)).join(' | ')} |`,
  );
  return [
    `| tests of | ${results.map(({ version }) => version).join(' | ')} |`,
    `|---|${results.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');
}
