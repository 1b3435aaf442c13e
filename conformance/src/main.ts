import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Driver } from './driver.ts';
import { readKnownFailures, writeKnownFailures } from './known-failures.ts';
import { toJson, toPage, toTable } from './report.ts';
import { runSuite, type SuiteResult } from './run-suite.ts';

const help = `Runs conformance cases, which are data, against Waygate.

  npm run conformance                        every suite of ../shared/conformance
  npm run conformance -- --suite kustomize   one suite (may be repeated)
  npm run conformance -- --data DIR          other cases: one folder a suite
  npm run conformance -- --json FILE         the results, case by case
  npm run conformance -- --markdown FILE     the page of docs/compatibility.md
  npm run conformance -- --filter TEXT       only cases whose id contains TEXT
  npm run conformance -- --failures          print every failing case with its reason
  npm run conformance -- --prune             drop lines of the known failures that pass now
  npm run conformance -- --accept            list today's failures as known (reviewed by hand)

Exits with 1 when a case fails that is not listed in conformance/known-failures,
or when a listed one passes (run --prune).
`;

const here = dirname(fileURLToPath(import.meta.url));
const workspace = dirname(dirname(here));

process.exitCode = await main();

async function main(): Promise<number> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch (error) {
    process.stderr.write(`conformance: ${(error as Error).message}\n\n${help}`);
    return 64;
  }
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const data = resolve(values.data ?? join(workspace, '..', 'shared', 'conformance'));
  if (!existsSync(data)) {
    process.stderr.write(`conformance: there are no cases at ${data}; give a folder with --data\n`);
    return 64;
  }
  const suites = values.suite ?? (await suitesIn(data));
  const knownDirectory = join(workspace, 'conformance', 'known-failures');
  const results: SuiteResult[] = [];
  let isClean = true;
  for (const suite of suites) {
    if (!existsSync(join(data, suite))) {
      process.stderr.write(`conformance: there is no suite ${suite} at ${data}\n`);
      return 64;
    }
    const known = readKnownFailures(knownDirectory, suite);
    const result = await runSuite(await driverOf(suite), join(data, suite), {
      known,
      filter: values.filter,
      caseTimeoutMs: Number(values['case-timeout-ms'] ?? 30_000),
    });
    results.push(result);
    const isSettled = settle(result, known, knownDirectory, values);
    isClean &&= isSettled;
  }
  process.stdout.write(`${toTable(results)}\n`);
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify(toJson(results), null, 1)}\n`);
  if (values.markdown !== undefined) await writeFile(values.markdown, toPage(results));
  return isClean ? 0 : 1;
}

function parse() {
  return parseArgs({
    options: {
      suite: { type: 'string', multiple: true },
      data: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      filter: { type: 'string' },
      failures: { type: 'boolean' },
      prune: { type: 'boolean' },
      accept: { type: 'boolean' },
      'case-timeout-ms': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

async function suitesIn(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * The driver of suite X is `drivers/X.ts`, loaded only when X runs: a room is not paid for, nor able
 * to break the others, when another suite is asked for. A suite that has no driver yet
 * is in the table with no cases: it is not hidden.
 */
async function driverOf(suite: string): Promise<Driver> {
  const file = join(here, 'drivers', `${suite}.js`);
  if (existsSync(file)) {
    const module: { driver: Driver } = await import(pathToFileURL(file).href);
    return module.driver;
  }
  process.stderr.write(`conformance: no driver for suite ${suite} yet
`);
  return { suite, async *cases() {} };
}

/** Compares a suite's result with its list of known failures; true when the list holds. */
function settle(
  result: SuiteResult,
  known: ReadonlyMap<string, string>,
  directory: string,
  options: { failures?: boolean; prune?: boolean; accept?: boolean },
): boolean {
  const { suite, unexpectedFailures, unexpectedPasses } = result;
  if (options.failures) {
    for (const { id, outcome } of result.cases)
      if (outcome.kind === 'fail') process.stderr.write(`FAIL ${suite} ${id}: ${outcome.reason}\n`);
  }
  if (options.accept || options.prune) {
    const next = new Map(known);
    for (const id of unexpectedPasses) next.delete(id);
    if (options.accept)
      for (const { id, outcome } of unexpectedFailures)
        if (outcome.kind === 'fail') next.set(id, firstLine(outcome.reason));
    writeKnownFailures(directory, suite, next);
    return options.accept === true || unexpectedFailures.length === 0;
  }
  for (const { id, outcome } of unexpectedFailures) {
    if (options.failures || outcome.kind !== 'fail') continue;
    process.stderr.write(`FAIL ${suite} ${id}: ${firstLine(outcome.reason)}\n`);
  }
  for (const id of unexpectedPasses)
    process.stderr.write(`PASS ${suite} ${id}: listed as a known failure; run --prune\n`);
  return unexpectedFailures.length === 0 && unexpectedPasses.length === 0;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.slice(0, 300);
}
