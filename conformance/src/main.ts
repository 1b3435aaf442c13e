import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type CaseSources, casesAt, casesOfClone } from './case-sources.ts';
import { readJson } from './data-file.ts';
import type { Driver } from './driver.ts';
import { type KnownFailures, readKnownFailures, writeKnownFailures } from './known-failures.ts';
import { toJson, toPage, toTable } from './report.ts';
import { leftOut, runSuite, type SuiteResult } from './run-suite.ts';

const help = `Runs conformance cases, which are data, against Waygate.

  npm run conformance                        every suite: those of conformance/cases, and of
                                             ../shared/conformance, whose files are newer
  npm run conformance -- --suite kustomize   one suite (may be repeated)
  npm run conformance -- --data DIR          other cases: one folder a suite
  npm run conformance -- --json FILE         the results, case by case
  npm run conformance -- --markdown FILE     the page of docs/compatibility.md
  npm run conformance -- --filter TEXT       only cases whose id contains TEXT
  npm run conformance -- --failures          print every failing case with its reason
  npm run conformance -- --prune             drop lines of the known failures that pass now
  npm run conformance -- --accept            list today's failures as known (reviewed by hand)

Exits with 1 when a case fails that is not listed in conformance/known-failures,
or when a listed one passes (run --prune). With CI set it also fails where cases that
conformance/cases/elsewhere.json names are not in ../shared/conformance, unless
WAYGATE_WITHOUT_SHARED=1 says that this is meant.
`;

const here = dirname(fileURLToPath(import.meta.url));
const workspace = dirname(dirname(here));
const shared = join(workspace, '..', 'shared', 'conformance');

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
  if (values.data !== undefined && !existsSync(values.data)) {
    process.stderr.write(`conformance: there are no cases at ${values.data}\n`);
    return 64;
  }
  const sources =
    values.data === undefined
      ? casesOfClone(join(workspace, 'conformance', 'cases'), shared)
      : casesAt(resolve(values.data));
  if (!isComplete(sources)) return 1;
  const suites = values.suite ?? sources.suites;
  const knownDirectory = join(workspace, 'conformance', 'known-failures');
  const results: SuiteResult[] = [];
  const reasons = new Map<string, KnownFailures>();
  let isClean = true;
  for (const suite of suites) {
    const files = sources.filesOf(suite);
    if (files === undefined) {
      process.stderr.write(
        `conformance: there is no suite ${suite}, but ${sources.suites.join(', ')}\n`,
      );
      return 64;
    }
    const known = readKnownFailures(knownDirectory, suite);
    reasons.set(suite, known);
    const result = await runSuite(await driverOf(suite), files, {
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
  if (values.markdown !== undefined) await writeFile(values.markdown, toPage(results, reasons));
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

/** Says what is not here. Where CI was to have it, that is a failure and not a shorter table. */
function isComplete({ missing }: CaseSources): boolean {
  if (missing.length === 0) return true;
  const isMeant = process.env.WAYGATE_WITHOUT_SHARED === '1';
  const what = `cases made of other projects' test data are not in ../shared/conformance: ${missing.join(', ')}`;
  if (!process.env.CI || isMeant) {
    process.stderr.write(`conformance: runs without them: ${what}\n`);
    return true;
  }
  process.stderr.write(
    `conformance: ${what}\nPut them there, or set WAYGATE_WITHOUT_SHARED=1 to run without them.\n`,
  );
  return false;
}

/**
 * The driver of suite X is `drivers/X.ts`, loaded only when X runs: a room is not paid for, nor able
 * to break the others, when another suite is asked for. A suite that has no driver yet
 * is in the table with all its cases left out: it is not hidden.
 */
async function driverOf(suite: string): Promise<Driver> {
  const file = join(here, 'drivers', `${suite}.js`);
  if (existsSync(file)) {
    const module: { driver: Driver } = await import(pathToFileURL(file).href);
    return module.driver;
  }
  return {
    suite,
    async *cases(files) {
      for (const name of files.names().filter((name) => name.endsWith('.json')))
        yield* leftOut(name, readJson(files, name), 'Waygate does not do this yet');
    },
  };
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
