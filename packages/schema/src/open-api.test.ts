import { describe, expect, it } from 'vitest';
import { builtInResources, findBuiltInResource } from './built-in-resource.ts';
import { kinds } from './kinds.ts';
import { fieldSchema, openApiV2, openApiV3, openApiV3Paths, schemaOf } from './open-api.ts';

const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };

describe('the facts on Kubernetes', () => {
  it('walks fields, lists and maps', () => {
    const containers = fieldSchema(deployment, ['spec', 'template', 'spec', 'containers']);
    expect(containers?.listType).toBe('map');
    expect(containers?.listMapKeys).toEqual(['name']);
    expect(containers?.patchMergeKey).toBe('name');
    expect(containers?.patchStrategies).toEqual(['merge']);
    expect(containers?.at([0, 'ports', 0, 'protocol'])?.default).toBe('TCP');
    expect(containers?.at([0, 'resources', 'limits', 'cpu'])?.isQuantity).toBe(true);
    expect(fieldSchema(deployment, ['spec', 'selector'])?.mapType).toBe('atomic');
    expect(fieldSchema(deployment, ['spec', 'nope'])).toBeUndefined();
    expect(fieldSchema(deployment, ['metadata', 'labels', 'any'])?.type).toBe('string');
    const surge = ['spec', 'strategy', 'rollingUpdate', 'maxSurge'];
    expect(fieldSchema(deployment, surge)?.isIntOrString).toBe(true);
    expect(fieldSchema(deployment, ['spec', 'constructor'])).toBeUndefined();
  });

  it('keeps the raw documents', () => {
    expect(openApiV2().swagger).toBe('2.0');
    expect(openApiV3Paths()).toContain('apis/apps/v1');
    expect(openApiV3('api/v1')?.openapi).toBe('3.0.0');
    expect(openApiV3('__proto__')).toBeUndefined();
  });

  it('has a schema and a resource for every kind in the table of kinds', () => {
    for (const kind of Object.values(kinds)) {
      expect(schemaOf(kind), kind.kind).toBeDefined();
      if (kind.kind === 'Scale') continue;
      const { group, version, plural, scope } = kind;
      expect(findBuiltInResource(kind)).toMatchObject({ group, version, plural, scope });
    }
  });

  it('tells what discovery tells', () => {
    expect(findBuiltInResource(kinds.Deployment)).toMatchObject({
      shortNames: ['deploy'],
      categories: ['all'],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    });
    expect(findBuiltInResource(kinds.Pod)?.subresources.map((one) => one.name)).toContain('exec');
    expect(builtInResources()).toHaveLength(68);
  });
});
