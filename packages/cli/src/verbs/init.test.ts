import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
