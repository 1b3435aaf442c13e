import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../code-blocks.ts';
import { run as runProgram, start } from '../real/processes.ts';

// The package as somebody has it who has no clone: one tarball, installed without a network into an empty
// directory.

let home = '';
let tarball = '';
let server: Server;

/** Nothing of this clone or of the npm that runs the tests leads the installed program back here. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|INIT_CWD|KUBECONFIG$)/i.test(name)),
);
const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: home, env, encoding: 'utf8' });
const waygate = (...args: string[]) => run('npx', '--no', '--', 'waygate', ...args);
const program = () => join(home, 'node_modules/waygate/bin/waygate.js');

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-installed-'));
  // What it keeps for its next start goes with it.
  process.env.XDG_CACHE_HOME = env.XDG_CACHE_HOME = join(home, 'cache');
  process.env.XDG_STATE_HOME = env.XDG_STATE_HOME = join(home, 'state');
  server = createServer((_, response) => response.end('from the backend\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  writeFiles(manifests((server.address() as AddressInfo).port));
  const packed = spawnSync(process.execPath, [join(root, 'scripts/pack.mjs'), home], {
    encoding: 'utf8',
  });
  expect(packed.stderr).toMatch(/MB, \d+ files/);
  tarball = packed.stdout.trim();
  const installed = run('npm', 'install', '--offline', '--no-audit', '--no-fund', tarball);
  expect(installed.status, installed.stderr).toBe(0);
});

afterAll(() => {
  server.close();
  rmSync(home, { recursive: true, force: true });
});

describe('the package, installed in an empty directory', () => {
  test('is alone and small, and has nothing in it that only builds need', () => {
    const below = join(home, 'node_modules');
    expect(readdirSync(below).filter((name) => !name.startsWith('.'))).toEqual(['waygate']);
    expect(existsSync(join(below, 'waygate/node_modules'))).toBe(false);
    const files = readdirSync(join(below, 'waygate'), { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md']));
    expect(files.filter((name) => /tsbuildinfo|\.map$|\.test\.|[^d]\.ts$/.test(name))).toEqual([]);
    const { status, stdout } = run('tar', '--list', '--verbose', '--file', tarball);
    expect(status).toBe(0);
    const bytes = stdout
      .split('\n')
      .reduce((sum, line) => sum + Number(line.split(/\s+/)[2] ?? 0), 0);
    expect(bytes).toBeLessThan(9_000_000);
  });

  test('prints its version, also as a library', () => {
    expect(waygate('version').stdout).toMatch(/^waygate \d+\.\d+\.\d+ \(Node\.js /);
    const script = "import { main } from 'waygate'; console.log(typeof main);";
    expect(run(process.execPath, '--input-type=module', '-e', script).stdout).toBe('function\n');
  });

  test.each([
    ['build', ['build', 'app'], /name: prod-settings-[a-z0-9]+/],
    ['build with a chart', ['build', '--enable-helm', 'charted'], /color: red/],
    [
      'template',
      ['template', 'mine', 'charted/charts/chart', '--set', 'color=blue'],
      /color: blue/,
    ],
    ['translate', ['translate', '-f', 'app/web.yaml'], /paths:/],
    ['validate', ['gateway', 'validate', 'kong.yaml'], /^$/],
  ])('%s', (_, args, expected) => {
    const { status, stdout, stderr } = run(process.execPath, program(), ...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(expected);
  });

  test('keeps the code that V8 makes of it, where nobody else can put any', () => {
    const directory = join(home, 'cache/waygate/code');
    rmSync(directory, { recursive: true, force: true });
    const version = () => {
      const { stdout, stderr } = spawnSync(process.execPath, [program(), 'version'], {
        cwd: home,
        env,
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^waygate /);
      return readdirSync(directory).map((name) => {
        const { size, ino } = statSync(join(directory, name));
        return { name, size, ino };
      });
    };
    const kept = version();
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.every(({ name }) => name.endsWith('.code'))).toBe(true);
    expect(statSync(directory).mode & 0o77).toBe(0);
    // Taken as it is, so not written again; what is no code is replaced.
    expect(version()).toEqual(kept);
    const [first] = kept;
    writeFileSync(join(directory, first!.name), 'not code at all');
    const mended = version();
    expect(mended.map(({ name }) => name)).toEqual(kept.map(({ name }) => name));
    expect(readFileSync(join(directory, first!.name), 'utf8')).not.toBe('not code at all');
    // Nobody else takes away what programs left that are gone by now.
    const old = join(directory, `${'0'.repeat(32)}.code`);
    writeFileSync(old, 'of long ago');
    utimesSync(old, 0, 0);
    writeFileSync(join(directory, first!.name), 'not code at all');
    expect(version().map(({ name }) => name)).toEqual(kept.map(({ name }) => name));
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    chmodSync(directory, 0o777);
    expect(version()).toEqual([]);
  });

  test('every verb can be loaded', () => {
    const { status, stdout, stderr } = run(process.execPath, program(), 'completion', 'bash');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('support-bundle');
  });

  test('every script that a verb may come to use can be loaded', () => {
    const script = `
      const { loadWholeProgram } = require('./node_modules/waygate/bin/packed-program.js');
      const { readdirSync } = require('node:fs');
      const { pathToFileURL } = require('node:url');
      const verbs = './node_modules/waygate/dist/verbs/';
      const scripts = readdirSync(verbs).filter((name) => name.endsWith('.cjs'));
      for (const name of scripts) loadWholeProgram(pathToFileURL(verbs + name));
      console.log(scripts.length);
      process.exit();`;
    const { status, stdout, stderr } = run(process.execPath, '-e', script);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(Number(stdout)).toBeGreaterThan(40);
  });

  test('the second hour, with nothing but node, git, kubectl and curl', async () => {
    const script = join(root, 'test/packages/second-hour.sh');
    const { code, stdout, stderr } = await runProgram('sh', [script], {
      cwd: home,
      env,
      timeoutMs: 170_000,
    });
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/== done\n$/),
    });
  }, 180_000);

  test('up serves the project, which a thread builds, and the page', async () => {
    const up = start(process.execPath, [program(), 'up', join(home, 'app')]);
    try {
      await expect.poll(() => up.output(), { timeout: 60_000 }).toMatch(/What changes/);
      const gateway = /Gateway +(http:\S+)/.exec(up.output())?.[1] ?? '';
      const page = /Dashboard +(http:\S+)/.exec(up.output())?.[1] ?? '';
      const answer = async () => (await fetch(`${gateway}/web`)).text();
      await expect.poll(answer, { timeout: 30_000 }).toBe('from the backend\n');
      expect(await (await fetch(page)).text()).toContain('<script type="module"');
    } finally {
      await up.stop();
    }
  });
});

function writeFiles(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

function manifests(port: number): Record<string, string> {
  return {
    'app/kustomization.yaml':
      'namePrefix: prod-\nnamespace: default\nresources: [web.yaml, large.yaml]\nconfigMapGenerator: [{name: settings, literals: [a=b]}]\n',
    'app/large.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata: {x: ${'x'.repeat(70_000)}}\n`,
    'app/web.yaml': `apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80, targetPort: ${port}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web, labels: {kubernetes.io/service-name: prod-web}}
addressType: IPv4
ports: [{port: ${port}}]
endpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  ingressClassName: kong
  rules:
  - http:
      paths:
      - {path: /web, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}
`,
    'charted/charts/chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
    'charted/charts/chart/values.yaml': 'color: red\n',
    'charted/charts/chart/templates/map.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata:\n  color: {{ .Values.color }}\n',
    'charted/kustomization.yaml': 'helmCharts: [{name: chart, releaseName: mine}]\n',
    'kong.yaml': '_format_version: "3.0"\nservices: [{name: a, url: "http://127.0.0.1:1"}]\n',
  };
}
