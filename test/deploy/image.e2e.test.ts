import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Kubectl } from '../apiserver/kubectl.ts';
import { GitHttpsServer } from '../gitops/git-https-server.ts';
import { makeKeys, SshServer } from '../gitops/ssh-server.ts';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { hasProgram, run, workspace } from '../real/processes.ts';
import { until } from '../until.ts';
import { containerfile, imageSettings, startContainer } from './container.ts';
import { type Entry, entriesOf } from './file-entries.ts';
import { OwnMachine } from './own-machine.ts';

// The last step of the build stage is run here, and what it makes is started from an empty root as the last stage of the
// Containerfile says. `buildah.e2e.test.ts` builds the whole file, where there is a builder.

const missing = ['git', 'ssh', 'tini', 'prlimit'].filter((name) => !hasProgram(name));
const problem = missing.length > 0 ? `${missing.join(', ')} is not here` : OwnMachine.problem();
if (problem !== undefined) console.warn(`the image is not made: ${problem}`);

const mostBytes = 150_000_000;

describe.skipIf(problem !== undefined)('the image', () => {
  let home: string;
  let root: string;
  let entries: readonly Entry[];
  let certificates: Certificates;

  const assemble = async (directory: string) => {
    const script = join(workspace, 'scripts/image.mjs');
    const { code, stderr } = await run(process.execPath, [script, directory]);
    if (code !== 0) throw new Error(stderr);
    return entriesOf(directory);
  };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'waygate-image-'));
    chmodSync(home, 0o755);
    root = join(home, 'root');
    mkdirSync(join(home, 'data'));
    chmodSync(join(home, 'data'), 0o777);
    certificates = makeCertificates();
    entries = await assemble(root);
  });

  afterAll(() => {
    for (const directory of [home, certificates?.directory])
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  test('is what the Containerfile makes', () => {
    expect(containerfile).toContain('RUN node scripts/image.mjs /image\n');
    const { copies, user, entrypoint } = imageSettings();
    expect(copies).toEqual(['--from=build /image /']);
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const paths = new Set(entries.map(({ path }) => path));
    for (const word of entrypoint.filter((one) => one.startsWith('/')))
      expect(paths).toContain(word);
  });

  test('is small', () => {
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    expect(bytes).toBeLessThan(mostBytes);
  });

  test('has no shell, no package manager, and nothing that gives rights', () => {
    const names = entries.map(({ path }) => path.split('/').at(-1)!);
    for (const name of ['sh', 'bash', 'dash', 'busybox', 'apt', 'dpkg', 'npm', 'perl'])
      expect(names).not.toContain(name);
    expect(entries.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
    const open = entries.filter(
      ({ mode, line }) => (mode & 0o002) !== 0 && !line.includes(' 120777'),
    );
    expect(open.map(({ path }) => path)).toEqual(['/data', '/tmp']);
  });

  test('comes out the same a second time', async () => {
    const again = await assemble(join(home, 'again'));
    expect(again.map(({ line }) => line)).toEqual(entries.map(({ line }) => line));
    rmSync(join(home, 'again'), { recursive: true });
  });

  test('runs the gateway', async () => {
    const listens = ['proxy', 'proxy-tls', 'admin'].map((name) => `--${name}-listen=127.0.0.1:0`);
    const gateway = startContainer(root, join(home, 'data'), ['gateway', 'run', ...listens]);
    try {
      const url = await until(
        'an address',
        () => /proxy: (http:[^,\s]+)/.exec(gateway.output())?.[1],
      );
      const { stdout } = await run('curl', ['-s', `${url}/`]);
      expect(stdout).toContain('no Route matched');
      await gateway.stop('SIGKILL');
      await expect.poll(async () => (await run('curl', ['-s', `${url}/`])).code).not.toBe(0);
    } finally {
      await gateway.stop('SIGKILL');
    }
  });

  test('fetches from git over HTTPS and SSH, without a shell, and writes only where it may', async () => {
    const kubectl = await Kubectl.start();
    const keys = makeKeys('a pass phrase');
    const ssh = await SshServer.start([keys]);
    const https = await GitHttpsServer.start({
      root: home,
      certificates,
      username: 'reader',
      password: 'word',
    });
    const tree = join(home, 'shop');
    mkdirSync(tree);
    writeFileSync(join(tree, 'a.yaml'), 'a: 1\n');
    const author = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '.'],
      [...author, 'commit', '-qm', 'A'],
    ])
      expect((await run('git', ['-C', tree, ...args])).code).toBe(0);
    writeFileSync(join(home, 'data/kubeconfig'), kubectl.server.kubeconfig, { mode: 0o644 });
    await kubectl.run(['apply', '--server-side', '-k', join(workspace, 'deploy/crds/flux')]);
    const ca = JSON.stringify(readFileSync(certificates.ca, 'utf8'));
    await kubectl.apply(`apiVersion: v1
kind: Secret
metadata: { name: shop, namespace: default }
stringData: { username: reader, password: word, ca.crt: ${ca} }
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: shop, namespace: default }
spec: { interval: 1m, url: "${https.url}/shop", ref: { branch: main }, secretRef: { name: shop } }
---
apiVersion: v1
kind: Secret
metadata: { name: shop-ssh, namespace: default }
stringData:
  identity: ${JSON.stringify(keys.identity)}
  known_hosts: ${JSON.stringify(ssh.knownHosts)}
  password: a pass phrase
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: shop-ssh, namespace: default }
spec: { interval: 1m, url: "${ssh.urlOf(tree)}", ref: { branch: main }, secretRef: { name: shop-ssh } }
`);
    const controller = startContainer(
      root,
      join(home, 'data'),
      [
        ...['controller', '--controllers=source', '--storage-path=/data/storage'],
        ...[
          '--storage-addr=127.0.0.1:0',
          '--health-addr=127.0.0.1:0',
          '--metrics-addr=127.0.0.1:0',
        ],
      ],
      { KUBECONFIG: '/data/kubeconfig' },
    );
    try {
      await kubectl.run([
        'wait',
        'gitrepository',
        '--all',
        '--for=condition=Ready',
        '--timeout=30s',
      ]);
    } catch (error) {
      throw new Error(`${String(error)}\n${controller.output()}`);
    } finally {
      await controller.stop('SIGKILL');
      await https[Symbol.asyncDispose]();
      await ssh[Symbol.asyncDispose]();
      await kubectl.stop();
    }
  });
});
