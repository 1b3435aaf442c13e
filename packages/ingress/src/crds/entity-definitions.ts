import { age, type CustomResourceDefinition, definition, programmed } from './definition.ts';
import {
  anything,
  conditions,
  flag,
  listOf,
  record,
  statusWithConditions,
  text,
  texts,
  withRules,
} from './structural-schema.ts';

const group = 'configuration.konghq.com';

export const kongVault: CustomResourceDefinition = definition({
  group,
  version: 'v1alpha1',
  kind: 'KongVault',
  plural: 'kongvaults',
  shortNames: ['kv'],
  isClusterScoped: true,
  properties: {
    spec: withRules(
      record(
        {
          backend: { type: 'string', minLength: 1 },
          prefix: { type: 'string', minLength: 1 },
          description: text,
          config: anything,
          tags: texts,
          controlPlaneRef: anything,
        },
        ['backend', 'prefix'],
      ),
      ['self.prefix == oldSelf.prefix', 'The spec.prefix field is immutable'],
    ),
    status: { ...statusWithConditions, 'x-kubernetes-preserve-unknown-fields': true },
  },
  required: ['spec'],
  columns: [
    { name: 'Backend Type', type: 'string', jsonPath: '.spec.backend' },
    { name: 'Prefix', type: 'string', jsonPath: '.spec.prefix' },
    age,
    programmed,
  ],
});

export const kongLicense: CustomResourceDefinition = definition({
  group,
  version: 'v1alpha1',
  kind: 'KongLicense',
  plural: 'konglicenses',
  shortNames: ['kl'],
  isClusterScoped: true,
  properties: {
    enabled: { ...flag, default: true },
    rawLicenseString: text,
    status: record({
      controllers: listOf(
        record(
          {
            controllerName: text,
            controllerRef: record({
              group: text,
              kind: text,
              namespace: text,
              name: text,
            }),
            conditions,
          },
          ['controllerName'],
        ),
      ),
    }),
  },
  required: ['enabled', 'rawLicenseString'],
  columns: [age, { name: 'Enabled', type: 'boolean', jsonPath: '.enabled' }],
});

export const kongCustomEntity: CustomResourceDefinition = definition({
  group,
  version: 'v1alpha1',
  kind: 'KongCustomEntity',
  plural: 'kongcustomentities',
  shortNames: ['kce'],
  properties: {
    spec: withRules(
      record(
        {
          type: { type: 'string', minLength: 1 },
          controllerName: text,
          fields: anything,
          parentRef: record({ group: text, kind: text, namespace: text, name: text }, ['name']),
        },
        ['type', 'controllerName', 'fields'],
      ),
      ['self.type == oldSelf.type', 'The spec.type field is immutable'],
    ),
    status: statusWithConditions,
  },
  required: ['spec'],
  columns: [{ name: 'Entity Type', type: 'string', jsonPath: '.spec.type' }, age, programmed],
});
