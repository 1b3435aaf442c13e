import { chmodSync, cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { hasProgram, run } from '../real/processes.ts';

const minuteMs = 60_000;

/** A copy of a Go module that may be written in: suites write beside themselves. */
export interface GoModule {
  readonly directory: string;
  readonly version: string;
  /** The packages that have tests, relative to the module. */
  packages(pattern: string): Promise<readonly string[]>;
  /** Compiles the tests of a package; the path of the program. */
  compile(name: string, tags: readonly string[]): Promise<string>;
  /** Runs Go in it; what it printed. */
  go(args: readonly string[]): Promise<string>;
}

/** Why Go's suites are not run here; undefined when they are. They take minutes of both cores. */
export function whyNoGo(): string | undefined {
  if (!hasProgram('go')) return 'there is no go';
  if (process.env.WAYGATE_GO_INSTALL !== '1')
    return 'WAYGATE_GO_INSTALL=1 lets go fetch and build it';
  return undefined;
}

/** Fetches a module and copies it to a directory of its own. */
export async function fetchModule(path: string, version: string): Promise<GoModule> {
  const found = await go(['mod', 'download', '-json', `${path}@${version}`], tmpdir());
  const { Dir: source, Version } = JSON.parse(found) as { Dir: string; Version: string };
  return copyModule(source, Version);
}

/** Copies a module that is there to a directory of its own. */
export function copyModule(source: string, version: string): GoModule {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-go-module-'));
  cpSync(source, directory, { recursive: true });
  makeWritable(directory);
  return {
    directory,
    version,
    go: (args) => go(args, directory),
    async packages(pattern) {
      const filter = '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}';
      const lines = (await go(['list', '-f', filter, pattern], directory)).split('\n');
      return lines.filter((line) => line !== '').map((line) => relative(directory, line) || '.');
    },
    async compile(name, tags) {
      const program = join(directory, `${name.replaceAll('/', '_')}.test`);
      const args = [
        'test',
        '-vet=off',
        `-tags=${tags.join(',')}`,
        '-c',
        '-o',
        program,
        `./${name}`,
      ];
      await go(args, directory);
      return program;
    },
  };
}

/** The module cache is read-only, and has no programs in it: the scripts of suites must become some. */
function makeWritable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) makeWritable(path);
    else chmodSync(path, entry.name.endsWith('.sh') ? 0o755 : 0o644);
  }
}

async function go(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run('go', args, { cwd, timeoutMs: 15 * minuteMs });
  if (code !== 0) throw new Error(`go ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}
