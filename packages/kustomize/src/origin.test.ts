import { describe, expect, test } from 'vitest';
import { buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';
import { appendOrigin, configurationOrigin, originText, transformationsText } from './origin.ts';

test.each([
  ['', 'a.yaml', 'a.yaml'],
  ['base', 'a.yaml', 'base/a.yaml'],
  ['base', '../a.yaml', 'a.yaml'],
  ['base', '../../a.yaml', '../a.yaml'],
  ['../base', '../a.yaml', '../a.yaml'],
  ['../..', '../x', '../../../x'],
  ['base/', './x//y', 'base/x/y'],
  ['base', '.', 'base'],
])('from %s, %s is %s', (base, path, wanted) => {
  expect(appendOrigin({ path: base, repo: 'r' }, path)).toEqual({ path: wanted, repo: 'r' });
  expect(configurationOrigin({ path: base, ref: 'f' }, path, 'K')).toEqual({
    ref: 'f',
    configuredIn: wanted,
    configuredBy: { apiVersion: 'builtin', kind: 'K', name: '' },
  });
});

const whole = {
  path: 'a.yaml',
  repo: 'https://x',
  ref: '1',
  configuredIn: 'k.yaml',
  configuredBy: { apiVersion: 'v1', kind: 'K', name: 'true', namespace: 'ns' },
};
const lines = [
  ...['path: a.yaml', 'repo: https://x', 'ref: "1"', 'configuredIn: k.yaml', 'configuredBy:'],
  ...['  apiVersion: v1', '  kind: K', '  name: "true"', '  namespace: ns'],
];

test('an origin is written in an order of its own, without what is empty', () => {
  expect(originText(whole)).toBe(`${lines.join('\n')}\n`);
  expect(originText({ path: '', repo: 'r' })).toBe('repo: r\n');
  expect(originText({})).toBe('');
  expect(transformationsText([whole, { path: 'b' }])).toBe(`- ${lines.join('\n  ')}\n- path: b\n`);
});

describe('annotations that a build is asked for', () => {
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
  const built = (buildMetadata: string) =>
    buildSync(
      memoryFileSystem({
        'base/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: p-\n',
        'base/a.yaml': map,
        'kustomization.yaml': `buildMetadata: ${buildMetadata}\nresources: [base]\nconfigMapGenerator: [{name: g, literals: [x=y]}]\nnamespace: ns\n`,
      }),
      '/',
    );

  test('say where a resource came from', () => {
    const [second, first] = built('[originAnnotations]').resources;
    expect(first?.object.metadata.annotations).toEqual({
      'config.kubernetes.io/origin': 'path: base/a.yaml\n',
    });
    expect(second?.object.metadata.annotations).toEqual({
      'config.kubernetes.io/origin':
        'configuredIn: kustomization.yaml\nconfiguredBy:\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n',
    });
  });

  test('say what changed it', () => {
    const [, first] = built('[transformerAnnotations]').resources;
    const by = (file: string, kind: string) =>
      `- configuredIn: ${file}\n  configuredBy:\n    apiVersion: builtin\n    kind: ${kind}\n`;
    expect(first?.object.metadata.annotations).toEqual({
      'alpha.config.kubernetes.io/transformations':
        by('base/kustomization.yaml', 'PrefixTransformer') +
        by('kustomization.yaml', 'NamespaceTransformer'),
    });
  });

  test('are none unless they are asked for, and labels say who built', () => {
    expect(built('[]').resources[0]?.object.metadata.annotations).toBeUndefined();
    expect(built('[managedByLabel]').resources[0]?.object.metadata.labels).toMatchObject({
      'app.kubernetes.io/managed-by': expect.stringMatching(/^kustomize-v/),
    });
  });
});
