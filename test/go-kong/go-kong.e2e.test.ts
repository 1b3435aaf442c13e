import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { whyNoGo } from '../apiserver/go-module.ts';
import { runSuite, type SuiteResult } from '../apiserver/go-suite.ts';
import { type Running, start, waygate } from '../real/processes.ts';
import { askAt, fetchGoKong, subjectsOfTests } from './go-kong-module.ts';

const page = new URL('../../docs/compatibility/go-kong.md', import.meta.url);
const begin = '<!-- begin: go-kong -->';
const end = '<!-- end: go-kong -->';

/** What a real Kong 3.9 fails as well, of the releases of go-kong that say so; the page has the reasons. */
const knownAlike = ['TestTargetMarkHealthy', 'TestTargetMarkUnhealthy'];

const why = whyNoGo();

test(`go-kong passes with the gateway${why === undefined ? '' : ` (not run: ${why})`}`, {
  timeout: 900_000,
  skip: why !== undefined,
}, async ({ skip }) => {
  const goKong = await fetchGoKong();
  if (goKong === undefined) return skip('neither Go nor apt can fetch go-kong');
  const database = mkdtempSync(join(tmpdir(), 'waygate-go-kong-database-'));
  const { module, heading } = goKong;
  let gateway = runGateway('127.0.0.1:0', ['--database', database]);
  try {
    const url = await adminUrl(gateway);
    askAt(url, module);
    const program = await module.compile('kong', []);
    const runs = [await runTests(module, program)];
    // The suite has tests for other Kongs, too, and its program knows one address.
    for (const flags of otherKongs(database)) {
      await gateway.stop();
      gateway = runGateway(new URL(url).host, flags);
      await adminUrl(gateway);
      runs.push(await runTests(module, program));
    }
    writePage(heading, runs);
    const failed = runs.flatMap((rows) => [...rows.values()].flatMap((row) => row.failed));
    expect(failed.filter((name) => !knownAlike.includes(name))).toEqual([]);
    expect(runs.map((rows) => total(rows).passed > 0)).toEqual([true, true, true]);
  } finally {
    await gateway.stop();
    for (const each of [database, module.directory]) rmSync(each, { recursive: true, force: true });
  }
});

/** The flags of the ways to run a gateway beside the usual one, in the order of the page's columns. */
function otherKongs(database: string): readonly (readonly string[])[] {
  const other = join(database, 'expressions');
  return [['--database', other, '--router-flavor', 'expressions'], []];
}

function runGateway(admin: string, flags: readonly string[]): Running {
  const listen = ['--proxy-listen', '127.0.0.1:0', '--proxy-tls-listen', '127.0.0.1:0'];
  const all = [...listen, '--admin-listen', admin, ...flags];
  return start(process.execPath, [waygate, 'gateway', 'run', ...all]);
}

async function adminUrl(gateway: Running): Promise<string> {
  return vi.waitFor(
    () => {
      const url = /Admin API: (\S+)/.exec(gateway.output())?.[1];
      if (url === undefined) throw new Error(`no Admin API yet: ${gateway.output()}`);
      return url;
    },
    { timeout: 60_000 },
  );
}

/** The tests by what they are about. */
async function runTests(
  module: { readonly directory: string },
  program: string,
): Promise<ReadonlyMap<string, SuiteResult>> {
  const directory = join(module.directory, 'kong');
  const tests = subjectsOfTests(directory);
  const rows = new Map<string, SuiteResult>();
  for (const subject of [...new Set(tests.values())].sort()) {
    const names = [...tests.keys()].filter((name) => tests.get(name) === subject);
    const result = await runSuite(program, directory, {}, `^(${names.join('|')})$`);
    // Files for Enterprise alone are not compiled.
    if (result.passed + result.left + result.failed.length > 0) rows.set(subject, result);
  }
  return rows;
}

function total(rows: ReadonlyMap<string, SuiteResult>): SuiteResult {
  const all = [...rows.values()];
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.flatMap(({ failed }) => failed),
    left: all.reduce((sum, { left }) => sum + left, 0),
  };
}

/** Replaces the table of the page: a row for each subject, passed / failed / skipped for each run. */
function writePage(heading: string, runs: readonly ReadonlyMap<string, SuiteResult>[]): void {
  const none: SuiteResult = { passed: 0, failed: [], left: 0 };
  const cell = ({ passed, failed, left }: SuiteResult) => `${passed} / ${failed.length} / ${left}`;
  const line = (name: string, results: readonly SuiteResult[]) =>
    `| ${name} | ${results.map(cell).join(' | ')} |`;
  const subjects = [...new Set(runs.flatMap((rows) => [...rows.keys()]))].sort();
  const table = [
    `| ${heading} | database | database, expressions | DB-less |`,
    '|---|--:|--:|--:|',
    ...subjects.map((name) =>
      line(
        name,
        runs.map((rows) => rows.get(name) ?? none),
      ),
    ),
    line('**all**', runs.map(total)),
  ].join('\n');
  const text = readFileSync(page, 'utf8');
  const [before] = text.split(begin);
  const after = text.split(end)[1] ?? '';
  writeFileSync(page, `${before}${begin}\n${table}\n${end}${after}`);
}
