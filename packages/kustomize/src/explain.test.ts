import { describe, expect, it } from 'vitest';
import { buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';

describe('explain', () => {
  const files = memoryFileSystem({
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n',
    'top/kustomization.yaml':
      'resources: [../base]\nnamePrefix: p-\nimages: [{name: nginx, newTag: "2"}]\npatches: [{path: patch.yaml}]\nsecretGenerator: [{name: s, literals: [a=b]}]\n',
    'top/patch.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n',
  });
  const result = buildSync(files, '/top', { explain: true });

  function field(resource: string, path: string) {
    return result.explain(resource)?.find((each) => each.path === path);
  }

  it('follows fields to the line, the patch or the transformer that set them', () => {
    expect(result.problems).toEqual([]);
    expect(field('Deployment/p-web', 'kind')).toMatchObject({
      file: '/base/web.yaml',
      line: 2,
      by: 'resource',
    });
    expect(field('Deployment/p-web', 'spec.replicas')).toMatchObject({
      value: '3',
      file: '/top/patch.yaml',
      line: 5,
      by: 'PatchTransformer',
    });
    expect(field('p-web', 'metadata.name')).toMatchObject({
      by: 'PrefixTransformer',
      file: '/top/kustomization.yaml',
    });
    expect(field('p-web', 'spec.template.spec.containers[name=web].image')).toMatchObject({
      value: 'nginx:2',
      by: 'ImageTagTransformer',
    });
  });

  it('names what touched a resource, and hides what a Secret holds', () => {
    const web = result.resources.find((resource) => resource.kind === 'Deployment');
    expect(web?.origin.transformers).toEqual([
      'PatchTransformer',
      'PrefixTransformer',
      'ImageTagTransformer',
    ]);
    const secret = result.resources.find((resource) => resource.kind === 'Secret')!;
    expect(field(`Secret/${secret.name}`, 'data.a')?.value).toBe('***');
  });

  it('knows nothing of a resource that is not there', () => {
    expect(result.explain('Deployment/nope')).toBeUndefined();
  });
});
