import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-init-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const ingress = (name: string, spec: string) =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n---\n`;

test.each([
  ['of the class of the gateway', ingress('web', '{ingressClassName: kong}'), '', []],
  ['of ingress-nginx', ingress('web', '{ingressClassName: nginx}'), ' --ingress-nginx', []],
  [
    'of another class, beside one of ingress-nginx',
    ingress('web', '{ingressClassName: nginx}') + ingress('old', '{ingressClassName: traefik}'),
    ' --ingress-nginx',
    [
      'Not served: Ingress shop/old (spec.ingressClassName): is traefik: this gateway serves the class kong; set spec.ingressClassName to kong',
    ],
  ],
])('init says how to serve Ingresses %s', async (_name, manifests, flag, lines) => {
  writeFileSync(join(directory, 'ingress.yaml'), manifests);
  const { stdout, stderr } = await runInProcess(['init', directory]);
  expect(stderr).toBe('');
  expect(stdout.split('\n').slice(1, -1)).toEqual([
    `waygate up ${directory}${flag} starts with it.`,
    ...lines,
  ]);
});

test('init --template operator writes a project of the kind that was asked for, once', async () => {
  const project = join(directory, 'boxes');
  const args = ['init', project, '--template', 'operator', '--kind', 'Box', '--group', 'team.dev'];
  const { stdout, stderr } = await runInProcess(args);
  expect(stderr).toBe('');
  expect(stdout).toContain('Wrote an operator of Box.team.dev to ');
  const read = (path: string) => readFileSync(join(project, path), 'utf8');
  expect(read('crd.yaml')).toContain('name: boxes.team.dev\n');
  expect(read('src/generated/box.ts')).toContain('export interface Box extends KubeObject');
  expect(JSON.parse(read('package.json')).name).toBe('boxes');
  for (const path of readdirSync(project, { recursive: true, encoding: 'utf8' }))
    if (/\.\w+$/.test(path))
      expect(read(path), path).not.toMatch(/Widget|undefined\b.*undefined|Greeting/);
  const again = await runInProcess(args);
  expect(again.stderr).toContain('boxes is not empty');
});

test.each([
  ['--kind', 'box', 'begins with a capital'],
  ['--group', 'nodomain', 'is no domain'],
  ['--template', 'poem', 'Allowed choices are operator'],
])('init refuses %s %s', async (flag, value, message) => {
  const args = ['init', join(directory, 'new'), '--template', 'operator', flag, value];
  const { stderr, exitCode } = await runInProcess(args);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(64);
  expect(readdirSync(directory)).toEqual([]);
});
