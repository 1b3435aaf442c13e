import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envtestDirectory } from '@waygate/apiserver';
import { expect, test } from 'vitest';
import { fetchModule, type GoModule, whyNoGo } from './go-module.ts';
import { runSuite, type SuiteResult } from './go-suite.ts';

const page = new URL('../../docs/compatibility/controller-runtime.md', import.meta.url);
/** A directory with a real kube-apiserver, etcd and kubectl, for the column beside ours. */
const realAssets = process.env.WAYGATE_REAL_ENVTEST;
const hourMs = 3_600_000;

/** What is run, of which release. The changes to it are to the way in which a suite gets its programs. */
const suites = [
  {
    title: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.25.2',
    pattern: process.env.WAYGATE_GO_PACKAGES ?? './pkg/...',
    channel: undefined,
    prepare: () => undefined,
  },
  {
    title: "the Gateway API's definitions",
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.4.1',
    pattern: './pkg/test/...',
    channel: 'standard',
    prepare: useGivenPrograms,
  },
  {
    title: "the Gateway API's experimental definitions",
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.4.1',
    pattern: './pkg/test/...',
    channel: 'experimental',
    prepare: useGivenPrograms,
  },
  {
    title: "Flux' server-side apply",
    module: 'github.com/fluxcd/pkg/ssa',
    version: 'v0.78.0',
    pattern: '.',
    channel: undefined,
    prepare: () => undefined,
  },
] as const;

/** These would download programs, whatever is there. */
function useGivenPrograms({ directory }: GoModule): void {
  for (const name of ['cel/main_test.go', 'crd/crd_test.go']) {
    const file = join(directory, 'pkg/test', name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(/DownloadBinaryAssets:( *)true/, 'DownloadBinaryAssets:$1false'),
    );
  }
}

interface Row {
  readonly name: string;
  readonly ours: SuiteResult;
  readonly real: SuiteResult | undefined;
}

const why = whyNoGo();

test.each(suites)(
  `$title passes with the embedded API${why === undefined ? '' : ` (not run: ${why})`}`,
  { timeout: hourMs, skip: why !== undefined },
  async ({ title, module, version, pattern, channel, prepare }) => {
    const copy = await fetchModule(module, version);
    try {
      prepare(copy);
      const rows: Row[] = [];
      for (const name of await copy.packages(pattern)) {
        const program = await copy.compile(name, channel === 'experimental' ? [channel] : []);
        const environment = channel === undefined ? {} : { CRD_CHANNEL: channel };
        const runOn = (KUBEBUILDER_ASSETS: string) =>
          runSuite(program, join(copy.directory, name), { ...environment, KUBEBUILDER_ASSETS });
        const ours = await runOn(envtestDirectory());
        const real = realAssets === undefined ? undefined : await runOn(realAssets);
        rows.push({ name, ours, real });
      }
      writeSection(`${title} ${version}`, title, rows);
      // What fails with a real kube-apiserver, too, is not ours to mend.
      const ownFailures = rows.flatMap(({ name, ours, real }) =>
        ours.failed
          .filter((each) => !(real?.failed ?? knownAlike).some((known) => each.startsWith(known)))
          .map((each) => `${name}: ${each}`),
      );
      expect(ownFailures).toEqual([]);
    } finally {
      rmSync(copy.directory, { recursive: true, force: true });
    }
  },
);

/** Failures that a real kube-apiserver 1.36 has as well, on a machine without the world around it. */
const knownAlike = [
  // A message that Kubernetes has changed since.
  'TestHTTPRouteTimeouts/invalid_timeout_request_200ms_less_than_backendRequest_1s',
  // Where there is a /nonexistent.
  'Start method when the healthcheck returns ok when the command cannot be started propagates the error',
  // These download a Kubernetes 1.28.
  'TestApiMachinery/aggregatedDiscovery=false',
  'TestLazyRestMapperProvider/aggregatedDiscovery=false',
];

/** Replaces one table of the page, between its marks. */
function writeSection(heading: string, title: string, rows: readonly Row[]): void {
  const [begin, end] = [`<!-- begin: ${title} -->`, `<!-- end: ${title} -->`];
  const text = readFileSync(page, 'utf8');
  const [before, rest = ''] = text.split(begin);
  const after = rest.split(end)[1] ?? '';
  const cells = (result: SuiteResult | undefined) =>
    result === undefined ? '–' : `${result.passed} / ${result.failed.length}`;
  const table = [
    `| ${heading} | here: passed / failed | a real 1.36: passed / failed |`,
    '|---|--:|--:|',
    ...rows.map(({ name, ours, real }) => `| ${name} | ${cells(ours)} | ${cells(real)} |`),
    `| **all** | ${cells(total(rows.map(({ ours }) => ours)))} | ${cells(totalReal(rows))} |`,
  ].join('\n');
  writeFileSync(page, `${before}${begin}\n${table}\n${end}${after}`);
}

function totalReal(rows: readonly Row[]): SuiteResult | undefined {
  const results = rows.flatMap(({ real }) => (real === undefined ? [] : [real]));
  return results.length === rows.length ? total(results) : undefined;
}

function total(results: readonly SuiteResult[]): SuiteResult {
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    left: results.reduce((sum, { left }) => sum + left, 0),
    failed: results.flatMap(({ failed }) => failed),
  };
}
