import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

let directory: string;

const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${value}\n`;

const kustomization = (
  name: string,
  path: string,
  more = '',
) => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: ${name}
  namespace: fleet
spec:
  interval: 1h
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: fleet}
${more}`;

const files: Readonly<Record<string, string>> = {
  'ks.yaml': `${configMap('other', 'x')}---\n${kustomization(
    'apps',
    './apps',
    `  targetNamespace: shop
  decryption: {provider: sops, secretRef: {name: keys}}
  postBuild:
    substitute: {value: two}
    substituteFrom: [{kind: Secret, name: there}]
`,
  )}`,
  'fleet/apps/a.yaml': configMap('a', `\${value}`),
  'fleet/apps/b/b.yaml': configMap('b', 'one'),
  'fleet/apps/nested.yaml': kustomization('nested', './more'),
  'fleet/more/c.yaml': configMap('c', 'three'),
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-build-ks-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
});

afterAll(() => rmSync(directory, { recursive: true }));

const build = (...words: string[]) =>
  runInProcess(
    ['build', 'ks', 'apps', '--path', './fleet/apps', '--kustomization-file', 'ks.yaml', ...words],
    // No cluster is anywhere.
    { cwd: directory, env: { KUBECONFIG: join(directory, 'none') } },
  );

const namesIn = (text: string) => [...text.matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name);

describe('build ks --kustomization-file --dry-run', () => {
  test('builds what is not in a cluster, with its namespace, labels and variables', async () => {
    const { stdout, stderr, exitCode } = await build('--dry-run');
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(namesIn(stdout)).toEqual(['a', 'b', 'nested']);
    expect(stdout).toContain('value: two');
    expect(stdout).toContain('kustomize.toolkit.fluxcd.io/name: apps');
    expect(stdout.match(/namespace: shop/g)).toHaveLength(3);
  });

  test('leaves out what --ignore-paths names', async () => {
    const { stdout } = await build('--dry-run', '--ignore-paths', '/b/**,nested.yaml');
    expect(namesIn(stdout)).toEqual(['a']);
  });

  test('builds what is applied, too, with --recursive', async () => {
    const sources = ['--local-sources', 'GitRepository/shop/fleet=./fleet'];
    const { stdout, stderr } = await build('--dry-run', '--recursive', ...sources);
    expect(stderr).toBe('');
    expect(namesIn(stdout)).toEqual(['a', 'b', 'nested', 'c']);
  });

  test.each([
    [['--dry-run', '--recursive'], 'Say it: --local-sources GitRepository/shop/fleet=DIRECTORY'],
    [
      ['--dry-run', '--kustomization-file', 'fleet/apps/a.yaml'],
      'there is no Kustomization apps in',
    ],
    [['--dry-run', '--kustomization-file', 'none.yaml'], 'cannot read none.yaml'],
    [['--dry-run', '--path', 'nowhere'], 'there is no directory'],
  ])('%j is refused', async (words, message) => {
    const { stderr, exitCode } = await build(...words);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('defect');
  });

  test('needs a file and a directory', async () => {
    const { stderr } = await runInProcess(['build', 'ks', 'apps', '--dry-run'], { cwd: directory });
    expect(stderr).toContain('it needs --kustomization-file and --path');
  });
});
