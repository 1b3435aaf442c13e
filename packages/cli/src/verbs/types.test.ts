import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1beta1
      served: true
      storage: false
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object } } } }
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          description: Something to turn.
          type: object
          required: [spec]
          properties:
            apiVersion: { type: string }
            spec:
              type: object
              required: [size]
              properties:
                size: { description: "How large; no */ ends this.", type: integer }
                color: { enum: [red, "it's"], type: string }
                port: { x-kubernetes-int-or-string: true }
                x-odd.name: { type: array, items: { type: string, nullable: true } }
                parts: { type: array, items: { type: object, properties: { name: { type: string } } } }
                settings: { type: object, additionalProperties: { type: number } }
                anything: { x-kubernetes-preserve-unknown-fields: true }
`;

const expected = `import { defineKind, type KubeObject } from '@waygate/kube';

/** Something to turn. */
export interface Widget extends KubeObject {
  apiVersion?: 'example.com/v1';
  kind?: 'Widget';
  spec: WidgetSpec;
}

export const Widget = /* @__PURE__ */ defineKind<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
});

export interface WidgetSpec {
  /** How large; no *\\/ ends this. */
  size: number;
  color?: 'red' | 'it\\'s';
  port?: number | string;
  'x-odd.name'?: (string | null)[];
  parts?: WidgetSpecPartsItem[];
  settings?: Record<string, number>;
  anything?: unknown;
}

export interface WidgetSpecPartsItem {
  name?: string;
}
`;

describe('waygate types', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'waygate-types-'));
    writeFileSync(join(directory, 'crd.yaml'), definition);
    writeFileSync(
      join(directory, 'map.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    );
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const types = (...args: string[]) => runInProcess(['types', ...args], { cwd: directory });

  test('prints the stored version under the plain name', async () => {
    const { stdout, exitCode } = await types('crd.yaml', '--api-version', 'v1');
    expect({ stdout, exitCode }).toEqual({ stdout: expected, exitCode: 0 });
  });

  test('prints every served version, the others with theirs in the name', async () => {
    const { stdout } = await types('crd.yaml', '--no-comments');
    expect([...stdout.matchAll(/^export const (\w+)/gm)].map(([, name]) => name)).toEqual([
      'Widget',
      'WidgetV1beta1',
    ]);
    expect(stdout).not.toContain('/**');
  });

  test.each([
    ['no definition', ['map.yaml'], /there is no CustomResourceDefinition in map\.yaml/],
    [
      'no such version',
      ['crd.yaml', '--api-version', 'v2'],
      /widgets\.example\.com has no version v2: it has v1beta1, v1/,
    ],
    ['no such file', ['none.yaml'], /cannot read none\.yaml/],
  ])('%s is told', async (_, args, message) => {
    const { stderr, exitCode } = await types(...args);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(64);
  });
});
