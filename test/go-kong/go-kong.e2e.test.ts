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
  const gateway = runGateway(database);
  try {
    askAt(await adminUrl(gateway), goKong.module);
    const rows = await runTests(goKong.module);
    writePage(goKong.heading, rows);
    const failed = [...rows.values()].flatMap((row) => row.failed);
    expect(failed.filter((name) => !knownAlike.includes(name))).toEqual([]);
    expect([...rows.values()].some(({ passed }) => passed > 0)).toBe(true);
  } finally {
    await gateway.stop();
    for (const each of [database, goKong.module.directory])
      rmSync(each, { recursive: true, force: true });
  }
});

function runGateway(database: string): Running {
  const ports = ['--proxy-listen', '--proxy-tls-listen', '--admin-listen'];
  const free = ports.flatMap((flag) => [flag, '127.0.0.1:0']);
  return start(process.execPath, [waygate, 'gateway', 'run', '--database', database, ...free]);
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

async function runTests(module: {
  readonly directory: string;
  compile(name: string, tags: readonly string[]): Promise<string>;
}): Promise<ReadonlyMap<string, SuiteResult>> {
  const program = await module.compile('kong', []);
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

/** Replaces the table of the page. */
function writePage(heading: string, rows: ReadonlyMap<string, SuiteResult>): void {
  const line = (name: string, { passed, failed, left }: SuiteResult) =>
    `| ${name} | ${passed} | ${failed.length} | ${left} |`;
  const all = [...rows.values()];
  const table = [
    `| ${heading} | passed | failed | skipped |`,
    '|---|--:|--:|--:|',
    ...Array.from(rows, ([name, result]) => line(name, result)),
    line('**all**', {
      passed: all.reduce((sum, { passed }) => sum + passed, 0),
      failed: all.flatMap(({ failed }) => failed),
      left: all.reduce((sum, { left }) => sum + left, 0),
    }),
  ].join('\n');
  const text = readFileSync(page, 'utf8');
  const [before] = text.split(begin);
  const after = text.split(end)[1] ?? '';
  writeFileSync(page, `${before}${begin}\n${table}\n${end}${after}`);
}
