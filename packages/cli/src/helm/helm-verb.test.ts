import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunResult, runInProcess } from '../run-in-process.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waygate-charts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function putChart(directory: string, name = 'web', version = '1.0.0'): void {
  put(`${directory}/Chart.yaml`, `apiVersion: v2\nname: ${name}\nversion: ${version}\n`);
  put(`${directory}/values.yaml`, 'size: 1\n');
  put(
    `${directory}/templates/config.yaml`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  size: "{{ .Values.size }}"\n',
  );
}

function waygate(args: string[], env: Record<string, string> = {}): Promise<RunResult> {
  return runInProcess(args, { cwd: root, env: { HOME: root, ...env } });
}

describe('template', () => {
  test("takes Helm's flags, also those that the program has itself", async () => {
    putChart('chart');
    put('more.yaml', 'size: 2\n');
    const { exitCode, stdout, stderr } = await waygate([
      'template',
      'r',
      './chart',
      '-f',
      'more.yaml',
      '--set=size=3',
      '--version',
      '9',
      '-n',
      'ns',
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      '---\n# Source: web/templates/config.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: r\ndata:\n  size: "3"\n',
    );
  });

  test('reads values from standard input', async () => {
    putChart('chart');
    const { stdout } = await runInProcess(['template', './chart', '-f', '-'], {
      cwd: root,
      stdin: 'size: 7\n',
    });
    expect(stdout).toContain('size: "7"');
  });

  test('follows Helm 3 where it is asked to', async () => {
    putChart('chart');
    put('chart/values.yaml', 'size: {{\n');
    const three = await waygate(['template', './chart', '--helm', '3']);
    const four = await waygate(['template', './chart', '--helm=4']);
    expect(three.stderr).toMatch(/^Error: cannot load values.yaml: error converting/);
    expect(four.stderr).toMatch(
      /^Error: cannot load values.yaml: cannot unmarshal yaml document: /,
    );
    expect((await waygate(['template', './chart'], { WAYGATE_HELM: '3' })).stderr).toBe(
      three.stderr,
    );
    expect((await waygate(['template', './chart', '--helm', '5'])).exitCode).toBe(64);
  });

  test('brings nothing from outside of the chart', async () => {
    putChart('chart');
    put('secret.txt', 'secret');
    symlinkSync(join(root, 'secret.txt'), join(root, 'chart', 'leak.txt'));
    const { exitCode, stderr } = await waygate(['template', './chart']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('leak.txt is a link that leads out of the chart');
  });

  test('shares files with what else is in its Git work tree, but for what is in .git', async () => {
    putChart('repository/chart');
    put('repository/.git/config', 'a password');
    put('repository/shared/greeting.txt', 'hello');
    put(
      'repository/chart/templates/map.yaml',
      'greeting: {{ .Files.Get "shared/greeting.txt" }}\n',
    );
    symlinkSync('../shared', join(root, 'repository/chart/shared'));
    expect((await waygate(['template', './repository/chart'])).stdout).toContain('greeting: hello');
    symlinkSync('../.git/config', join(root, 'repository/chart/leak.txt'));
    const { exitCode, stderr } = await waygate(['template', './repository/chart']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('leak.txt is a link that leads out of the chart');
  });
});

describe('build', () => {
  const kustomization = (more: string) =>
    `helmCharts:\n- name: web\n  releaseName: r\n  namespace: ns\n  valuesInline: {size: 5}\n${more}`;

  test('renders the charts of a kustomization without any helm', async () => {
    putChart('charts/web');
    put('kustomization.yaml', kustomization(''));
    const { exitCode, stdout, stderr } = await waygate(['build', '.', '--enable-helm'], {
      PATH: '',
    });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'apiVersion: v1\ndata:\n  size: "5"\nkind: ConfigMap\nmetadata:\n  name: r\n',
    );
    const again = await waygate(['build', '.', '--enable-helm'], { PATH: '' });
    expect(again.stdout).toBe(stdout);
  });

  test('says what is wrong with a chart, and starts a helm only when told which', async () => {
    putChart('charts/web');
    put('charts/web/templates/config.yaml', '{{ fail "no good" }}\n');
    put('kustomization.yaml', kustomization(''));
    const { exitCode, stderr } = await waygate(['build', '.', '--enable-helm'], { PATH: '' });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('no good');
    const named = await waygate(['build', '.', '--enable-helm', '--helm-command', '/nope/helm']);
    expect(named.stderr).toContain('/nope/helm');
  });
});

describe('a repository over HTTP', () => {
  let server: Server;
  const paths = new Map<string, Buffer | string>();
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    paths.clear();
    server = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
      const found = paths.get(request.url ?? '');
      response.statusCode = found === undefined ? 404 : 200;
      response.end(found ?? '');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterEach(() => new Promise((done) => server.close(done)));

  function url(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function publish(name: string, version: string, digest?: string): Promise<void> {
    putChart(`made/${name}`, name, version);
    await waygate(['package', `made/${name}`, '-d', 'made']);
    const archive = readFileSync(join(root, `made/${name}-${version}.tgz`));
    const hash = digest ?? createHash('sha256').update(archive).digest('hex');
    paths.set(`/${name}-${version}.tgz`, archive);
    paths.set(
      '/index.yaml',
      `apiVersion: v1\nentries:\n  ${name}:\n  - {name: ${name}, version: ${version}, digest: ${hash}, urls: [${name}-${version}.tgz]}\n`,
    );
  }

  test('is pulled from and rendered from', async () => {
    await publish('web', '1.2.3');
    const pulled = await waygate(['pull', 'web', '--repo', url(), '--version', '^1', '--untar']);
    expect([pulled.exitCode, pulled.stderr]).toEqual([0, '']);
    expect(readFileSync(join(root, 'web/values.yaml'), 'utf8')).toBe('size: 1\n');
    const again = await waygate(['pull', 'web', '--repo', url(), '--untar']);
    expect(again.stderr).toBe(
      'Error: failed to untar: a file or directory with the name web already exists\n',
    );
    const missing = await waygate(['template', 'r', 'other', '--repo', url()]);
    expect(missing.stderr).toBe(`Error: chart "other" not found in ${url()} repository\n`);
  });

  test('that does not give what it promised is not believed', async () => {
    await publish('app', '1.0.0', '00'.repeat(32));
    const { exitCode, stderr } = await waygate(['template', 'r', 'app', '--repo', url()]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is not what the index of its repository promised');
  });

  test('that is known by a name gets its credentials, and others do not', async () => {
    await publish('app', '1.0.0');
    put(
      '.config/helm/repositories.yaml',
      `repositories:\n- {name: own, url: "${url()}", username: u, password: p}\n`,
    );
    const { exitCode, stdout } = await waygate(['template', 'r', 'own/app']);
    expect([exitCode, stdout.includes('name: r')]).toEqual([0, true]);
    expect(asked).toEqual([
      `/index.yaml Basic ${Buffer.from('u:p').toString('base64')}`,
      `/app-1.0.0.tgz Basic ${Buffer.from('u:p').toString('base64')}`,
    ]);
  });

  test('brings dependencies, whole or not at all', async () => {
    await publish('kid', '1.0.0');
    put(
      'top/Chart.yaml',
      `apiVersion: v2\nname: top\nversion: 1.0.0\ndependencies:\n- {name: kid, version: ~1.0, repository: "${url()}"}\n`,
    );
    const first = await waygate(['dependency', 'update', 'top']);
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    const lock = readFileSync(join(root, 'top/Chart.lock'), 'utf8');
    expect(lock).toContain('  version: 1.0.0\n');
    expect((await waygate(['dependency', 'list', 'top'])).stdout).toContain('\tok');
    await waygate(['dependency', 'update', 'top']);
    expect(readFileSync(join(root, 'top/Chart.lock'), 'utf8')).toBe(lock);
    paths.delete('/kid-1.0.0.tgz');
    const cut = await waygate(['dependency', 'update', 'top']);
    expect(cut.exitCode).toBe(1);
    expect(readFileSync(join(root, 'top/charts/kid-1.0.0.tgz')).length).toBeGreaterThan(100);
  });
});

describe('--verify', () => {
  test('takes a chart that is signed by a known key, and no other', async () => {
    const { createCleartextMessage, generateKey, readPrivateKey, sign } = await import('openpgp');
    const made = await generateKey({ userIDs: [{ name: 'Ann', email: 'ann@example.org' }] });
    const other = await generateKey({ userIDs: [{ name: 'Bob' }] });
    putChart('chart');
    await waygate(['package', 'chart']);
    const archive = readFileSync(join(root, 'web-1.0.0.tgz'));
    const hash = createHash('sha256').update(archive).digest('hex');
    const text = `name: web\nversion: 1.0.0\n\n...\nfiles:\n  web-1.0.0.tgz: sha256:${hash}\n`;
    const signingKeys = await readPrivateKey({ armoredKey: made.privateKey });
    put('ring.asc', made.publicKey);
    put('strangers.asc', other.publicKey);
    put(
      'web-1.0.0.tgz.prov',
      await sign({ message: await createCleartextMessage({ text }), signingKeys }),
    );
    const verify = (ring: string) =>
      waygate(['template', 'r', './web-1.0.0.tgz', '--verify', '--keyring', ring]);
    expect((await verify('ring.asc')).exitCode).toBe(0);
    expect((await verify('strangers.asc')).stderr).toContain('signature made by unknown entity');
    expect((await verify('nope.asc')).stderr).toContain('failed to load keyring');
    writeFileSync(join(root, 'web-1.0.0.tgz'), Buffer.concat([archive, Buffer.from('x')]));
    expect((await verify('ring.asc')).stderr).toContain('sha256 sum does not match');
    rmSync(join(root, 'web-1.0.0.tgz.prov'));
    expect((await verify('ring.asc')).stderr).toContain('could not load provenance file');
  });
});

describe('package --sign', () => {
  test('signs what --verify takes, with a key that is opened by its passphrase', async () => {
    const { generateKey } = await import('openpgp');
    const userIDs = [{ name: 'Ann', email: 'ann@example.org' }];
    const made = await generateKey({ userIDs, passphrase: 'open sesame' });
    putChart('chart');
    put('secret.asc', made.privateKey);
    put('ring.asc', made.publicKey);
    put('words', 'open sesame\n');
    put('wrong', 'open barley\n');
    const sign = (...flags: string[]) => waygate(['package', 'chart', '--sign', ...flags]);
    const key = ['--key', 'Ann', '--keyring', 'secret.asc'];
    expect((await sign(...key, '--passphrase-file', 'words')).exitCode).toBe(0);
    const provenance = readFileSync(join(root, 'web-1.0.0.tgz.prov'), 'utf8');
    expect(provenance).toMatch(/^-----BEGIN PGP SIGNED MESSAGE-----\r?\nHash: SHA512/);
    const verified = ['template', 'r', './web-1.0.0.tgz', '--verify', '--keyring', 'ring.asc'];
    expect((await waygate(verified)).exitCode).toBe(0);
    const refusals = [
      [await sign(), '--key is required for signing a package'],
      [await sign(...key), '--passphrase-file'],
      [await sign(...key, '--passphrase-file', 'wrong'), 'does not open with this passphrase'],
      [await sign('--key', 'Bob', '--keyring', 'secret.asc'), 'private key not found'],
      [await sign('--key', 'Ann', '--keyring', 'ring.asc'), 'is not a private key'],
    ] as const;
    for (const [{ exitCode, stderr }, words] of refusals) {
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)]);
    }
  });
});
