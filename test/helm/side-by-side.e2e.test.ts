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
import { ChartRegistry } from '../../packages/gitops/src/testing/chart-registry.ts';
import { type FoundHelm, findHelms } from '../deploy/helm.ts';
import { hasProgram, run, waygate } from '../real/processes.ts';
import { commandLines, stageFiles } from './command-lines.ts';
import { rareCommandLines } from './rare-command-lines.ts';

// WAYGATE_HELM_LINES=oci: only the lines that this pattern finds.
const wanted = new RegExp(process.env.WAYGATE_HELM_LINES ?? '', 'i');
const lines = [...commandLines, ...rareCommandLines].filter((line) => wanted.test(line));

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

function putStage(directory: string): void {
  for (const [path, text] of Object.entries(stageFiles)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text.replace('REPO', places.REPO ?? ''));
  }
}

/** What a command line printed and which files are there after it, without what is each run's own. */
async function outcomeOf(command: readonly string[], line: string, cwd: string, env = {}) {
  const words = line.split(' ').map((word) => word.replace(/REPO|OCI/, (name) => places[name]!));
  const [program = '', ...args] = command;
  const { code, stdout, stderr } = await run(program, [...args, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: join(cwd, '.home'), TZ: 'UTC', ...env },
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

describe.each(helms)('command lines and Helm $major', ({ path, major }: FoundHelm) => {
  test(
    `${lines.length} print what the real helm prints, end as it ends and leave the same files`,
    async () => {
      const [theirs, ours] = ['theirs', 'ours'].map((name) => join(root, `${name}-${major}`));
      for (const directory of [theirs!, ours!]) {
        cpSync(join(root, 'stage'), directory, { recursive: true });
      }
      const own = [process.execPath, waygate];
      for (const line of lines) {
        const [real, native] = await Promise.all([
          outcomeOf([path], line, theirs!),
          outcomeOf(own, line, ours!, { WAYGATE_HELM: String(major) }),
        ]);
        expect.soft(native, line).toEqual(real);
      }
    },
    lines.length * 10_000,
  );

  test.skipIf(!hasProgram('gpg'))(
    'a chart that one of both signed is verified by the other',
    async () => {
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
