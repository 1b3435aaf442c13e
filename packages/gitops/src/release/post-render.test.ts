import { describe, expect, test } from 'vitest';
import type { HelmRelease } from '../api/helm-objects.ts';
import { postRendererOf } from './post-render.ts';

const object = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
const hook = object('hook', '  annotations:\n    helm.sh/hook: test\n');
const patches = [
  { target: { kind: 'ConfigMap' }, patch: '[{"op":"add","path":"/data","value":{"a":"b"}}]' },
];

async function rendered(
  spec: object,
  files: Record<string, string> = { 'a.yaml': object('a'), 'h.yaml': hook },
) {
  const release = { metadata: { name: 'shop', namespace: 'web' }, spec };
  const render = postRendererOf(release as unknown as HelmRelease);
  const result = await render(new Map(Object.entries(files)));
  return Object.fromEntries(result);
}

const isLabelled = (text = '') =>
  text.includes('helm.toolkit.fluxcd.io/name: shop') &&
  text.includes('helm.toolkit.fluxcd.io/namespace: web');
const isPatched = (text = '') => text.includes('data:\n  a: b');

describe('what a chart rendered', () => {
  test.each([
    ['by default', undefined, [true, true], [true, true]],
    ['hooks and others apart', 'separate', [true, true], [true, true]],
    ['without hooks', 'nohooks', [true, false], [true, false]],
  ])('is patched and labelled %s', async (_name, postRenderStrategy, labelled, patched) => {
    const postRenderers = [{}, { kustomize: { patches } }];
    const files = await rendered({ postRenderStrategy, postRenderers });
    const texts = [files['a.yaml'], files['h.yaml']];
    expect(texts.map(isLabelled)).toEqual(labelled);
    expect(texts.map(isPatched)).toEqual(patched);
    expect(texts[1]).toContain('name: hook');
  });

  test('without renderers, is labelled alone', async () => {
    const files = await rendered({});
    expect(Object.values(files).map(isLabelled)).toEqual([true, true]);
    expect(Object.values(files).some(isPatched)).toBe(false);
  });

  test('gets common metadata, which cannot say that it is of somebody else', async () => {
    const labels = { team: 'red', 'helm.toolkit.fluxcd.io/name': 'other' };
    const files = await rendered({ commonMetadata: { labels, annotations: { why: 'so' } } });
    expect(files['a.yaml']).toContain('team: red');
    expect(files['a.yaml']).toContain('why: so');
    expect(isLabelled(files['a.yaml'])).toBe(true);
    expect(files['a.yaml']).not.toContain('other');
  });

  test('gets other images', async () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    image: web:1\n';
    const postRenderers = [{ kustomize: { images: [{ name: 'web', newTag: '2' }] } }];
    const files = await rendered({ postRenderers }, { 'p.yaml': pod });
    expect(files['p.yaml']).toContain('image: web:2');
  });

  test('a patch that cannot be put on is an error', async () => {
    const wrong = [{ target: { kind: 'ConfigMap' }, patch: '[{"op":"remove","path":"/no"}]' }];
    await expect(rendered({ postRenderers: [{ kustomize: { patches: wrong } }] })).rejects.toThrow(
      'error while running post render on files: ',
    );
  });

  test('of nothing there is nothing', async () => {
    expect(await rendered({ postRenderers: [{ kustomize: { patches } }] }, {})).toEqual({});
  });
});
