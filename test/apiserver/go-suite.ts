import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../real/processes.ts';

/** How the tests of one Go package went. */
export interface SuiteResult {
  readonly passed: number;
  /** Not run, as their authors wish. */
  readonly left: number;
  /** By name. */
  readonly failed: readonly string[];
}

interface Report {
  readonly SpecReports?: readonly {
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly ContainerHierarchyTexts?: readonly string[] | null;
    readonly State: string;
  }[];
}

const notRun = ['pending', 'skipped'];

/**
 * Runs a compiled test program in its package; the environment says which programs are Kubernetes.
 * A pattern chooses tests by name, as `go test -run` does.
 */
export async function runSuite(
  program: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
  pattern = '.',
): Promise<SuiteResult> {
  const reportFile = join(dirname(program), 'report.json');
  rmSync(reportFile, { force: true });
  // One that does not know the flag would end after it had started its servers, and leave them.
  const hasGinkgo = readFileSync(program).includes('onsi/ginkgo/v2');
  const report = hasGinkgo ? [`-ginkgo.json-report=${reportFile}`] : [];
  const outcome = await run(
    program,
    ['-test.v', '-test.timeout=15m', `-test.run=${pattern}`, ...report],
    {
      cwd: directory,
      env: { ...process.env, ...environment },
      timeoutMs: 16 * 60_000,
    },
  );
  const specs = existsSync(reportFile)
    ? specsOf(JSON.parse(readFileSync(reportFile, 'utf8')) as readonly Report[])
    : undefined;
  return sum(specs, plainTests(outcome.stdout, specs !== undefined));
}

/** The specs of Ginkgo's report; what prepares them counts when it fails. */
function specsOf(reports: readonly Report[]): SuiteResult {
  const all = reports.flatMap(({ SpecReports }) => SpecReports ?? []);
  const specs = all.filter(({ LeafNodeType }) => LeafNodeType === 'It');
  const failed = all.filter(({ State }) => State !== 'passed' && !notRun.includes(State));
  return {
    passed: specs.filter(({ State }) => State === 'passed').length,
    left: specs.filter(({ State }) => notRun.includes(State)).length,
    failed: failed.map((spec) =>
      [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText || spec.LeafNodeType].join(' '),
    ),
  };
}

/** Go's own tests, those with parts by their parts. The one that runs Ginkgo's specs is not counted again. */
function plainTests(output: string, hasSpecs: boolean): SuiteResult {
  const results = Array.from(output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm), (match) => ({
    state: match[1],
    name: match[2] as string,
  }));
  const runsSpecs = hasSpecs ? /=== RUN +(\S+)\nRunning Suite:/.exec(output)?.[1] : undefined;
  const counted = results.filter(
    ({ name }) => name !== runsSpecs && !results.some((other) => other.name.startsWith(`${name}/`)),
  );
  return {
    passed: counted.filter(({ state }) => state === 'PASS').length,
    left: counted.filter(({ state }) => state === 'SKIP').length,
    failed: counted.filter(({ state }) => state === 'FAIL').map(({ name }) => name),
  };
}

function sum(one: SuiteResult | undefined, other: SuiteResult): SuiteResult {
  return {
    passed: (one?.passed ?? 0) + other.passed,
    left: (one?.left ?? 0) + other.left,
    failed: [...(one?.failed ?? []), ...other.failed],
  };
}
