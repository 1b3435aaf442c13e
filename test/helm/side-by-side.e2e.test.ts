import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../../packages/cli/src/run-in-process.ts';
import { ChartRegistry } from '../../packages/gitops/src/testing/chart-registry.ts';
import { type FoundHelm, findHelms } from '../deploy/helm.ts';
import { hasProgram, run, waygate, workspace } from '../real/processes.ts';
import { commandLines, stageFiles } from './command-lines.ts';
import { rareCommandLines } from './rare-command-lines.ts';

/** Lines that leave files behind, which lines after them read. */
const leavesFiles =
  /^(package|pull|fetch|dep(endency)? (up|update|build))\b|--output-dir|--dependency-update| -u\b/;

// All that leave files and half of the others, another half for about every second commit: CI has no time for all of them.
// WAYGATE_HELM_LINES=all runs them all the same, WAYGATE_HELM_LINES=oci only those that this pattern finds.
const asked = process.env.WAYGATE_HELM_LINES;
const isAsked = new RegExp(asked === 'all' ? '' : (asked ?? ''), 'i');
const half = commitNumber() % 2;
const lines = [...commandLines, ...rareCommandLines].filter((line, index) =>
  asked === undefined ? leavesFiles.test(line) || index % 2 === half : isAsked.test(line),
);

/** The first line of each verb, which ours is started for as people start it; for the others it is at hand already. */
const started = new Set(
  new Map(
    lines.toReversed().map((line) => [/^\w+( (?!nope|web)[a-z]+(?= |$))?/.exec(line)?.[0], line]),
  ).values(),
);

const { helms, problems } = await findHelms();
for (const problem of problems) console.warn(`Command lines are not compared: ${problem}`);

let root: string;
let repository: Server;
let registry: ChartRegistry;
const places: Record<string, string> = {};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waygate-side-'));
  repository = createServer((request, response) => {
    try {
      response.end(readFileSync(join(root, 'repository', request.url ?? '')));
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => repository.once('listening', resolve));
  registry = await ChartRegistry.start();
  places.REPO = `http://127.0.0.1:${(repository.address() as AddressInfo).port}`;
  places.OCI = registry.urlOf('charts');
  putStage(join(root, 'stage'));
  mkdirSync(join(root, 'repository'));
  const [helm] = helms;
  if (helm === undefined) return;
  for (const version of ['1.0.0', '1.2.3', '2.0.0-rc.1']) {
    const args = ['package', join(root, 'stage/web'), '--version', version];
    await run(helm.path, [...args, '-d', join(root, 'repository')]);
    const packed = readFileSync(join(root, 'repository', `web-${version}.tgz`));
    registry.push('charts/web', version, packed);
  }
  await run(helm.path, ['repo', 'index', join(root, 'repository')]);
}, 60_000);

afterAll(async () => {
  repository.close();
  await registry[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

/** The same for a commit whenever it is tested. */
function commitNumber(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: workspace, encoding: 'utf8' });
  return Number.parseInt(stdout.trim().slice(-6), 16) || 0;
}

function putStage(directory: string): void {
  for (const [path, text] of Object.entries(stageFiles)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text.replace('REPO', places.REPO ?? ''));
  }
}

/** One of both, run to its end in a directory. */
type Program = (
  words: readonly string[],
  options: { cwd: string; env: Record<string, string> },
) => Promise<{ code: number; stdout: string; stderr: string }>;

const programAt =
  (command: string, ...first: string[]): Program =>
  (words, options) =>
    run(command, [...first, ...words], options);

/** What a process of ours would do, without its start. */
const atHand: Program = async (words, options) => {
  const { exitCode, ...printed } = await runInProcess(words, options);
  return { code: exitCode, ...printed };
};

