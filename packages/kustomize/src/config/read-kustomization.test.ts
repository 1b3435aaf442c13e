import { describe, expect, it } from 'vitest';
import { readKustomization } from './read-kustomization.ts';

describe('readKustomization', () => {
  it('moves deprecated fields to current ones, and says so', () => {
    const { kustomization, warnings } = readKustomization(
      'Resources: [a]\nbases: [b]\nimageTags: [{name: x, newTag: "1"}]\nconfigMapGenerator: [{name: c, env: e}]\n',
    );
    expect(kustomization.resources).toEqual(['a', 'b']);
    expect(kustomization.images).toEqual([{ name: 'x', newTag: '1' }]);
    expect(kustomization.configMapGenerator).toEqual([{ name: 'c', envs: ['e'] }]);
    expect(kustomization.kind).toBe('Kustomization');
    expect(warnings).toHaveLength(2);
  });

  it.each([
    ['resource: [a]', 'invalid Kustomization: json: unknown field "resource"'],
    [
      'resources: a',
      'cannot unmarshal string into Go struct field Kustomization.resources of type []string',
    ],
    [
      'commonLabels: {a: yes}',
      'cannot unmarshal bool into Go struct field Kustomization.commonLabels of type string',
    ],
    [
      'images: [{name: a, newTag: 1.2}]',
      'cannot unmarshal number into Go struct field Image.images.newTag of type string',
    ],
    [
      'configMapGenerator: [{literals: [{a: b}]}]',
      'Go struct field ConfigMapArgs.configMapGenerator.GeneratorArgs.KvPairSources.literals of type string',
    ],
    ['', 'kustomization.yaml is empty'],
    ['kind: Kustomization', 'kustomization.yaml is empty'],
    ['a: [', 'invalid Kustomization: yaml:'],
  ])('refuses %j', (text, message) => {
    expect(() => readKustomization(text)).toThrow(message);
  });
});
