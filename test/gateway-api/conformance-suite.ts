import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, run } from '../real/processes.ts';
import { echoModule, echoStandIn, lastWithEcho } from './echo-module.ts';

/** What Go made of a release of the Gateway API: the unmodified suite, its echo server, its definitions. */
export interface ConformanceSuite {
  readonly version: string;
  readonly program: string;
  readonly echoProgram: string;
  /** The manifests of the kinds, of the experimental channel. */
  readonly definitions: readonly string[];
}

const buildMs = 600_000;
const api = 'sigs.k8s.io/gateway-api';

/** Finds the suite in a cache, or has Go build it when that was asked for; else says why not. */
export async function findSuite(version: string): Promise<ConformanceSuite | string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const directory = join(cache, 'waygate', `gateway-api-${version}`);
  const found = suiteIn(directory, version);
  if (existsSync(found.program) && existsSync(found.echoProgram))
    return { ...found, definitions: definitionsIn(directory) };
  if (!hasProgram('go')) return 'there is no go';
  if (process.env.WAYGATE_GO_INSTALL !== '1')
    return 'the suite is not here; WAYGATE_GO_INSTALL=1 lets go build it';
  const problem = await build(directory, version);
  return problem ?? { ...found, definitions: definitionsIn(directory) };
}

function suiteIn(directory: string, version: string) {
  return {
    version,
    program: join(directory, 'conformance.test'),
    echoProgram: join(directory, 'echo-basic'),
  };
}

function definitionsIn(directory: string): string[] {
  const definitions = join(directory, 'definitions');
  return readdirSync(definitions)
    .filter((name) => name.startsWith('gateway.networking'))
    .map((name) => readFileSync(join(definitions, name), 'utf8'));
}

/** A module of its own that asks for the release: the suite is built as it was published. */
async function build(directory: string, version: string): Promise<string | undefined> {
  mkdirSync(directory, { recursive: true });
  // Since 1.5 the suite is a module of its own.
  const hasOwnModule = !/^1\.[0-4]\./.test(version);
  // Since 1.7 its echo server is, too.
  const hasOwnImages = !/^1\.[0-6]\./.test(version);
  const modules = hasOwnModule ? [api, `${api}/conformance`] : [api];
  const moduleFile = join(directory, 'go.mod');
  writeFileSync(moduleFile, 'module suite\n');
  const { program, echoProgram } = suiteIn(directory, version);
  const go = (...args: string[]) =>
    run('env', ['-C', directory, 'GOTOOLCHAIN=auto', 'GOFLAGS=-mod=mod', 'go', ...args], {
      timeoutMs: buildMs,
    });
  if (hasOwnImages && (await go('mod', 'download', `${echoModule}@latest`)).code !== 0) {
    const { stdout } = await go('mod', 'download', '-json', lastWithEcho);
    const { Dir: source } = JSON.parse(stdout) as { Dir: string };
    writeFileSync(moduleFile, `module suite\n\n${echoStandIn(directory, source)}`);
  }
  for (const args of [
    // This also takes the version of Go that the release asks for.
    ['get', ...modules.map((module) => `${module}@v${version}`)],
    ['build', '-o', echoProgram, `${hasOwnImages ? echoModule : `${api}/conformance`}/echo-basic`],
    ['test', '-vet=off', '-c', '-o', program, `${api}/conformance`],
  ]) {
    const { code, stderr } = await go(...args);
    if (code !== 0) return `go could not build the suite: ${stderr.trim().split('\n').at(-1)}`;
  }
  const { stdout } = await go('list', '-m', '-f', '{{.Dir}}', api);
  const source = join(stdout.trim(), 'config', 'crd', 'experimental');
  const target = join(directory, 'definitions');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const name of readdirSync(source))
    if (name.endsWith('.yaml')) writeFileSync(join(target, name), readFileSync(join(source, name)));
  return undefined;
}