/** What a command line printed and which files are there after it, without what is each run's own. */
async function outcomeOf(program: Program, line: string, cwd: string, env = {}) {
  const words = line.split(' ').map((word) => word.replace(/REPO|OCI/, (name) => places[name]!));
  const { code, stdout, stderr } = await program(words, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: join(cwd, '.home'), TZ: 'UTC', ...env },
  });
  const plain = (text: string) =>
    text
      .replaceAll(cwd, 'HERE')
      .replaceAll(/(time=)?"?20\d\d[-/]\d\d[-/]\d\d[T ][\d:.]+(Z|[-+][\d:]+)?"?/g, 'TIME')
      .replaceAll(/ m=\+[\d.]+/g, ' m=+0')
      // Helm writes to a file of a name of its own first.
      .replaceAll(/\.tgz\d+:/g, '.tgz:')
      .replaceAll(/via 'helm repo add'|via a file of repositories.*/g, 'HINT');
  const files = readdirSync(cwd, { recursive: true }).map(String);
  return {
    code,
    stdout: plain(stdout),
    // Warnings come in no order.
    stderr: plain(stderr).split('\n').sort(),
    files: files.filter((path) => !path.startsWith('.home')).sort(),
  };
}

describe.concurrent.each(helms)('command lines and Helm $major', ({ path, major }: FoundHelm) => {
  test(
    `${lines.length} print what the real helm prints, end as it ends and leave the same files`,
    async ({ expect }) => {
      const [theirs, ours] = ['theirs', 'ours'].map((name) => join(root, `${name}-${major}`));
      for (const directory of [theirs!, ours!]) {
        cpSync(join(root, 'stage'), directory, { recursive: true });
      }
      const real = programAt(path);
      const ourProcess = programAt(process.execPath, waygate);
      for (const line of lines) {
        const own = started.has(line) ? ourProcess : atHand;
        const [expected, actual] = await Promise.all([
          outcomeOf(real, line, theirs!),
          outcomeOf(own, line, ours!, { WAYGATE_HELM: String(major) }),
        ]);
        expect.soft(actual, line).toEqual(expected);
      }
    },
    lines.length * 10_000,
  );

  test.skipIf(!hasProgram('gpg'))(
    'a chart that one of both signed is verified by the other',
    async ({ expect }) => {
      const cwd = join(root, `signed-${major}`);
      cpSync(join(root, 'stage'), cwd, { recursive: true });
      const home = join(cwd, 'keys');
      mkdirSync(home, { mode: 0o700 });
      const gpg = (...args: string[]) => run('gpg', ['--homedir', home, '--batch', ...args]);
      const made = ['--passphrase', '', '--quick-generate-key', 'signer@example.com', 'rsa2048'];
      expect(await gpg(...made)).toMatchObject({ code: 0 });
      const [secret, known] = ['secret.gpg', 'known.gpg'].map((name) => join(cwd, name));
      await gpg('--output', secret!, '--export-secret-keys');
      await gpg('--output', known!, '--export');
      await run('gpgconf', ['--homedir', home, '--kill', 'all']);
      const sign = [
        'package',
        'web',
        '--sign',
        '--key',
        'signer@example.com',
        '--keyring',
        secret!,
      ];
      const own = [waygate, ...sign, '-d', 'ours'];
      expect(await run(process.execPath, own, { cwd })).toMatchObject({ code: 0 });
      expect(await run(path, [...sign, '-d', 'theirs'], { cwd })).toMatchObject({ code: 0 });
      const verified = await run(path, ['verify', 'ours/web-1.2.3.tgz', '--keyring', known!], {
        cwd,
      });
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed by:') });
      const check = ['show', 'chart', 'theirs/web-1.2.3.tgz', '--verify', '--keyring', known!];
      const shown = await run(process.execPath, [waygate, ...check], { cwd });
      expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('name: web') });
      // A letter of the archive is another: neither takes it.
      for (const name of ['ours', 'theirs']) {
        const archive = join(cwd, name, 'web-1.2.3.tgz');
        const bytes = readFileSync(archive);
        bytes[bytes.length - 1]! ^= 1;
        writeFileSync(archive, bytes);
      }
      expect((await run(process.execPath, [waygate, ...check], { cwd })).stderr).toContain(
        'sha256 sum does not match',
      );
      expect(
        await run(path, ['verify', 'ours/web-1.2.3.tgz', '--keyring', known!], { cwd }),
      ).toMatchObject({ code: 1 });
    },
    120_000,
  );
});

test.skipIf(helms.length > 0)('there is no helm to compare command lines with', () => {
  expect(problems).not.toEqual([]);
});
